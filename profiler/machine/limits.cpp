#include "profiler/machine/limits.h"

#include <algorithm>

namespace assay {
namespace {

constexpr MachineLimits kTable[] = {
    // Four integer units (AMD, "Software Optimization Guide for the AMD Zen4 Microarchitecture",
    // 2.10), as many decoders; measured: 0.2505 cycles an addition on family 25 model 17.
    {"zen4", 4},
};

}  // namespace

std::optional<MachineLimits> limits_of(std::string_view microarchitecture) {
  const auto found =
      std::ranges::find(kTable, microarchitecture, &MachineLimits::microarchitecture);
  if (found == std::end(kTable)) return std::nullopt;
  return *found;
}

}  // namespace assay
