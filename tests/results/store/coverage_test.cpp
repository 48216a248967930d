#include "results/store/coverage.h"
#include "results/findings/summary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "profiler/support/error.h"
#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CoverageTest : public ::testing::Test {
 protected:
  /// The coverage as another process sees it.
  std::vector<Coverage> committed() const {
    return Store::open_read_only(path_).coverage(campaign_);
  }
  static Coverage completed(Coverage coverage) {
    coverage.complete = true;
    coverage.digest = "0a1f";
    coverage.blocks = 12;
    return coverage;
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "results.sqlite";
  Store store_ = Store::open(path_);
  CampaignId campaign_ = some_campaign(store_);
  Coverage begun_{.corpus = "a", .shard = 2, .shards = 8, .limit = std::nullopt, .digest = ""};
};

TEST_F(CoverageTest, IsIncompleteFromItsBeginUntilItIsComplete) {
  EXPECT_THAT(committed(), IsEmpty());
  store_.begin_coverage(campaign_, begun_);
  EXPECT_THAT(committed(), ElementsAre(begun_));
  store_.complete_coverage(campaign_, completed(begun_));
  EXPECT_THAT(committed(), ElementsAre(completed(begun_)));
  EXPECT_THAT(store_.coverage(campaign_), ElementsAre(completed(begun_)));
}

TEST_F(CoverageTest, IsCompleteOnlyWithTheOutcomesBefore) {
  store_.put(campaign_, some_block(1), measured(1));
  store_.complete_coverage(campaign_, completed(begun_));
  Store reader = Store::open_read_only(path_);
  EXPECT_EQ(summarize(reader, campaign_).total(), 1);
}

TEST_F(CoverageTest, BegunAgainItIsIncompleteAsTheCorpusMayBeAnother) {
  store_.complete_coverage(campaign_, completed(begun_));
  store_.begin_coverage(campaign_, begun_);
  EXPECT_THAT(committed(), ElementsAre(begun_));
  store_.begin_coverage(campaign_, begun_);
  EXPECT_THAT(committed(), ElementsAre(begun_));
}

TEST_F(CoverageTest, BegunAgainWithTheSameBlocksItStaysComplete) {
  store_.complete_coverage(campaign_, completed(begun_));
  Coverage again = begun_;
  again.digest = "0a1f";
  store_.begin_coverage(campaign_, again);
  EXPECT_THAT(committed(), ElementsAre(completed(begun_)));
  again.digest = "0a1e";
  store_.begin_coverage(campaign_, again);
  EXPECT_THAT(committed(), ElementsAre(again));
}

TEST_F(CoverageTest, ALimitBegunAgainIsIncompleteAsItsCallMayBeAnother) {
  Coverage first = begun_;
  first.limit = 5;
  store_.complete_coverage(campaign_, completed(first));
  first.digest = "0a1f";
  store_.begin_coverage(campaign_, first);
  EXPECT_THAT(committed(), ElementsAre(first));
}

/// A store with a corpus that has a block on its first line, and whose digest the store knows.
class ChangedCorpusTest : public CoverageTest {
 protected:
  ChangedCorpusTest() {
    store_.put(campaign_, some_block(1), measured(1));
    store_.add_source(some_block(1), some_source("a", 1, 0.5));
    store_.add_source(some_block(1), some_source("b", 1, 0.25));
    for (Coverage each : {begun_, whole_}) store_.complete_coverage(campaign_, completed(each));
  }
  /// The sources of the block, as "CORPUS LINE FREQUENCY".
  std::vector<std::string> sources() {
    std::vector<std::string> all;
    OutcomeReader reader = store_.outcomes({campaign_, std::nullopt, std::nullopt});
    const StoredOutcome outcome = reader.next().value();
    for (const SourceRecord& source : outcome.sources) {
      all.push_back(
          fmt::format("{} {} {}", source.corpus, source.line, source.frequency.value_or(-1)));
    }
    return all;
  }

