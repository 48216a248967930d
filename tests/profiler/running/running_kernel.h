#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

#include "profiler/block/bytes.h"
#include "profiler/subject/layout.h"
#include "profiler/support/descriptor.h"

namespace assay {

/// What an entry of a kernel runs between its readings.
struct RunningCopies {
  /// Of the block of that number among those that were asked for; of any other code, each byte
  /// counts as one.
  static constexpr std::size_t kOther = ~std::size_t{0};
  std::size_t block = kOther;
  std::int64_t copies = 0;      ///< in all iterations
  std::int64_t iterations = 0;  ///< of the loop over them; 0 if there is none
};

/// Looks into a process that runs kernels while it is stopped.
class RunningKernel {
 public:
  explicit RunningKernel(pid_t process);

  /// The area up to its readings.
  const subject::Control& control();
  /// Finds the place behind the kernel's IRETQ that its entry jumps to, and how often which of the
  /// blocks stands there. `blocks`: their bytes, which must be the same in every copy. Throws
  /// std::runtime_error for what is no kernel.
  RunningCopies copies_of(std::uint64_t entry, std::span<const Bytes> blocks) const;

 private:
  Bytes code_at(std::uint64_t address, std::size_t size) const;

  Descriptor memory_;
  subject::Control control_{};
};

}  // namespace assay
