#pragma once

#include <optional>
#include <string_view>

namespace assay {

/// A kind of file that is easily given by mistake in place of a corpus.
struct ForeignFile {
  std::string_view magic;    ///< the bytes that it starts with
  std::string_view what;     ///< what the file is, "xz-compressed"
  std::string_view way_out;  ///< what the user should do with it, an imperative
};

/// The kind of a file that starts with these bytes; nothing if it may be a corpus.
std::optional<ForeignFile> foreign_file(std::string_view start);

}  // namespace assay
