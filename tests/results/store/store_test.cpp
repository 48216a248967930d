#include "results/store/store.h"
#include "results/findings/summary.h"
#include "results/store/content_digest.h"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>

#include <limits>

#include "profiler/support/error.h"
#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

class StoreTest : public ::testing::Test {
 protected:
  /// Changes the store as assay does, so that it is whole.
  void exec(const std::string& sql) const {
    SQLite::Database database(path_, SQLite::OPEN_READWRITE);
    keep_digests(database);
    database.exec(sql);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "results.sqlite";
};

TEST_F(StoreTest, IsCreatedAndLeavesOneFileWhenClosed) {
  { Store::open(path_); }
  EXPECT_THAT(snapshot(folder_.path()), ElementsAre(::testing::Key("results.sqlite")));
}

TEST_F(StoreTest, AnEmptyFileBecomesAStore) {
  write_file(path_, "");
  { Store::open(path_); }
  EXPECT_TRUE(Store::open_read_only(path_).campaigns().empty());
}

TEST_F(StoreTest, TakesANameThatSqliteWouldTakeForAnother) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  { Store::open(":memory:"); }
  { Store::open("file:a?mode=memory"); }
  std::filesystem::current_path(before);
  EXPECT_THAT(snapshot(folder_.path()),
              ElementsAre(::testing::Key(":memory:"), ::testing::Key("file:a?mode=memory")));
}

TEST_F(StoreTest, HasWhatWasPutBeforeAndAfterItIsOpenedAgain) {
  {
    Store store = Store::open(path_);
    const CampaignId campaign = some_campaign(store);
    EXPECT_FALSE(store.has(campaign, some_block(1), Notion::kUnrolled));
    store.put(campaign, some_block(1), measured(1.5));
    EXPECT_TRUE(store.has(campaign, some_block(1), Notion::kUnrolled));
  }
  Store store = Store::open(path_);
  const CampaignId campaign = some_campaign(store);
  EXPECT_TRUE(store.has(campaign, some_block(1), Notion::kUnrolled));
  EXPECT_FALSE(store.has(campaign, some_block(2), Notion::kUnrolled));
}

TEST_F(StoreTest, TellsTheReasonOfAnOutcome) {
  Store store = Store::open(path_);
  const CampaignId campaign = some_campaign(store);
  store.put(campaign, some_block(1), measured(1));
  store.put(campaign, some_block(2), without_number(Reason::kInterference));
  EXPECT_EQ(store.outcome(campaign, some_block(1), Notion::kUnrolled), Reason::kNone);
  EXPECT_EQ(store.outcome(campaign, some_block(1), Notion::kLooped), std::nullopt);
  EXPECT_EQ(store.outcome(campaign, some_block(2), Notion::kUnrolled), Reason::kInterference);
}

TEST_F(StoreTest, WhatIsNotSettledIsReplacedAndWhatIsStays) {
  Store store = Store::open(path_);
  const CampaignId campaign = some_campaign(store);
  store.put(campaign, some_block(1), without_number(Reason::kUnstable));
  EXPECT_FALSE(store.has(campaign, some_block(1), Notion::kUnrolled));
  Measurement settled = without_number(Reason::kUnstable);
  settled.settled = true;
  settled.visits = 6;
  store.put(campaign, some_block(1), settled);
  EXPECT_TRUE(store.has(campaign, some_block(1), Notion::kUnrolled));
  EXPECT_THROW(store.put(campaign, some_block(1), measured(1)), Error);
  Measurement open = measured(1);
  open.settled = false;
  EXPECT_THROW(store.put(campaign, some_block(2), open), Error) << "a value is settled";
}

