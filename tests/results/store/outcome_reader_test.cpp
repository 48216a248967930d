#include "results/store/outcome_reader.h"

#include <gmock/gmock.h>

#include "profiler/support/error.h"
#include "results/store/store.h"
#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

BlockRecord block_of(Bytes bytes) { return {{std::move(bytes)}, "text", 2}; }

class OutcomeReaderTest : public ::testing::Test {
 protected:
  std::vector<StoredOutcome> read(std::optional<Notion> notion = std::nullopt,
                                  std::optional<std::string> corpus = std::nullopt) {
    OutcomeReader reader = store_.outcomes({campaign_, notion, std::move(corpus)});
    std::vector<StoredOutcome> all;
    while (auto outcome = reader.next()) all.push_back(std::move(*outcome));
    return all;
  }
  std::vector<Bytes> blocks(std::optional<Notion> notion = std::nullopt,
                            std::optional<std::string> corpus = std::nullopt) {
    std::vector<Bytes> all;
    for (const StoredOutcome& outcome : read(notion, corpus)) all.push_back(outcome.block.bytes);
    return all;
  }
  void put_looped(const BlockRecord& block) {
    Measurement looped = measured(2);
    looped.notion = Notion::kLooped;
    store_.put(campaign_, block, looped);
  }

  TemporaryFolder folder_;
  Store store_ = Store::open(folder_ / "results.sqlite");
  CampaignId campaign_ = some_campaign(store_);
};

TEST_F(OutcomeReaderTest, OrdersByBytesHoweverTheyWereStored) {
  for (const Bytes& bytes : {Bytes{0xFF}, Bytes{0x90, 0x00}, Bytes{0x90}, Bytes{0x00, 0x01}}) {
    store_.put(campaign_, block_of(bytes), measured(1));
  }
  EXPECT_THAT(blocks(),
              ElementsAre(Bytes{0x00, 0x01}, Bytes{0x90}, Bytes{0x90, 0x00}, Bytes{0xFF}));
}

TEST_F(OutcomeReaderTest, OrdersBlocksOfTheSameBytesByTheirStates) {
  const BlockRecord block = some_block(1);
  for (const char* const state : {"zero", "mem=0x40", "", "bhive"}) {
    put_looped(with_state(block, state));
    store_.put(campaign_, with_state(block, state), measured(1));
  }
  std::vector<std::string> all;
  for (const StoredOutcome& outcome : read()) {
    all.push_back(outcome.block.state + " " + std::string(name(outcome.measurement.notion)));
  }
  EXPECT_THAT(
      all, ElementsAre(" looped", " unrolled", "bhive looped", "bhive unrolled", "mem=0x40 looped",
                       "mem=0x40 unrolled", "zero looped", "zero unrolled"));
}

TEST_F(OutcomeReaderTest, GivesAllThatTheStoreKnows) {
  Measurement put = measured(1.5);
  put.traits = {Trait::kSplitLine};
  put.events = some_events();
  put.modes = some_modes();
  put.placements = some_placements();
  store_.put(campaign_, some_block(1), put);
  store_.add_source(some_block(1), some_source("z", 9, 0.25));
  store_.add_source(some_block(1), {"a", 8, std::nullopt, "sort/3", "libc"});
  const std::vector<StoredOutcome> all = read();
  ASSERT_EQ(all.size(), 1U);
  const auto& [block, measurement, measured_at, sources] = all[0];
  EXPECT_EQ(block.bytes, some_block(1).bytes);
  EXPECT_EQ(block.text, some_block(1).text);
  EXPECT_EQ(block.instructions, 1);
  EXPECT_EQ(measurement.instructions, 1);
  EXPECT_EQ(measurement.estimate.value().cycles, 1.5);
  EXPECT_EQ(measurement.estimate->half_width, 0.01);
  EXPECT_EQ(measurement.copies, 500);
  EXPECT_EQ(measurement.pages, 2);
  EXPECT_EQ(measurement.initial_state, "distinct");
  EXPECT_EQ(measurement.traits, Traits{Trait::kSplitLine});
  EXPECT_EQ(measurement.events, some_events());
  EXPECT_EQ(measurement.modes, some_modes());
  EXPECT_EQ(measurement.placements, some_placements());
  EXPECT_THAT(measured_at, ::testing::MatchesRegex("20[0-9]+-[0-9]+-[0-9]+T[0-9:]+Z"));
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[0].corpus, "a");
  EXPECT_EQ(sources[0].line, 8);
  EXPECT_EQ(sources[0].frequency, std::nullopt);
  EXPECT_EQ(sources[0].name, "sort/3");
  EXPECT_EQ(sources[0].origin, "libc");
  EXPECT_EQ(sources[1].corpus, "z");
  EXPECT_EQ(sources[1].frequency, 0.25);
}

