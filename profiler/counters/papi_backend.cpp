#include "profiler/counters/papi_backend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <papi.h>
#include <pthread.h>

#include <algorithm>

#include "profiler/block/error.h"
#include "profiler/counters/perf_backend.h"
#include "profiler/counters/perf_trial.h"

namespace assay {
namespace {

constexpr const char* kComponent = "perf_event";
const EventRequest kCycles{"PAPI_TOT_CYC", "PAPI_TOT_CYC", false};

std::string describe_papi(const std::string& what, int status) {
  const char* const words = PAPI_strerror(status);
  return fmt::format("{}: {} (PAPI's error {})", what, words == nullptr ? "unknown error" : words,
                     status);
}

/// Throws EnvironmentError if PAPI cannot be used at all.
void start_library() {
  const int version = PAPI_is_initialized() == PAPI_NOT_INITED ? PAPI_library_init(PAPI_VER_CURRENT)
                                                               : PAPI_VER_CURRENT;
  if (version != PAPI_VER_CURRENT) {
    throw EnvironmentError(
        version > 0
            ? fmt::format("PAPI is of version {}.{}, and assay was built for {}.{}",
                          PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version),
                          PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION))
            : describe_papi("PAPI cannot be started", version));
  }
  PAPI_set_debug(PAPI_QUIET);
  // Told apart by thread, since a measurement belongs to the thread that began it.
  const int status = PAPI_thread_init([] { return static_cast<unsigned long>(pthread_self()); });
  if (status != PAPI_OK) throw EnvironmentError(describe_papi("PAPI cannot use threads", status));
}

/// The number of the component that counts a CPU's events.
int find_component() {
  start_library();
  const int component = PAPI_get_component_index(kComponent);
  const PAPI_component_info_t* const info =
      component < 0 ? nullptr : PAPI_get_component_info(component);
  if (info == nullptr) {
    throw EnvironmentError(fmt::format("PAPI was built without its component {}", kComponent));
  }
  if (info->disabled != 0) {
    throw EnvironmentError(
        fmt::format("PAPI's component {} is off: {}", kComponent, info->disabled_reason));
  }
  return component;
}

/// Errors that no other choice of events would mend.
bool concerns_machine(int status) {
  return status == PAPI_EPERM || status == PAPI_ESYS || status == PAPI_ENOMEM ||
         status == PAPI_ECOUNT || status == PAPI_ECMP_DISABLED;
}

class PapiGroup : public CounterGroup {
 public:
  explicit PapiGroup(pid_t process) {
    const int component = find_component();
    check(PAPI_create_eventset(&set_), "PAPI makes no set of events");
    check(PAPI_assign_eventset_component(set_, component), "PAPI counts no events of the CPU");
    constexpr pid_t kThisThread = 0;
    if (process == kThisThread) return;
    check(PAPI_attach(set_, static_cast<unsigned long>(process)),
          "PAPI cannot count another process");
  }
  ~PapiGroup() override {
    if (set_ == PAPI_NULL) return;
    if (running_) PAPI_stop(set_, nullptr);
    PAPI_cleanup_eventset(set_);
    PAPI_destroy_eventset(&set_);
  }
  PapiGroup(const PapiGroup&) = delete;
  PapiGroup& operator=(const PapiGroup&) = delete;

  void add(const EventRequest& event) {
    const int status = PAPI_add_named_event(set_, event.specification.c_str());
    if (status == PAPI_OK) {
      names_.push_back(event.name);
      return;
    }
    const std::string message =
        describe_papi(fmt::format("event \"{}\" cannot be counted", event.name), status);
    if (concerns_machine(status)) throw EnvironmentError(message);
    throw InputError(message + "; papi_avail and papi_native_avail list what there is");
  }

  ReadMethod method() const override { return ReadMethod::kAround; }
  std::span<const std::string> names() const override { return names_; }

  void start() override {
    const int status = PAPI_start(set_);
    if (status != PAPI_OK) throw CounterError(describe_papi("PAPI cannot start " + list(), status));
    running_ = true;
  }

  std::vector<std::uint64_t> stop() override {
    std::vector<long long> values(names_.size());
    const int status = PAPI_stop(set_, values.data());
    if (status != PAPI_OK) {
      throw CounterError(describe_papi("PAPI lost " + list(), status) +
                         "; end other profilers, and as root: sysctl kernel.nmi_watchdog=0");
    }
    running_ = false;
    return {values.begin(), values.end()};
  }

 private:
  void check(int status, const char* what) const {
    if (status != PAPI_OK) throw EnvironmentError(describe_papi(what, status));
  }
  std::string list() const { return fmt::format("{}", fmt::join(names_, ", ")); }

  int set_ = PAPI_NULL;
  std::vector<std::string> names_;
  bool running_ = false;
};

std::vector<std::uint64_t> count_this_thread(std::span<const EventRequest> events) {
  const auto group = open_papi_group(events, 0);
  group->start();
  keep_busy();
  return group->stop();
}

bool can_count(std::span<const EventRequest> events) {
  try {
    count_this_thread(events);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::unique_ptr<CounterGroup> open_papi_group(std::span<const EventRequest> events, pid_t process) {
  auto group = std::make_unique<PapiGroup>(process);
  for (const EventRequest& event : events) group->add(event);
  return group;
}

Availability PapiBackend::probe(int processor) {
  std::string why;
  try {
    if (count_this_thread({&kCycles, 1}).front() > 0) return {true, "", ""};
    why = "PAPI counts no core cycles: its counter stands still";
  } catch (const Error& error) {
    why = error.what();
  }
  // PAPI tells its own errors only; the kernel's interface below it knows the cause.
  const Availability kernel = PerfBackend().probe(processor);
  if (kernel.works) return {false, why, "use the clock perf, which works"};
  return {false, fmt::format("{}; below PAPI, {}", why, kernel.why), kernel.remedy};
}

std::vector<EventRequest> PapiBackend::test_events() const {
  return {{"PAPI_TOT_INS", "PAPI_TOT_INS", false}, {"PAPI_BR_INS", "PAPI_BR_INS", false}};
}

std::vector<std::unique_ptr<CounterGroup>> PapiBackend::open(pid_t process, int,
                                                             std::span<const EventRequest> events) {
  if (passes_.empty() || !std::ranges::equal(events_, events)) {
    const auto require = [](const auto& pass) { count_this_thread(pass); };
    passes_ = share_out(kCycles, events, limits_, can_count, require);
    passes_.insert(passes_.begin(), {kCycles});
    events_.assign(events.begin(), events.end());
  }
  std::vector<std::unique_ptr<CounterGroup>> groups;
  for (const auto& pass : passes_) groups.push_back(open_papi_group(pass, process));
  return groups;
}

}  // namespace assay
