#include "profiler/counters/papi_group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <papi.h>
#include <pthread.h>

namespace assay {
namespace {

constexpr const char* kComponent = "perf_event";

std::string words(int result) {
  const char* const text = PAPI_strerror(result);
  return text == nullptr ? "an error that PAPI has no words for" : text;
}

template <typename Exception = EnvironmentError>
void check(int result, const std::string& what) {
  if (result != PAPI_OK) throw Exception(fmt::format("{}: {}", what, words(result)));
}

/// Whether the error concerns the event alone. These are the errors that PAPI makes of ENOENT,
/// EINVAL, ENODEV and EOPNOTSUPP (map_perf_event_errors_to_papi in its perf_event.c), and its own
/// errors for events that the CPU does not have.
bool concerns_event_alone(int result) {
  return result == PAPI_ENOEVNT || result == PAPI_ECNFLCT || result == PAPI_EINVAL ||
         result == PAPI_ENOSUPP;
}

std::string version_text(int version) {
  return fmt::format("{}.{}", PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version));
}

void initialise_library() {
  const int result = PAPI_library_init(PAPI_VER_CURRENT);
  if (result > 0 && result != PAPI_VER_CURRENT) {
    throw EnvironmentError(fmt::format("PAPI is of version {}, and assay was built with {}",
                                       version_text(result), version_text(PAPI_VER_CURRENT)));
  }
  if (result != PAPI_VER_CURRENT) {
    throw EnvironmentError(fmt::format("PAPI cannot be initialised: {}", words(result)));
  }
  check(PAPI_thread_init([] { return static_cast<unsigned long>(pthread_self()); }),
        "PAPI cannot be used by threads");
}

/// The number of the component perf_event, which must be enabled.
int find_component() {
  initialise_library();
  const int component = PAPI_get_component_index(kComponent);
  const PAPI_component_info_t* info = component < 0 ? nullptr : PAPI_get_component_info(component);
  if (info == nullptr) {
    throw EnvironmentError(fmt::format("PAPI was built without its component {}", kComponent));
  }
  if (info->disabled != PAPI_OK) {
    throw EnvironmentError(fmt::format("PAPI disabled its component {}: {} ({})", kComponent,
                                       info->disabled_reason, words(info->disabled)));
  }
  check(PAPI_set_cmp_domain(PAPI_DOM_USER, component), "PAPI cannot count user mode only");
  return component;
}

int component() {
  static const int number = find_component();  // initialised again by the next call if it throws
  return number;
}

}  // namespace

bool papi_starts() {
  try {
    component();
    return true;
  } catch (const EnvironmentError&) {
    return false;
  }
}

bool papi_has(const std::string& event) {
  component();
  return PAPI_query_named_event(event.c_str()) == PAPI_OK;
}

PapiGroup::PapiGroup(std::span<const EventRequest> events, std::optional<pid_t> process)
    : set_(PAPI_NULL) {
  const int number = component();
  check(PAPI_create_eventset(&set_), "PAPI cannot create an event set");
  try {
    check(PAPI_assign_eventset_component(set_, number), "PAPI cannot use its component perf_event");
    if (process) {
      check(PAPI_attach(set_, static_cast<unsigned long>(*process)),
            "PAPI cannot count another process (PAPI_attach, which tries a counter)");
    }
    for (const EventRequest& event : events) add(event);
  } catch (...) {
    release();
    throw;
  }
}

PapiGroup::~PapiGroup() { release(); }

void PapiGroup::add(const EventRequest& event) {
  const int result = PAPI_add_named_event(set_, event.specification.c_str());
  const std::string what =
      fmt::format("event {}: PAPI cannot count it{}{}", event.name,
                  names_.empty() ? "" : " together with ", fmt::join(names_, ", "));
  if (names_.size() == 1 && concerns_event_alone(result)) check<InputError>(result, what);
  check(result, what);
  names_.push_back(event.name);
}

void PapiGroup::start() {
  if (running_) {
    std::vector<long long> ignored(names_.size());
    end(ignored);
  }
  check<CounterError>(PAPI_start(set_), "PAPI cannot start its counters");
  running_ = true;
}

std::vector<std::uint64_t> PapiGroup::stop() {
  std::vector<long long> counts(names_.size());
  check<CounterError>(end(counts),
                      fmt::format("PAPI could not keep {} in counters while the process ran: "
                                  "somebody else holds some of them; end other profilers, and as "
                                  "root: sysctl kernel.nmi_watchdog=0, which frees a counter",
                                  fmt::join(names_, ", ")));
  if (!counts.empty() && counts.front() == 0) {
    throw CounterError(
        fmt::format("PAPI counted no {} while the process ran: the core that it "
                    "runs on has no such counter",
                    names_.front()));
  }
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) {
      throw CounterError(fmt::format("PAPI says {} of {}: it calculates that event from others",
                                     counts[i], names_[i]));
    }
    result.push_back(static_cast<std::uint64_t>(counts[i]));
  }
  return result;
}

/// Stops the set and reads its counts. PAPI leaves a set that it cannot read running, so that it
/// can neither be stopped nor freed. But it allows a set that counts another process to be started
/// once more, and then to be stopped: that process is not running, so that nothing can be lost.
int PapiGroup::end(std::span<long long> counts) {
  running_ = false;
  const int result = PAPI_stop(set_, counts.data());
  if (result != PAPI_OK && PAPI_start(set_) == PAPI_OK) {
    std::vector<long long> ignored(counts.size());
    PAPI_stop(set_, ignored.data());
  }
  return result;
}

void PapiGroup::release() {
  if (running_) {
    std::vector<long long> ignored(names_.size());
    end(ignored);
  }
  PAPI_cleanup_eventset(set_);
  PAPI_destroy_eventset(&set_);
}

}  // namespace assay
