#include "tests/profiler/sampling/synthetic_machine.h"

#include <algorithm>
#include <cmath>

#include "profiler/sampling/canary.h"
#include "profiler/sampling/reference.h"
#include "profiler/support/error.h"

namespace assay {

std::vector<std::uint32_t> SyntheticMachine::series(const Round& round, int rounds) {
  const double own_speed = 1 + conditions_.series_deviation * normal_(random_);
  std::vector<std::uint32_t> readings;
  for (int i = 0; i < rounds; ++i) {
    for (const Turn& turn : round) {
      const double cold = turn.counts ? 1 : 2;
      const bool own = static_cast<std::size_t>(turn.slot) < kBlockSlots;
      readings.push_back(read(cold * (own ? own_speed : 1) * cycles(turn.slot)));
    }
  }
  return readings;
}

double SyntheticMachine::cycles(Slot slot) const {
  const auto block = [&](double copies) {
    return (copies + std::min(copies, conditions_.slow_copies)) * conditions_.cycles_per_copy *
           conditions_.neighbour;
  };
  const auto canary = [&](std::int64_t copies) {
    return static_cast<double>(copies * kCanaryAdditions) / kAdditionsPerCycle *
           conditions_.neighbour;
  };
  switch (slot) {
    case Slot::kQuarter:
      return block(kCopies.quarter);
    case Slot::kHalf:
      return block(kCopies.half);
    case Slot::kFull:
      return block(kCopies.full);
    case Slot::kReferenceSmall:
      return kReferenceSmallCopies;
    case Slot::kReferenceLarge:
      return kReferenceLargeCopies;
    case Slot::kCanarySmall:
      return canary(kCanarySmallCopies);
    case Slot::kCanaryLarge:
      return canary(kCanaryLargeCopies);
  }
  throw Error("a slot outside its enumeration");
}

std::uint32_t SyntheticMachine::read(double cycles) {
  constexpr double kOverhead = 84;
  constexpr double kLongestInterrupt = 20'000;  // ticks
  double ticks = (cycles + kOverhead) / (kRatio * conditions_.frequency);
  if (uniform_(random_) < conditions_.interrupted_runs) {
    ticks += kLongestInterrupt * uniform_(random_);
  }
  const double phase = kStep * uniform_(random_);
  return static_cast<std::uint32_t>(std::floor((phase + ticks) / kStep)) * kStep;
}

}  // namespace assay