TEST_F(OutcomeReaderTest, ALineSaysOfABlockWhatItSaidLast) {
  store_.put(campaign_, some_block(1), measured(1));
  store_.add_source(some_block(1), {"a", 8, 0.5, "old", "old"});
  store_.add_source(some_block(1), {"a", 8, 0.5, "new", "old"});
  EXPECT_EQ(read().at(0).sources.at(0).name, "new");
  store_.add_source(some_block(1), {"a", 8, 0.5, "new", "new"});
  const std::vector<StoredOutcome> all = read();
  ASSERT_EQ(all.at(0).sources.size(), 1U);
  EXPECT_EQ(all[0].sources[0].origin, "new");
}

TEST_F(OutcomeReaderTest, GivesTheRunsOfABlockWithoutAValue) {
  Measurement unstable = without_number(Reason::kUnstable);
  unstable.timed = {.runs = 400, .dropped = 3};
  store_.put(campaign_, some_block(1), unstable);
  store_.put(campaign_, some_block(2), without_number(Reason::kSystemCall));
  const std::vector<StoredOutcome> all = read();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].measurement.outcome.verdict(), Verdict::kRejected);
  EXPECT_EQ(all[0].measurement.outcome.detail, "at offset 0");
  EXPECT_EQ(all[0].measurement.timed.runs, 400);
  EXPECT_EQ(all[0].measurement.timed.dropped, 3);
  EXPECT_EQ(all[1].measurement.estimate, std::nullopt);
}

TEST_F(OutcomeReaderTest, ReadsOneNotionOrBoth) {
  put_looped(some_block(1));
  store_.put(campaign_, some_block(1), measured(1));
  store_.put(campaign_, some_block(2), measured(1));
  EXPECT_THAT(blocks(Notion::kLooped), ElementsAre(some_block(1).bytes));
  EXPECT_THAT(blocks(Notion::kUnrolled), ElementsAre(some_block(1).bytes, some_block(2).bytes));
  const std::vector<StoredOutcome> both = read();
  ASSERT_EQ(both.size(), 3U);
  EXPECT_EQ(both[0].measurement.notion, Notion::kLooped);
  EXPECT_EQ(both[1].measurement.notion, Notion::kUnrolled);
}

TEST_F(OutcomeReaderTest, ReadsTheBlocksOfOneCorpusWithTheirLinesInIt) {
  store_.put(campaign_, some_block(1), measured(1));
  store_.put(campaign_, some_block(2), measured(1));
  store_.add_source(some_block(1), some_source("a", 1, 0.5));
  store_.add_source(some_block(1), some_source("b", 2, 0.5));
  store_.add_source(some_block(2), some_source("b", 3, 0.5));
  EXPECT_EQ(store_.corpora(), (std::vector<std::string>{"a", "b"}));
  const std::vector<StoredOutcome> all = read(std::nullopt, "a");
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all[0].sources.size(), 1U);
  EXPECT_EQ(all[0].sources[0].corpus, "a");
  EXPECT_THAT(blocks(std::nullopt, "c"), IsEmpty());
}

TEST_F(OutcomeReaderTest, KeepsToItsCampaign) {
  store_.put(campaign_, some_block(1), measured(1));
  const CampaignId other = store_.campaign(some_machine(), some_environment(), "0.1.1", Settings{});
  EXPECT_EQ(store_.outcomes({other, std::nullopt, std::nullopt}).next(), std::nullopt);
}

}  // namespace
}  // namespace assay
