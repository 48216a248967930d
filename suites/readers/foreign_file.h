#pragma once

#include <optional>
#include <string_view>

namespace assay {

/// A kind of file that people hand over by mistake where a corpus is due.
struct ForeignFile {
  std::string_view magic;    ///< the bytes that it starts with
  std::string_view what;     ///< "xz-compressed"
  std::string_view way_out;  ///< what to do about it, an imperative
};

/// The kind that a file starting with these bytes is of; nothing if it may be a corpus.
std::optional<ForeignFile> foreign_file(std::string_view start);

}  // namespace assay
