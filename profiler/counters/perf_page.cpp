#include "profiler/counters/perf_page.h"

#include <cerrno>

#include "profiler/support/error.h"

namespace assay {

bool rdpmc_allowed(const perf_event_mmap_page& page) {
  constexpr int kBitsRead = 32;
  return page.cap_bit0_is_deprecated && page.cap_user_rdpmc && page.pmc_width >= kBitsRead;
}

bool rdpmc_allowed(PerfSystem& system, int descriptor) {
  if (const auto page = system.page_of(descriptor)) return rdpmc_allowed(*page);
  // These errors say that what a process or a user may lock is used up (perf_mmap() in
  // kernel/events/core.c, and mmap(2)).
  if (errno == EPERM || errno == EAGAIN || errno == ENOMEM) {
    throw EnvironmentError(
        describe_errno("cannot map a counter's page (mmap)", errno) +
        "; what counters may lock of memory is used up: raise /proc/sys/kernel/perf_event_mlock_kb "
        "or the limit on locked memory (ulimit -l)");
  }
  return false;
}

}  // namespace assay
