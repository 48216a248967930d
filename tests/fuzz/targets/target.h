#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "profiler/subject/shared_memory.h"

// Each source file in this folder is a target of libFuzzer (llvm.org/docs/LibFuzzer.html): it feeds
// its input to one reader of untrusted bytes. Without libFuzzer, all of them are built into one
// test program, in which the entry function of each has another name (CMakeLists.txt).

/// Feeds the data to the reader, and returns 0. Throws what the reader must not throw, or
/// BrokenPromise.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace assay::fuzz {

/// Thrown if something that a header promises does not hold.
class BrokenPromise : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void require(bool holds, const std::string& what) {
  if (!holds) throw BrokenPromise(what);
}

inline std::string_view text_from(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A file in memory, with a path to open it by.
class FileInMemory {
 public:
  explicit FileInMemory(std::string_view content)
      : file_(subject::anonymous_file("assay-fuzz", 0)) {
    require(
        write(file_.get(), content.data(), content.size()) == static_cast<ssize_t>(content.size()),
        "no file in memory");
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

 private:
  Descriptor file_;
};

}  // namespace assay::fuzz
