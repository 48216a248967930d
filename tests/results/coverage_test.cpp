#include "results/coverage.h"

#include <gmock/gmock.h>

#include "profiler/block/error.h"
#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CoverageTest : public ::testing::Test {
 protected:
  /// As another process sees it.
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
  EXPECT_EQ(Store::open_read_only(path_).summary(campaign_).total(), 1);
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
  EXPECT_THAT(committed(), ElementsAre(begun_));
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
