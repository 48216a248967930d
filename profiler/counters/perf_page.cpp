#include "profiler/counters/perf_page.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace assay {

bool rdpmc_allowed(const perf_event_mmap_page& page) {
  constexpr int kBitsRead = 32;
  return page.cap_bit0_is_deprecated && page.cap_user_rdpmc && page.pmc_width >= kBitsRead;
}

bool rdpmc_allowed(int descriptor) {
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const mapping = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapping == MAP_FAILED) return false;
  const bool allowed = rdpmc_allowed(*static_cast<const perf_event_mmap_page*>(mapping));
  munmap(mapping, size);
  return allowed;
}

}  // namespace assay
