#include "suites/filter/block_sample.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::Pair;

CorpusEntry entry(std::uint8_t number, std::int64_t line = 0) {
  CorpusEntry made;
  made.bytes = {0x90, number};
  made.line = line;
  return made;
}

std::vector<int> numbers(BlockSample sample) {
  std::vector<int> numbers;
  for (const CorpusEntry& drawn : sample.take()) numbers.push_back(drawn.bytes.at(1));
  return numbers;
}

BlockSample of_hundred(std::uint64_t seed) {
  BlockSample sample(5, seed);
  for (int i = 0; i < 100; ++i) sample.add_unweighted(entry(static_cast<std::uint8_t>(i)));
  return sample;
}

// A sample that was drawn once must be drawn again for ever, on every machine.
TEST(BlockSample, IsTheSameForTheSameSeed) {
  EXPECT_EQ(numbers(of_hundred(1)), numbers(of_hundred(1)));
  EXPECT_THAT(numbers(of_hundred(1)), ElementsAre(2, 5, 8, 27, 54));
  EXPECT_NE(numbers(of_hundred(1)), numbers(of_hundred(2)));
  BlockSample weighted(5, 1);
  for (int i = 0; i < 100; ++i) weighted.add(entry(static_cast<std::uint8_t>(i)), i);
  EXPECT_THAT(numbers(weighted), ElementsAre(20, 46, 60, 62, 84));
}

TEST(BlockSample, KeepsTheOrderOfTheStreamAndTakesAllOfAShortOne) {
  BlockSample sample(10, 7);
  for (const int number : {9, 3, 5})
    sample.add_unweighted(entry(static_cast<std::uint8_t>(number)));
  EXPECT_THAT(numbers(sample), ElementsAre(9, 3, 5));
}

TEST(BlockSample, DrawsABlockOnce) {
  BlockSample sample(10, 7);
  for (int i = 0; i < 4; ++i) {
    sample.add_unweighted(entry(1, i + 1));
    sample.add(entry(2, i + 1), 3);
  }
  const auto drawn = sample.take();
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_EQ(drawn[0].line, 1);
  EXPECT_EQ(drawn[1].line, 1);
}

CorpusEntry weighing(std::uint8_t number, double weight) {
  CorpusEntry made = entry(number);
  made.frequency = weight;
  return made;
}

std::vector<std::pair<int, double>> weights(BlockSample sample) {
  std::vector<std::pair<int, double>> weights;
  for (const CorpusEntry& drawn : sample.take()) {
    weights.emplace_back(drawn.bytes.at(1), drawn.frequency.value_or(-1));
  }
  return weights;
}

TEST(BlockSample, GivesABlockTheSumOfItsWeights) {
  BlockSample alike(10, 7);
  for (const double weight : {0.5, 3.0, 4.0}) alike.add_unweighted(weighing(1, weight));
  alike.add_unweighted(entry(2));
  alike.add_unweighted(weighing(2, 8));
  alike.add_unweighted(entry(2));
  alike.add_unweighted(entry(3));
  EXPECT_THAT(weights(alike), ElementsAre(Pair(1, 7.5), Pair(2, 8), Pair(3, -1)));
  BlockSample huge(10, 7);
  for (int i = 0; i < 2; ++i) huge.add_unweighted(weighing(1, 1.5e308));
  EXPECT_TRUE(std::isfinite(huge.take().at(0).frequency.value()));
}

// Lines of a block count even if they came before the line with which it was drawn.
TEST(BlockSample, GivesABlockDrawnByWeightTheSumOfItsWeights) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    BlockSample sample(1, seed);
    for (int round = 0; round < 3; ++round) {
      for (const int number : {1, 2, 3}) {
        sample.add(weighing(static_cast<std::uint8_t>(number), number), number);
      }
    }
    for (const auto& [number, weight] : weights(sample)) EXPECT_EQ(weight, 3 * number) << seed;
  }
}

TEST(BlockSample, TellsBlocksOfDifferentStatesApart) {
  BlockSample sample(10, 7);
  CorpusEntry with_state = entry(1);
  with_state.state = "bhive";
  sample.add_unweighted(entry(1));
  sample.add_unweighted(with_state);
  EXPECT_EQ(sample.take().size(), 2U);
  sample.add(entry(1), 1);
  sample.add(with_state, 1);
  EXPECT_EQ(sample.take().size(), 2U);
}

TEST(BlockSample, DrawsAllBlocksAlikeWithoutWeights) {
  int first_half = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    for (const int number : numbers(of_hundred(seed))) first_half += number < 50 ? 1 : 0;
  }
  EXPECT_NEAR(first_half, 1000, 100);  // of 2000; the standard deviation is 22
}

enum class Order { kLightFirst, kHeavyFirst };

/// Draws one of two blocks 2000 times, and returns how often it was the second. The weights are 1
/// and `heavy`, the latter spread over so many lines.
int times_second(double heavy, int parts, Order order) {
  int times = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    BlockSample sample(1, seed);
    if (order == Order::kLightFirst) sample.add(entry(1), 1);
    for (int i = 0; i < parts; ++i) sample.add(entry(2), heavy / parts);
    if (order == Order::kHeavyFirst) sample.add(entry(1), 1);
    times += numbers(sample).front() == 2 ? 1 : 0;
  }
  return times;
}

TEST(BlockSample, DrawsInProportionToWeights) {
  for (const Order order : {Order::kLightFirst, Order::kHeavyFirst}) {
    EXPECT_NEAR(times_second(1, 1, order), 1000, 110);  // five standard deviations
    EXPECT_NEAR(times_second(3, 1, order), 1500, 100);
    EXPECT_NEAR(times_second(3, 4, order), 1500, 100);  // the sum of four lines
  }
}

TEST(BlockSample, NeverDrawsABlockOfNoWeight) {
  BlockSample sample(3, 1);
  sample.add(entry(1), 0);
  sample.add(entry(2), 1e-300);
  EXPECT_THAT(numbers(sample), ElementsAre(2));
}

TEST(PortableLog, IsTheNaturalLogarithm) {
  for (double value = 1; value > 1e-17; value *= 0.83) {
    const double exact = std::log(value);
    EXPECT_NEAR(portable_log(value), exact, 1e-15 * std::max(1e-3, std::abs(exact))) << value;
  }
  EXPECT_EQ(portable_log(1), 0);
}

}  // namespace
}  // namespace assay
