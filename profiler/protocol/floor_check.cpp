#include "profiler/protocol/floor_check.h"

#include <fmt/format.h>

namespace assay {

bool is_below(const Estimate& estimate, double floor) {
  constexpr double kMargin = 0.01;
  return floor > 0 && estimate.cycles + estimate.half_width < (1 - kMargin) * floor;
}

std::string describe_below(const Estimate& estimate, double floor) {
  return fmt::format("{:.3f} +- {:.3f} cycles, and at least {:.3f} are needed", estimate.cycles,
                     estimate.half_width, floor);
}

}  // namespace assay