  Coverage whole_{.corpus = "a", .limit = std::nullopt, .digest = ""};
};

TEST_F(ChangedCorpusTest, ItsSourcesGoAndNoPartOfItIsCompleteAnyMore) {
  whole_.digest = begun_.digest = "0a1e";
  store_.begin_coverage(campaign_, whole_);
  EXPECT_THAT(sources(), ElementsAre("b 1 0.25"));
  EXPECT_THAT(committed(), ElementsAre(whole_, begun_));
  EXPECT_EQ(summarize(store_, campaign_).total(), 1) << "outcomes stay";
  store_.add_source(some_block(1), some_source("a", 2, 0.75));
  store_.begin_coverage(campaign_, begun_);
  EXPECT_THAT(sources(), ElementsAre("a 2 0.75", "b 1 0.25"));
}

TEST_F(ChangedCorpusTest, TheSameOneKeepsThem) {
  Coverage looped = whole_;
  looped.notion = Notion::kLooped;
  looped.digest = "0a1f";
  store_.begin_coverage(campaign_, looped);
  EXPECT_THAT(sources(), ElementsAre("a 1 0.5", "b 1 0.25"));
}

TEST_F(ChangedCorpusTest, OneThatIsNotKnownYetIsWrittenAnewAsAWholeOnly) {
  store_.begin_coverage(campaign_, begun_);
  EXPECT_EQ(sources().size(), 2U);
  store_.begin_coverage(campaign_, whole_);
  EXPECT_THAT(sources(), ElementsAre("b 1 0.25"));
}

TEST_F(ChangedCorpusTest, FoundOutAtItsEndOtherPartsAreIncomplete) {
  store_.begin_coverage(campaign_, whole_);
  whole_ = completed(whole_);
  whole_.digest = begun_.digest = "0a1e";
  store_.complete_coverage(campaign_, whole_);
  EXPECT_THAT(committed(), ElementsAre(whole_, begun_));
}

TEST_F(ChangedCorpusTest, ALineHasTheFrequencyThatItHadLast) {
  store_.add_source(some_block(1), some_source("a", 1, 0.75));
  EXPECT_THAT(sources(), ElementsAre("a 1 0.75", "b 1 0.25"));
  store_.add_source(some_block(1), some_source("a", 1));
  EXPECT_THAT(sources(), ElementsAre("a 1 -1", "b 1 0.25"));
}

TEST_F(CoverageTest, EachCorpusNotionShardAndLimitIsOneByItself) {
  std::vector<Coverage> all(6, begun_);
  all[1].shard = 3;
  all[2].shards = 9;
  all[3].limit = 100;
  all[4].notion = Notion::kLooped;
  all[5].corpus = "b";
  for (const Coverage& coverage : all) store_.begin_coverage(campaign_, coverage);
  EXPECT_THAT(store_.coverage(campaign_), ::testing::UnorderedElementsAreArray(all));
  store_.complete_coverage(campaign_, completed(all[3]));
  all[3] = completed(all[3]);
  EXPECT_THAT(store_.coverage(campaign_), ::testing::UnorderedElementsAreArray(all));
  EXPECT_THAT(store_.coverage(CampaignId{99}), IsEmpty());
}

TEST_F(CoverageTest, RefusesWhatCannotBe) {
  Coverage no_digest = completed(begun_);
  no_digest.digest = "";
  EXPECT_THROW(store_.complete_coverage(campaign_, no_digest), Error);
  Coverage ninth = begun_;
  ninth.shard = 9;
  EXPECT_THROW(store_.begin_coverage(campaign_, ninth), Error);
  EXPECT_THROW(store_.begin_coverage(CampaignId{99}, begun_), Error);
  EXPECT_THAT(store_.coverage(campaign_), IsEmpty());
  store_.begin_coverage(campaign_, begun_);
  EXPECT_THAT(committed(), ElementsAre(begun_));
}

}  // namespace
}  // namespace assay
