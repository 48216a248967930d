#include "profiler/machine/processor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "profiler/support/cache_line.h"
#include "profiler/support/error.h"

namespace assay {

std::vector<int> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) {
    throw EnvironmentError(describe_errno("cannot ask which processors may be used", errno));
  }
  std::vector<int> processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  }
  return processors;
}

void pin_to_processor(int processor) {
  const std::vector<int> allowed = allowed_processors();
  cpu_set_t set;
  CPU_ZERO(&set);
  if (std::ranges::find(allowed, processor) == allowed.end()) {
    throw InputError(fmt::format("processor {} may not be used here; these may: {}", processor,
                                 fmt::join(allowed, ", ")));
  }
  CPU_SET(processor, &set);
  if (sched_setaffinity(0, sizeof(set), &set) != 0) {
    throw EnvironmentError(
        describe_errno(fmt::format("cannot stay on processor {}", processor), errno));
  }
}

KeptProcessors::~KeptProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : allowed_) CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof(set), &set);
}

CacheShape data_cache() {
  const long size = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  const long ways = sysconf(_SC_LEVEL1_DCACHE_ASSOC);
  const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  if (size <= 0 || ways <= 0 || line != static_cast<long>(kCacheLine)) return {};
  return {.sets = static_cast<int>(size / line / ways), .ways = static_cast<int>(ways)};
}

std::size_t instruction_cache_size() {
  constexpr std::size_t kSmallest = std::size_t{32} * 1024;
  constexpr std::size_t kLargest = std::size_t{64} * 1024;  // the largest of any core so far
  const long size = sysconf(_SC_LEVEL1_ICACHE_SIZE);
  return size > 0 ? std::min(static_cast<std::size_t>(size), kLargest) : kSmallest;
}

}  // namespace assay
