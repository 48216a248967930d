#include "profiler/protocol/floor_check.h"

#include <fmt/format.h>

namespace assay {

namespace {

constexpr double kClockMargin = 0.01;

}  // namespace

bool is_below(const Estimate& estimate, double floor) {
  return floor > 0 && estimate.cycles + estimate.half_width < (1 - kClockMargin) * floor;
}

bool is_in_doubt(const Estimate& estimate, double floor) {
  return floor > 0 && estimate.cycles < (1 - kClockMargin) * floor && !is_below(estimate, floor);
}

std::string describe_below(const Estimate& estimate, double floor) {
  return fmt::format("{:.3f} +- {:.3f} cycles, and at least {:.3f} are needed", estimate.cycles,
                     estimate.half_width, floor);
}

}  // namespace assay
