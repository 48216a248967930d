#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "profiler/counters/backend.h"
#include "profiler/counters/module_backend.h"
#include "profiler/counters/papi_backend.h"
#include "profiler/counters/perf_backend.h"
#include "profiler/counters/tsc_backend.h"
#include "profiler/support/error.h"

namespace assay {

std::string describe(const Availability& refusal) {
  return refusal.remedy.empty() ? refusal.why : refusal.why + "; " + refusal.remedy;
}

std::string_view name(ReadMethod method) {
  switch (method) {
    case ReadMethod::kTsc:
      return "rdtsc";
    case ReadMethod::kRdpmc:
      return "rdpmc";
    case ReadMethod::kAround:
      return "around";
  }
  throw Error("a method of reading outside its enumeration");
}

std::span<const std::string_view> backend_names() {
  static constexpr std::array<std::string_view, 4> kNames = {"perf", "papi", "tsc", "module"};
  return kNames;
}

std::unique_ptr<CounterBackend> backend_named(std::string_view name) {
  if (name == "perf") return std::make_unique<PerfBackend>();
  if (name == "papi") return std::make_unique<PapiBackend>();
  if (name == "tsc") return std::make_unique<TscBackend>();
  if (name == "module") return std::make_unique<ModuleBackend>();
  throw InputError(
      fmt::format("no clock \"{}\": there are {}", name, fmt::join(backend_names(), ", ")));
}

}  // namespace assay
