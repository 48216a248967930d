#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "suites/extract/image.h"

namespace assay {

/// A file with machine code: an ELF executable, shared object or object file (one image), or an
/// archive of object files (one image a member).
class ProgramFile {
 public:
  /// Throws InputError that says what the file is instead, and what to give, for a file that cannot
  /// be read, is no such file, or is one for another machine.
  explicit ProgramFile(const std::string& path);
  ProgramFile(ProgramFile&&) noexcept;
  ~ProgramFile();

  /// The next image; nothing after the last. Throws InputError for a damaged file, or one without
  /// code for this machine; members of an archive that are such are passed over.
  std::optional<Image> next();

  /// Sentences about members of an archive that were passed over, complete once next() has given
  /// nothing.
  const std::vector<std::string>& remarks() const;

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
};

/// The one image of a file that is no archive. Throws InputError as ProgramFile does.
Image load_image(const std::string& path);

}  // namespace assay