TEST_F(StoreTest, HasABlockUnderEachNotionByItself) {
  Store store = Store::open(path_);
  const CampaignId campaign = some_campaign(store);
  store.put(campaign, some_block(1), measured(1.5));
  EXPECT_FALSE(store.has(campaign, some_block(1), Notion::kLooped));
  Measurement looped = measured(1.25);
  looped.notion = Notion::kLooped;
  store.put(campaign, some_block(1), looped);
  EXPECT_TRUE(store.has(campaign, some_block(1), Notion::kLooped));
}

TEST_F(StoreTest, HasABlockUnderEachStateOfItsOwn) {
  Store store = Store::open(path_);
  const CampaignId campaign = some_campaign(store);
  const BlockRecord plain = some_block(1), zero = with_state(plain, "zero"),
                    other = with_state(plain, "mem=0x40");
  store.put(campaign, zero, measured(2));
  EXPECT_TRUE(store.has(campaign, zero, Notion::kUnrolled));
  EXPECT_FALSE(store.has(campaign, plain, Notion::kUnrolled));
  EXPECT_FALSE(store.has(campaign, other, Notion::kUnrolled));
  store.put(campaign, plain, measured(1));
  store.put_recheck(campaign, plain, measured(1));
  EXPECT_TRUE(store.has_recheck(campaign, plain, Notion::kUnrolled));
  EXPECT_FALSE(store.has_recheck(campaign, zero, Notion::kUnrolled));
  EXPECT_THROW(store.put_recheck(campaign, other, measured(1)), Error);
  std::vector<std::string> states;
  for (const auto& [block, got, measured_at, sources] : all_outcomes(store, campaign)) {
    states.push_back(block.state);
    EXPECT_EQ(got.estimate.value().cycles, block.state.empty() ? 1 : 2);
  }
  EXPECT_THAT(states, ElementsAre("", "zero"));
}

TEST_F(StoreTest, OneCampaignHasNotWhatAnotherHas) {
  Store store = Store::open(path_);
  const CampaignId first = some_campaign(store);
  const CampaignId second = store.campaign(some_machine(), some_environment(), "0.2.0", Settings{});
  store.put(first, some_block(1), measured(1.5));
  EXPECT_FALSE(store.has(second, some_block(1), Notion::kUnrolled));
  store.put(second, some_block(1), measured(1.5));
  EXPECT_TRUE(store.has(second, some_block(1), Notion::kUnrolled));
}

TEST_F(StoreTest, GivesBackAllFieldsOfAMeasurement) {
  Store store = Store::open(path_);
  const CampaignId campaign = some_campaign(store);
  Measurement put = measured(0.25);
  put.notion = Notion::kLooped;
  put.outcome.detail = "at offset 0";
  put.instructions = 1;
  put.pages = 3;
  put.initial_state = "apart";
  put.traits = {Trait::kSplitLine, Trait::kSubnormal};
  put.events = some_events();
  put.modes = some_modes();
  store.put(campaign, some_block(7), put);
  const std::vector<StoredOutcome> got = all_outcomes(store, campaign);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].block, some_block(7));
  EXPECT_EQ(got[0].block.text, "mov eax, 7");
  EXPECT_EQ(got[0].block.instructions, 1);
  EXPECT_EQ(got[0].measurement, put);
}

TEST_F(StoreTest, AnOutcomeOfTheMomentIsTriedAgainAndReplaced) {
  Store store = Store::open(path_);
  const CampaignId campaign = some_campaign(store);
  store.put(campaign, some_block(1), without_number(Reason::kInterference));
  EXPECT_FALSE(store.has(campaign, some_block(1), Notion::kUnrolled));
  EXPECT_EQ(summarize(store, campaign).total(), 1);
  store.put(campaign, some_block(1), without_number(Reason::kInterference));
  store.put(campaign, some_block(1), measured(1.5));
  EXPECT_TRUE(store.has(campaign, some_block(1), Notion::kUnrolled));
  EXPECT_EQ(summarize(store, campaign).total(), 1);
  EXPECT_EQ(summarize(store, campaign).count(Verdict::kMeasured), 1);
  EXPECT_THROW(store.put(campaign, some_block(1), measured(1.5)), Error);
}

