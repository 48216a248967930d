#pragma once

#include <linux/perf_event.h>
#include <sys/mman.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "profiler/subject/layout.h"
#include "profiler/subject/shared_memory.h"
#include "profiler/support/descriptor.h"

namespace assay::subject {

/// Files with what the kernel shows in the pages of counters; tests may change it.
class SimulatedPages {
 public:
  /// Makes `count` pages; the first has the index 1, and so on.
  explicit SimulatedPages(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      files_.push_back(anonymous_file("counter", kPageSize));
      void* const page =
          mmap(nullptr, kPageSize, PROT_READ | PROT_WRITE, MAP_SHARED, files_.back().get(), 0);
      if (page == MAP_FAILED) throw std::runtime_error("no memory for a simulated counter's page");
      pages_.push_back(static_cast<perf_event_mmap_page*>(page));
      pages_.back()->index = i + 1;
    }
  }
  ~SimulatedPages() {
    for (perf_event_mmap_page* page : pages_) munmap(page, kPageSize);
  }
  SimulatedPages(const SimulatedPages&) = delete;
  SimulatedPages& operator=(const SimulatedPages&) = delete;

  std::vector<int> descriptors() const {
    std::vector<int> all;
    for (const Descriptor& file : files_) all.push_back(file.get());
    return all;
  }
  perf_event_mmap_page& page(std::size_t number) { return *pages_.at(number); }

 private:
  std::vector<Descriptor> files_;
  std::vector<perf_event_mmap_page*> pages_;
};

}  // namespace assay::subject
