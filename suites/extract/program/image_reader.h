#pragma once

#include <memory>
#include <span>
#include <string>

#include "profiler/support/error.h"
#include "suites/extract/program/image.h"

namespace assay {

/// Thrown for an ELF file that is sound but holds no machine code.
class NoCodeError : public InputError {
 public:
  using InputError::InputError;
};

/// Reads one ELF file. `name` becomes the image's name, `shown` begins the messages, and `storage`
/// keeps the bytes alive. Throws InputError if this is no ELF file for x86-64 or if it is damaged,
/// and NoCodeError.
Image read_image(std::span<const std::uint8_t> file, const std::string& name,
                 const std::string& shown, std::shared_ptr<const void> storage);

}  // namespace assay
