// Decoding against the CPU: 100,000 random instructions of a fixed seed. assay_fuzz makes more.
#include "tests/fuzz/crosscheck.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "profiler/support/error.h"
#include "tests/fuzz/random_instruction.h"

namespace assay::fuzz {
namespace {

constexpr std::uint64_t kDecoderInstructions = 100'000;
constexpr std::uint64_t kDecoderParts = 4;

class DecoderFuzz : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    try {
      crosscheck_ = std::make_unique<Crosscheck>();
    } catch (const EnvironmentError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  std::unique_ptr<Crosscheck> crosscheck_;
};

TEST_P(DecoderFuzz, TheCpuDoesWhatDecodingSays) {
  int wrong = 0;
  for (std::uint64_t i = 0; i < kDecoderInstructions / kDecoderParts && wrong < 20; ++i) {
    Random random(GetParam() * kDecoderInstructions + i);
    const auto found = crosscheck_->check(random_instruction(random));
    if (!found) continue;
    ADD_FAILURE() << *found;
    ++wrong;
  }
  const Crosscheck::Figures& figures = crosscheck_->figures();
  EXPECT_GT(figures.compared, figures.given / 8);
  fmt::print("{} instructions, {} decoded, {} compared\n", figures.given, figures.decoded,
             figures.compared);
}

INSTANTIATE_TEST_SUITE_P(Part, DecoderFuzz, testing::Range(std::uint64_t{0}, kDecoderParts));

}  // namespace
}  // namespace assay::fuzz
