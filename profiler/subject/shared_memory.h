#pragma once

#include <cstdint>
#include <span>

#include "profiler/subject/layout.h"
#include "profiler/support/descriptor.h"

namespace assay::subject {

/// The files that monitor and subject share: the arena (control area, code area and records of a
/// trace) and the frames, both mapped here. Both files are anonymous (memfd), so that nothing is
/// left behind, whichever side dies. Throws EnvironmentError if the system gives no such file.
class SharedMemory {
 public:
  SharedMemory();
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  Control& control() const { return *static_cast<Control*>(mapping_); }
  /// The code area, where the monitor writes kernels; the subject sees it at kCode and cannot write
  /// there.
  std::span<std::uint8_t> code() const {
    return {static_cast<std::uint8_t*>(mapping_) + kControlSize, kCodeSize};
  }
  /// The frame at this offset in the frames' file, as 8-byte words.
  std::span<std::uint64_t> frame(std::uint64_t offset) const {
    constexpr std::uint64_t kWord = sizeof(std::uint64_t);
    return {static_cast<std::uint64_t*>(frames_) + offset / kWord, kPageSize / kWord};
  }
  /// The records of a trace, which the subject sees at kTrace.
  std::span<const std::uint64_t> trace() const {
    const char* const start = static_cast<const char*>(mapping_) + kTraceOffset;
    return {reinterpret_cast<const std::uint64_t*>(start), kTraceSize / sizeof(std::uint64_t)};
  }
  int arena_descriptor() const { return arena_.get(); }
  int frame_descriptor() const { return frame_.get(); }

 private:
  Descriptor arena_;
  Descriptor frame_;
  void* mapping_ = nullptr;  ///< of the arena
  void* frames_ = nullptr;
};

/// Makes an anonymous file of `size` bytes that is closed on exec. Throws EnvironmentError.
Descriptor anonymous_file(const char* name, std::uint64_t size);

}  // namespace assay::subject
