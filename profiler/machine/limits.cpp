#include "profiler/machine/limits.h"

#include <algorithm>

namespace assay {
namespace {

constexpr MachineLimits kTable[] = {
    // AMD, "Software Optimization Guide for the AMD Zen4 Microarchitecture" (57647), 2.8 to 2.12:
    // four
    // integer units and decoders, six macro-ops dispatched, three loads, two stores. Measured on
    // family 25 model 17: 0.250 cycles for an addition, 0.167 for a register move, 0.333 for a
    // load, 0.499 for a store.
    {"zen4", 4, 6, 3, 2},
};

}  // namespace

double floor_of(const Demand& demand, const MachineLimits& limits) {
  return std::max({demand.operations / limits.operations_per_cycle,
                   demand.loads / limits.loads_per_cycle, demand.stores / limits.stores_per_cycle});
}

std::optional<MachineLimits> limits_of(std::string_view microarchitecture) {
  const auto found =
      std::ranges::find(kTable, microarchitecture, &MachineLimits::microarchitecture);
  if (found == std::end(kTable)) return std::nullopt;
  return *found;
}

}  // namespace assay
