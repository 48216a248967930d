#pragma once

#include <cstddef>
#include <vector>

#include "profiler/support/cache_shape.h"

namespace assay {

/// The logical processors that this thread may run on, ascending. Throws EnvironmentError.
std::vector<int> allowed_processors();

/// Keeps the calling thread, and the threads and processes that it starts from now on, on one
/// processor. Throws InputError if that processor does not exist or is not allowed.
void pin_to_processor(int processor);

/// Remembers which processors the calling thread may run on, and restores that at the end of its
/// life, whatever the thread was pinned to meanwhile.
class KeptProcessors {
 public:
  /// Throws EnvironmentError.
  KeptProcessors() : allowed_(allowed_processors()) {}
  ~KeptProcessors();
  KeptProcessors(const KeptProcessors&) = delete;
  KeptProcessors& operator=(const KeptProcessors&) = delete;

 private:
  std::vector<int> allowed_;
};

/// The first-level data cache. If the system does not tell it, 64 sets of 8 ways (32 KiB), the
/// smallest of any x86-64 core since AMD's Zen and Intel's Nehalem.
CacheShape data_cache();

/// The size of the first-level instruction cache in bytes. If the system does not tell it, 32 KiB,
/// the smallest of any x86-64 core since 2003.
std::size_t instruction_cache_size();

}  // namespace assay
