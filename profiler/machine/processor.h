#pragma once

#include <cstddef>
#include <vector>

namespace assay {

/// Logical processors that this thread may run on, ascending. Throws EnvironmentError.
std::vector<int> allowed_processors();

/// Keeps the calling thread, and what it starts from now on, on one processor. Throws InputError
/// when that processor does not exist or is not allowed.
void pin_to_processor(int processor);

/// At the end of its life the calling thread may run on the processors again that it may run on
/// now, whatever it was pinned to meanwhile.
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

/// Size of the first-level instruction cache in bytes; 32 KiB, the smallest of any x86-64 core
/// since 2003, when the system does not tell.
std::size_t instruction_cache_size();

}  // namespace assay
