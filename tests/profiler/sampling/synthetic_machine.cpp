#include "tests/profiler/sampling/synthetic_machine.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "profiler/sampling/canary.h"
#include "profiler/sampling/reference.h"
#include "profiler/support/error.h"

namespace assay {

std::vector<std::uint32_t> SyntheticMachine::series(const Round& round, int rounds) {
  const double own_speed = 1 + conditions_.series_deviation * normal_(random_);
  std::vector<std::uint32_t> readings;
  for (int i = 0; i < rounds; ++i) {
    for (const KernelRun& run : round) {
      const double cold = run.counts ? 1 : 2;
      const bool own = run.code == Code::kBlock;
      readings.push_back(read(cold * (own ? own_speed : 1) * cycles(run)));
    }
  }
  return readings;
}

double SyntheticMachine::cycles(const KernelRun& run) const {
  constexpr std::array kReferenceOfSize = {kReferenceSmallCopies, kReferenceLargeCopies};
  constexpr std::array kCanaryOfSize = {kCanarySmallCopies, kCanaryLargeCopies};
  switch (run.code) {
    case Code::kBlock: {
      const double copies = kSizes.at(run.size).real();
      return (copies + std::min(copies, conditions_.slow_copies)) * conditions_.cycles_per_copy *
             conditions_.neighbour;
    }
    case Code::kReference:
      return kReferenceOfSize.at(run.size).real();
    case Code::kCanary:
      return (kCanaryOfSize.at(run.size) * kCanaryAdditions).real() / kAdditionsPerCycle *
             conditions_.neighbour;
  }
  throw Error("a run of code outside its enumeration");
}

std::uint32_t SyntheticMachine::read(double cycles) {
  constexpr double kOverhead = 84;
  constexpr double kLongestInterrupt = 20'000;  // ticks
  double ticks = (cycles + kOverhead) / (kRatio * conditions_.frequency);
  if (uniform_(random_) < conditions_.interrupted_runs) {
    ticks += kLongestInterrupt * uniform_(random_);
  }
  constexpr double kTicks = kStep.count();
  const double phase = kTicks * uniform_(random_);
  return static_cast<std::uint32_t>(std::floor((phase + ticks) / kTicks) * kTicks);
}

}  // namespace assay
