#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "profiler/subject/layout.h"
#include "profiler/support/descriptor.h"

namespace assay::subject {

/// The files that monitor and subject share: the arena (request, code area, stack, report and
/// records of a trace) and the frames, both mapped here. Both files are anonymous (memfd), so that
/// nothing is left behind, whichever side dies. Throws EnvironmentError if the system gives no such
/// file.
class SharedMemory {
 public:
  SharedMemory();
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// Makes request and report all zero. They are too large for a temporary on a small stack.
  void clear() const {
    std::memset(at(0), 0, kRequestSize);
    std::memset(at(kReportOffset), 0, kReportSize);
  }
  Request& request() const { return *static_cast<Request*>(mapping_); }
  /// The subject's stack, as 8-byte words.
  std::span<std::uint64_t> stack() const {
    return {reinterpret_cast<std::uint64_t*>(at(kStackOffset)), kStackSize / sizeof(std::uint64_t)};
  }
  Report& report() const { return *reinterpret_cast<Report*>(at(kReportOffset)); }
  /// The code area, where the monitor writes kernels; the subject sees it at kCode and cannot write
  /// there.
  std::span<std::uint8_t> code() const {
    return {reinterpret_cast<std::uint8_t*>(at(kCodeOffset)), kCodeSize};
  }
  /// The frame at this offset in the frames' file, as 8-byte words.
  std::span<std::uint64_t> frame(std::uint64_t offset) const {
    constexpr std::uint64_t kWord = sizeof(std::uint64_t);
    return {static_cast<std::uint64_t*>(frames_) + offset / kWord, kPageSize / kWord};
  }
  /// The records of a trace, which the subject sees at kTrace.
  std::span<const std::uint64_t> trace() const {
    return {reinterpret_cast<const std::uint64_t*>(at(kTraceOffset)),
            kTraceSize / sizeof(std::uint64_t)};
  }
  int arena_descriptor() const { return arena_.get(); }
  int frame_descriptor() const { return frame_.get(); }

 private:
  char* at(std::uint64_t offset) const { return static_cast<char*>(mapping_) + offset; }

  Descriptor arena_;
  Descriptor frame_;
  void* mapping_ = nullptr;  ///< of the arena
  void* frames_ = nullptr;
};

/// Makes an anonymous file of `size` bytes that is closed on exec. Throws EnvironmentError.
Descriptor anonymous_file(const char* name, std::uint64_t size);

}  // namespace assay::subject
