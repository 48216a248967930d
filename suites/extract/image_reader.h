#pragma once

#include <memory>
#include <span>
#include <string>

#include "profiler/support/error.h"
#include "suites/extract/image.h"

namespace assay {

/// An ELF file that is as it should be, and holds none.
class NoCodeError : public InputError {
 public:
  using InputError::InputError;
};

/// Reads one ELF file. `name` becomes the image's, `shown` begins the messages; `storage` is what
/// the bytes lie in. Throws InputError for what is no ELF file for x86-64 or is damaged, and
/// NoCodeError.
Image read_image(std::span<const std::uint8_t> file, const std::string& name,
                 const std::string& shown, std::shared_ptr<const void> storage);

}  // namespace assay
