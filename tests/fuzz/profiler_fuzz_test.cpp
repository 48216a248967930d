// The short attack on the profiler: 20,000 inputs of a fixed seed. assay_fuzz makes longer ones.
#include <gtest/gtest.h>

#include <memory>

#include "profiler/support/error.h"
#include "tests/fuzz/attack.h"
#include "tests/fuzz/bundled_inputs.h"
#include "tests/processor_at_hand.h"

namespace assay::fuzz {
namespace {

constexpr std::uint64_t kProfilerSeed = 1;
constexpr std::uint64_t kProfilerInputs = 20'000;
constexpr std::uint64_t kParts = 4;  ///< each is a test of its own, so that they run in parallel
constexpr std::uint64_t kBetweenChecks = 500;

class ProfilerFuzz : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ProfilerFuzz, EveryInputHasItsVerdictAndTheHostStaysAsItWas) {
  const InputSource source = bundled_inputs(kProfilerSeed);
  std::unique_ptr<Attack> attack;
  try {
    attack = std::make_unique<Attack>(source, kProfilerSeed, processor_at_hand());
  } catch (const EnvironmentError& error) {
    GTEST_SKIP() << error.what();
  }
  const std::uint64_t first = GetParam() * (kProfilerInputs / kParts);
  for (std::uint64_t number = first; number < first + kProfilerInputs / kParts; ++number) {
    const auto wrong = attack->run(number);
    ASSERT_FALSE(wrong) << *wrong;
    const auto behind = attack->check_neighbour(number);
    ASSERT_FALSE(behind) << *behind;
    if (number % kBetweenChecks != kBetweenChecks - 1) continue;
    const auto around = attack->check_surroundings();
    ASSERT_FALSE(around) << *around << "\nafter one of the " << kBetweenChecks
                         << " inputs up to seed " << kProfilerSeed << ", number " << number;
  }
}

INSTANTIATE_TEST_SUITE_P(Part, ProfilerFuzz, testing::Range(std::uint64_t{0}, kParts));

}  // namespace
}  // namespace assay::fuzz
