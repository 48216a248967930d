#include "tests/profiler/counters/simulated_perf.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace assay {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::uint64_t kNanoseconds = 10'000;  // the time that every stretch of counting takes

bool takes_counter(const perf_event_attr& attributes) {
  return attributes.type != PERF_TYPE_SOFTWARE && attributes.type != PERF_TYPE_TRACEPOINT;
}

int fail(int error) {
  errno = error;
  return -1;
}

}  // namespace

struct SimulatedPerf::Counter {
  enum class State { kOff, kCounting, kError };

  Counter(const perf_event_attr& its_attributes, int its_leader, int file)
      : attributes(its_attributes),
        leader(its_leader),
        page(static_cast<perf_event_mmap_page*>(
            mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))) {
    if (page == MAP_FAILED) throw std::runtime_error("no page for a simulated event");
  }
  ~Counter() { munmap(page, kPage); }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  perf_event_attr attributes;
  int leader;
  perf_event_mmap_page* page;
  std::uint64_t id = 0;
  State state = State::kOff;  ///< state of the group; kept in its leader
  std::uint64_t enabled = 0;  ///< time enabled; kept in the leader, as is `running`
  std::uint64_t running = 0;
  std::uint64_t start = 0;  ///< what `counter` was when counting started
  std::uint64_t count = 0;
};

SimulatedPerf::SimulatedPerf()
    : counter([this](const perf_event_attr&) { return default_counter_ += 1000; }) {}

SimulatedPerf::~SimulatedPerf() = default;

perf_event_mmap_page& SimulatedPerf::page(int descriptor) {
  return *counters_.at(descriptor)->page;
}

int SimulatedPerf::errno_of(const perf_event_attr& attributes, int group) const {
  if (open_error != 0) return open_error;
  const auto error = event_errors.find({attributes.type, attributes.config});
  if (error != event_errors.end()) return error->second;
  if (openings.size() > descriptor_limit) return EMFILE;
  const auto in_group = std::ranges::count_if(counters_, [&](const auto& entry) {
    return entry.second->leader == group && takes_counter(entry.second->attributes);
  });
  return takes_counter(attributes) && (group < 0 ? 0 : in_group) >= counters ? EINVAL : 0;
}

int SimulatedPerf::open(const perf_event_attr& attributes, pid_t process, int group) {
  openings.push_back({attributes, process, group});
  if (const int error = errno_of(attributes, group)) return fail(error);
  const int file = memfd_create("simulated-event", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, kPage) != 0) return fail(EMFILE);
  // The descriptor's number may have belonged to an event that was closed since, with its group.
  std::erase_if(counters_, [&](const auto& entry) { return entry.second->leader == file; });
  auto& opened = counters_[file];
  opened = std::make_unique<Counter>(attributes, group < 0 ? file : group, file);
  opened->id = next_id_++;
  opened->page->cap_bit0_is_deprecated = 1;
  opened->page->cap_user_rdpmc = rdpmc && takes_counter(attributes);
  opened->page->pmc_width = 48;
  return file;
}

std::vector<SimulatedPerf::Counter*> SimulatedPerf::group_of(int leader) {
  std::vector<Counter*> group;
  for (const auto& [descriptor, member] : counters_) {
    if (member->leader == leader) group.push_back(member.get());
  }
  std::ranges::sort(group, {}, &Counter::id);
  return group;
}

void SimulatedPerf::show(Counter& shown, std::uint32_t index) {
  ++shown.page->lock;
  shown.page->index = shown.page->cap_user_rdpmc ? index : 0;
  ++shown.page->lock;
}

void SimulatedPerf::enable(int leader) {
  const std::vector<Counter*> group = group_of(leader);
  const auto needed = std::ranges::count_if(
      group, [](Counter* member) { return takes_counter(member->attributes); });
  if (needed > counters - held) {
    group.front()->state = Counter::State::kError;
    return;
  }
  group.front()->state = Counter::State::kCounting;
  std::uint32_t index = first_index;
  for (Counter* member : group) {
    member->start = counter(member->attributes);
    show(*member, index++);
  }
}

void SimulatedPerf::disable(int leader) {
  const std::vector<Counter*> group = group_of(leader);
  if (group.front()->state != Counter::State::kCounting) return;
  group.front()->state = Counter::State::kOff;
  for (Counter* member : group) {
    const std::uint64_t counted = counter(member->attributes) - member->start;
    if (process_runs) member->count += counted;
    show(*member, 0);
  }
  if (!process_runs) return;
  group.front()->enabled += kNanoseconds;
  group.front()->running +=
      static_cast<std::uint64_t>(running_share * static_cast<double>(kNanoseconds));
}

void SimulatedPerf::move_counters(std::uint32_t shift) {
  for (const auto& [descriptor, moved] : counters_) {
    if (moved->page->index != 0) show(*moved, moved->page->index + shift);
  }
}

int SimulatedPerf::control(int descriptor, unsigned long request, std::uintptr_t argument) {
  const auto found = counters_.find(descriptor);
  if (found == counters_.end()) return fail(EBADF);
  switch (request) {
    case PERF_EVENT_IOC_ID:
      *reinterpret_cast<std::uint64_t*>(argument) = found->second->id;
      return 0;
    case PERF_EVENT_IOC_RESET:
      if (argument != PERF_IOC_FLAG_GROUP) return fail(EINVAL);
      for (Counter* member : group_of(descriptor)) member->count = 0;
      return 0;
    case PERF_EVENT_IOC_ENABLE:
      enable(descriptor);
      return 0;
    case PERF_EVENT_IOC_DISABLE:
      disable(descriptor);
      return 0;
    default:
      return fail(ENOTTY);
  }
}

std::optional<perf_event_mmap_page> SimulatedPerf::page_of(int descriptor) {
  if (page_error == 0) return page(descriptor);
  errno = page_error;
  return std::nullopt;
}

ssize_t SimulatedPerf::read(int descriptor, std::span<std::byte> buffer) {
  std::vector<Counter*> group = group_of(descriptor);
  if (group.empty()) return fail(EBADF);
  if (group.front()->state == Counter::State::kError) return 0;
  const Counter& leader = *group.front();
  if (forgets_an_event) group.pop_back();
  std::vector<std::uint64_t> words = {group.size(), leader.enabled, leader.running};
  for (const Counter* member : group) words.insert(words.end(), {member->count, member->id});
  if (swaps_ids) std::swap(words[4], words[words.size() - 1]);
  if (short_reads) words.pop_back();
  const std::size_t size = words.size() * sizeof(words[0]);
  if (size > buffer.size()) return fail(ENOSPC);
  std::memcpy(buffer.data(), words.data(), size);
  return static_cast<ssize_t>(size);
}

}  // namespace assay
