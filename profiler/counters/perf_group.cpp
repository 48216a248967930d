#include "profiler/counters/perf_group.h"

#include <cerrno>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiler/counters/event_encoder.h"
#include "profiler/counters/perf_page.h"

namespace assay {
namespace {

constexpr std::uint64_t kReadFormat = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                                      PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;

constexpr const char* kWayOut =
    "; end other profilers, and as root: sysctl kernel.nmi_watchdog=0, which frees a counter";

perf_event_attr attributes_of(const Event& event, bool leads) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.config1 = event.config1;
  attributes.config2 = event.config2;
  attributes.read_format = kReadFormat;
  attributes.exclude_kernel = !counts_in_kernel(event);
  attributes.exclude_hv = 1;
  // The other events follow their leader, so that starting and stopping it switches all of them.
  attributes.pinned = leads;
  attributes.disabled = leads;
  return attributes;
}

}  // namespace

bool counts_in_kernel(const Event& event) {
  // Source: kernel/events/core.c, perf_sw_event_sched() and perf_tp_event(). Other software events
  // need no exception: page faults are counted with the registers of the code that caused them, and
  // the clocks count all of a process' time in any case.
  if (event.type == PERF_TYPE_TRACEPOINT) return true;
  constexpr std::uint64_t kCgroupSwitches = 11;  // PERF_COUNT_SW_CGROUP_SWITCHES, Linux 5.13
  return event.type == PERF_TYPE_SOFTWARE &&
         (event.config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
          event.config == PERF_COUNT_SW_CPU_MIGRATIONS || event.config == kCgroupSwitches);
}

std::variant<std::unique_ptr<PerfGroup>, PerfOpenFailure> PerfGroup::open(
    PerfSystem& system, std::span<const Event> events, pid_t process) {
  std::unique_ptr<PerfGroup> group(new PerfGroup(system));
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (const int error = group->add(events[i], process)) return PerfOpenFailure{i, error};
  }
  // The kernel's own events also have pages, but mapping those would only use up locked memory.
  const bool by_rdpmc = std::ranges::none_of(events, is_software) &&
                        std::ranges::all_of(group->numbers_, [&](int number) {
                          return rdpmc_allowed(system, number);
                        });
  group->method_ = by_rdpmc ? ReadMethod::kRdpmc : ReadMethod::kAround;
  return group;
}

int PerfGroup::add(const Event& event, pid_t process) {
  const bool leads = numbers_.empty();
  Descriptor descriptor(
      system_.open(attributes_of(event, leads), process, leads ? -1 : numbers_.front()));
  if (descriptor.get() < 0) return errno;
  std::uint64_t id = 0;
  if (system_.control(descriptor.get(), PERF_EVENT_IOC_ID, reinterpret_cast<std::uintptr_t>(&id)) <
      0) {
    return errno;
  }
  ids_.push_back(id);
  numbers_.push_back(descriptor.get());
  descriptors_.push_back(std::move(descriptor));
  names_.push_back(event.name);
  return 0;
}

std::span<const int> PerfGroup::pages() const {
  if (method_ == ReadMethod::kRdpmc) return numbers_;
  return {};
}

void PerfGroup::start() {
  control(PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP, "be set to 0");
  // Enabling also brings a group out of its error state (kernel/events/core.c, _perf_event_enable).
  control(PERF_EVENT_IOC_ENABLE, 0, "be started");
}

std::vector<std::uint64_t> PerfGroup::stop() {
  control(PERF_EVENT_IOC_DISABLE, 0, "be stopped");
  Reading reading = read();
  // Resetting the counts does not reset the times, so that differences of times are taken.
  const std::uint64_t enabled = reading.times.enabled - times_.enabled;
  const std::uint64_t running = reading.times.running - times_.running;
  times_ = reading.times;
  if (enabled != running) {
    throw CounterError(
        fmt::format("the counters of {} counted for {} ns of the {} ns that the process ran: "
                    "somebody else uses them too{}",
                    list(), running, enabled, kWayOut));
  }
  return std::move(reading.counts);
}

void PerfGroup::control(unsigned long request, std::uintptr_t argument, const char* what) {
  if (system_.control(numbers_.front(), request, argument) == 0) return;
  throw EnvironmentError(
      describe_errno(fmt::format("the counters of {} cannot {} (ioctl)", list(), what), errno));
}

PerfGroup::Reading PerfGroup::read() {
  // The layout in perf_event_open(2): the number of events, both times, then a count and an ID for
  // each.
  constexpr std::size_t kHeader = 3;
  constexpr std::size_t kSlack = 1;  // room for one more, to notice more than is expected
  std::vector<std::uint64_t> words(kHeader + 2 * (names_.size() + kSlack));
  const ssize_t got = system_.read(numbers_.front(), std::as_writable_bytes(std::span(words)));
  if (got < 0) {
    throw CounterError(
        describe_errno(fmt::format("the counters of {} cannot be read", list()), errno));
  }
  if (got == 0) {
    throw CounterError(
        fmt::format("the kernel could not keep {} in counters while the process ran: somebody else "
                    "holds some of them{}",
                    list(), kWayOut));
  }
  const std::size_t expected = kHeader + 2 * names_.size();
  if (static_cast<std::size_t>(got) != expected * sizeof(words[0]) || words[0] != names_.size()) {
    throw CounterError(fmt::format("the kernel gave {} bytes with {} counts for {}: expected {}",
                                   got, words[0], list(), names_.size()));
  }
  Reading reading{{words[1], words[2]}, {}};
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::size_t count = kHeader + 2 * i;
    if (words[count + 1] != ids_[i]) {
      throw CounterError(fmt::format("the kernel gave the counts of {} in another order", list()));
    }
    reading.counts.push_back(words[count]);
  }
  return reading;
}

std::string PerfGroup::list() const { return fmt::format("{}", fmt::join(names_, ", ")); }

}  // namespace assay
