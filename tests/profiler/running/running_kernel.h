#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

#include "profiler/block/bytes.h"
#include "profiler/subject/layout.h"
#include "profiler/support/descriptor.h"

namespace assay {

/// The code that an entry of a kernel runs between its readings.
struct RunningCopies {
  /// Stands for code that is none of the blocks asked for; each of its bytes counts as a copy.
  static constexpr std::size_t kOther = ~std::size_t{0};
  std::size_t block = kOther;   ///< number of the block among those asked for
  std::int64_t copies = 0;      ///< copies in all iterations together
  std::int64_t iterations = 0;  ///< iterations of the loop over them; 0 without a loop
};

/// Looks into a process that runs kernels, while the process is stopped.
class RunningKernel {
 public:
  explicit RunningKernel(pid_t process);

  /// What the monitor asks for, up to the pages.
  const subject::Request& request();
  /// What the subject tells, up to the readings.
  const subject::Report& report();
  /// Finds the code that the kernel's entry jumps to, and which of the blocks is
  /// there how often. `blocks`: the blocks' bytes, which must be the same in every copy. Throws
  /// std::runtime_error if this is not a kernel.
  RunningCopies copies_of(std::uint64_t entry, std::span<const Bytes> blocks) const;

 private:
  void read(void* to, std::size_t size, std::uint64_t address) const;
  Bytes code_at(std::uint64_t address, std::size_t size) const;

  Descriptor memory_;
  subject::Request request_{};
  subject::Report report_{};
};

}  // namespace assay
