#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "suites/extract/program/image.h"

namespace assay {

/// A file with machine code: an ELF executable, shared object or object file (one image), or an
/// archive of object files (one image for each member).
class ProgramFile {
 public:
  /// Throws InputError if the file cannot be read. For a file of another kind, or for another
  /// machine, the message says what it is and what to give instead.
  explicit ProgramFile(const std::string& path);
  ProgramFile(ProgramFile&&) noexcept;
  ~ProgramFile();

  /// The next image; nothing after the last. Throws InputError for a file that is damaged or has no
  /// code for this machine; such members of an archive are passed over.
  std::optional<Image> next();

  /// Sentences about members of an archive that were passed over, complete once next() has given
  /// nothing.
  const std::vector<std::string>& remarks() const;

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
};

/// The one image of a file. Throws InputError as ProgramFile does, and for an archive.
Image load_image(const std::string& path);

}  // namespace assay
