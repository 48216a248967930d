#include "results/store/store.h"
#include "results/findings/summary.h"

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
  store.put_repeat(campaign, plain, measured(1));
  EXPECT_TRUE(store.has_repeat(campaign, plain, Notion::kUnrolled));
  EXPECT_FALSE(store.has_repeat(campaign, zero, Notion::kUnrolled));
  EXPECT_THROW(store.put_repeat(campaign, other, measured(1)), Error);
  std::vector<std::string> states;
  store.for_each_measurement(campaign, [&](const BlockRecord& block, const Measurement& got) {
    states.push_back(block.state);
    EXPECT_EQ(got.estimate.value().cycles, block.state.empty() ? 1 : 2);
  });
  EXPECT_THAT(states, ElementsAre("zero", ""));
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
  put.outcome.detail = "at offset 0";
  put.estimate = Estimate{.cycles = 0.25, .half_width = 0.75};
  put.timed = {.runs = 12, .dropped = 5};
  put.copies = 250;
  put.pages = 3;
  put.notion = Notion::kLooped;
  put.initial_state = "apart";
  put.traits = {Trait::kSplitLine, Trait::kSubnormal};
  store.put(campaign, some_block(7), put);
  int calls = 0;
  store.for_each_measurement(campaign, [&](const BlockRecord& block, const Measurement& got) {
    ++calls;
    EXPECT_EQ(block.bytes, some_block(7).bytes);
    EXPECT_EQ(block.text, "mov eax, 7");
    EXPECT_EQ(block.instructions, 1);
    EXPECT_EQ(got.notion, Notion::kLooped);
    EXPECT_EQ(got.outcome.verdict(), Verdict::kMeasured);
    EXPECT_EQ(got.outcome.reason, Reason::kNone);
    EXPECT_EQ(got.outcome.detail, "at offset 0");
    ASSERT_TRUE(got.estimate.has_value());
    EXPECT_EQ(got.estimate->cycles, 0.25);
    EXPECT_EQ(got.estimate->half_width, 0.75);
    EXPECT_EQ(got.timed.runs, 12);
    EXPECT_EQ(got.timed.dropped, 5);
    EXPECT_EQ(got.copies, 250);
    EXPECT_EQ(got.pages, 3);
    EXPECT_EQ(got.initial_state, "apart");
    EXPECT_EQ(got.traits, (Traits{Trait::kSplitLine, Trait::kSubnormal}));
  });
  EXPECT_EQ(calls, 1);
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
  put.estimate = Estimate{.cycles = -0.25, .half_width = 7.5};
  put.timed = {.runs = 12, .dropped = 5};
  store.put(campaign, some_block(7), put);
  store.for_each_measurement(campaign, [](const BlockRecord&, const Measurement& got) {
    EXPECT_EQ(got.outcome.verdict(), Verdict::kRejected);
    EXPECT_EQ(got.outcome.reason, Reason::kUnstable);
    EXPECT_FALSE(got.estimate.has_value());
  });
}

TEST_F(StoreTest, GivesMeasurementsInTheOrderInWhichBlocksCame) {
  Store store = Store::open(path_);
  const CampaignId campaign = some_campaign(store);
  for (const std::uint32_t number : {9, 3, 5}) {
    store.put(campaign, some_block(number), measured(number));
  }
  std::vector<double> cycles;
  store.for_each_measurement(campaign, [&](const BlockRecord&, const Measurement& got) {
    cycles.push_back(got.estimate->cycles);
  });
  EXPECT_THAT(cycles, ElementsAre(9, 3, 5));
}

TEST_F(StoreTest, KeepsABlockOfNoBytes) {
  Store store = Store::open(path_);
  const CampaignId campaign = some_campaign(store);
  store.put(campaign, BlockRecord{}, without_number(Reason::kEmptyBlock));
  EXPECT_TRUE(store.has(campaign, BlockRecord{}, Notion::kUnrolled));
  store.for_each_measurement(campaign, [](const BlockRecord& block, const Measurement& got) {
    EXPECT_TRUE(block.bytes.empty());
    EXPECT_FALSE(got.estimate.has_value());
  });
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
  SQLite::Database(path_, SQLite::OPEN_READWRITE).exec("UPDATE measurement SET reason = 'boredom'");
  Store store = Store::open_read_only(path_);
  EXPECT_THROW(summarize(store, campaign), InputError);
  EXPECT_THROW(store.for_each_measurement(campaign, [](const auto&, const auto&) {}), InputError);
}

TEST_F(StoreTest, SaysThatATraitIsUnknown) {
  CampaignId campaign{};
  {
    Store store = Store::open(path_);
    campaign = some_campaign(store);
    store.put(campaign, some_block(1), measured(1));
  }
  SQLite::Database(path_, SQLite::OPEN_READWRITE).exec("UPDATE measurement SET traits = 'lazy'");
  Store store = Store::open_read_only(path_);
  EXPECT_THROW(summarize(store, campaign), InputError);
  EXPECT_THROW(store.for_each_measurement(campaign, [](const auto&, const auto&) {}), InputError);
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
