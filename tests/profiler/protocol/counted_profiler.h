#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "profiler/machine/identity.h"
#include "profiler/machine/limits.h"
#include "profiler/protocol/profiler.h"
#include "tests/processor_at_hand.h"
#include "tests/profiler/running/simulated_core.h"
#include "tests/profiler/subject/rdpmc.h"

namespace assay {

/// A profiler on a simulated core, with counters that are read by one of the methods.
class CountedProfiler : public testing::TestWithParam<ReadMethod> {
 protected:
  /// The block takes two core cycles a copy, which gives exact numbers at all sizes.
  static constexpr double kCycles = 2;

  CountedProfiler() {
    // Times must not decide anything here, and need not: made-up readings are exact at once.
    settings_.sampling_budget = std::chrono::minutes(1);
    settings_.visit_patience = std::chrono::minutes(1);
  }

  void SetUp() override {
    if (GetParam() == ReadMethod::kRdpmc && !rdpmc_faults()) {
      GTEST_SKIP() << "this system lets every process use RDPMC";
    }
    if (!limits_of(identify_machine().microarchitecture)) {
      GTEST_SKIP() << "this CPU's limits are not in the table, and cannot be measured on a "
                      "simulated core";
    }
  }

  /// The profiler, made at the first call.
  Profiler& profiler(std::span<const ValidationEvent> validation = {}) {
    if (!profiler_) {
      profiler_.emplace(settings_, processor_at_hand(), core_.backend(), core_.emulator(),
                        validation);
    }
    return *profiler_;
  }
  Measurement measure(Notion notion = Notion::kUnrolled) {
    return profiler().measure({core_.block}, notion, {.attempts = &attempts_});
  }
  /// Measures until the machine that the simulated core runs on does not disturb it.
  Measurement measure_undisturbed() {
    constexpr int kMostTries = 50;
    Measurement found = measure();
    for (int i = 1; i < kMostTries && found.outcome.reason == Reason::kInterference; ++i) {
      found = measure();
    }
    return found;
  }
  /// Adds an event, with how often it happens in a run.
  void add_event(const std::string& name, SimulatedCore::Count count) {
    core_.events[name] = std::move(count);
    settings_.events.push_back({name, name});
  }

  Settings settings_;
  std::vector<Attempt> attempts_;                                      ///< of the last measure()
  SimulatedCore core_{GetParam(), bytes_from_hex("488b03"), kCycles};  // mov rax, [rbx]
  std::optional<Profiler> profiler_;
};

inline std::string name_of_method(const testing::TestParamInfo<ReadMethod>& method) {
  return method.param == ReadMethod::kRdpmc ? "Rdpmc" : "Around";
}

}  // namespace assay