TEST_F(StoreTest, DoesNotKeepAnEstimateThatWasNotGoodEnough) {
  Store store = Store::open(path_);
  const CampaignId campaign = some_campaign(store);
  Measurement put = without_number(Reason::kUnstable);
  put.estimate = Estimate{.cycles = 0.25, .half_width = 7.5};
  EXPECT_THROW(store.put(campaign, some_block(7), put), Error);
  put.estimate.reset();
  put.timed = {.runs = 12, .dropped = 5};
  store.put(campaign, some_block(7), put);
  const Measurement got = all_outcomes(store, campaign).at(0).measurement;
  EXPECT_EQ(got.outcome.verdict(), Verdict::kRejected);
  EXPECT_EQ(got.timed, put.timed);
  EXPECT_FALSE(got.estimate);
}

TEST_F(StoreTest, KeepsABlockOfNoBytes) {
  Store store = Store::open(path_);
  const CampaignId campaign = some_campaign(store);
  store.put(campaign, BlockRecord{}, without_number(Reason::kEmptyBlock));
  EXPECT_TRUE(store.has(campaign, BlockRecord{}, Notion::kUnrolled));
  EXPECT_TRUE(all_outcomes(store, campaign).at(0).block.bytes.empty());
}

TEST_F(StoreTest, RefusesImpossibleValuesAndKeepsTheRestOfTheBatch) {
  Store store = Store::open(path_);
  const CampaignId campaign = some_campaign(store);
  store.put(campaign, some_block(1), measured(1));
  for (const double cycles : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(store.put(campaign, some_block(2), measured(cycles)), Error) << cycles;
  }
  store.commit();
  EXPECT_TRUE(store.has(campaign, some_block(1), Notion::kUnrolled));
  EXPECT_FALSE(store.has(campaign, some_block(2), Notion::kUnrolled));
}

TEST_F(StoreTest, RefusesASecondOutcomeForABlock) {
  Store store = Store::open(path_);
  const CampaignId campaign = some_campaign(store);
  store.put(campaign, some_block(1), measured(1));
  EXPECT_THROW(store.put(campaign, some_block(1), measured(2)), Error);
  EXPECT_EQ(summarize(store, campaign).total(), 1);
}

TEST_F(StoreTest, SaysThatAWordOfTheStoreIsUnknown) {
  CampaignId campaign{};
  {
    Store store = Store::open(path_);
    campaign = some_campaign(store);
    store.put(campaign, some_block(1), without_number(Reason::kTrap));
  }
  exec("UPDATE measurement SET reason = 'boredom'");
  Store store = Store::open_read_only(path_);
  EXPECT_THROW(summarize(store, campaign), InputError);
  EXPECT_THROW(all_outcomes(store, campaign), InputError);
}

TEST_F(StoreTest, SaysThatATraitIsUnknown) {
  CampaignId campaign{};
  {
    Store store = Store::open(path_);
    campaign = some_campaign(store);
    store.put(campaign, some_block(1), measured(1));
  }
  exec("UPDATE measurement SET traits = 'lazy'");
  Store store = Store::open_read_only(path_);
  EXPECT_THROW(summarize(store, campaign), InputError);
  EXPECT_THROW(all_outcomes(store, campaign), InputError);
}

TEST_F(StoreTest, AReaderSeesAndCannotWrite) {
  {
    Store writer = Store::open(path_);
    some_campaign(writer);
  }
  const auto before = snapshot(folder_.path());
  {
    Store reader = Store::open_read_only(path_);
    EXPECT_EQ(reader.campaigns().size(), 1U);
    EXPECT_THROW(reader.put(CampaignId{1}, some_block(1), measured(1)), EnvironmentError);
  }
  EXPECT_EQ(snapshot(folder_.path()), before);
}

}  // namespace
}  // namespace assay
