#include "results/store/campaign.h"

#include <gmock/gmock.h>

#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

class CampaignTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "results.sqlite";
};

TEST_F(CampaignTest, IsTheSameForTheSameIdentityEvenInANewStore) {
  CampaignId first{};
  {
    Store store = Store::open(path_);
    first = some_campaign(store);
    EXPECT_EQ(some_campaign(store), first);
  }
  Store store = Store::open(path_);
  EXPECT_EQ(some_campaign(store), first);
  EXPECT_EQ(store.campaigns().size(), 1U);
}

TEST_F(CampaignTest, IsAnotherWhenAnyPartOfTheIdentityIs) {
  Store store = Store::open(path_);
  Machine machine = some_machine();
  machine.stepping = 2;
  Environment environment = some_environment();
  environment.microcode = "0xa101149";
  Settings settings;
  settings.target_relative = 0.004;
  const CampaignId ids[] = {some_campaign(store),
                            store.campaign(machine, some_environment(), "0.1.0", Settings{}),
                            store.campaign(some_machine(), environment, "0.1.0", Settings{}),
                            store.campaign(some_machine(), some_environment(), "0.1.1", Settings{}),
                            store.campaign(some_machine(), some_environment(), "0.1.0", settings)};
  for (std::size_t i = 0; i < std::size(ids); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(ids[i], ids[j]) << i << " and " << j;
  }
  EXPECT_EQ(store.campaigns().size(), std::size(ids));
  EXPECT_EQ(some_campaign(store), ids[0]);
}

TEST_F(CampaignTest, IsListedWithAllThatIdentifiesIt) {
  Store store = Store::open(path_);
  const CampaignId id = some_campaign(store);
  const std::vector<Campaign> campaigns = store.campaigns();
  ASSERT_EQ(campaigns.size(), 1U);
  const Campaign& campaign = campaigns.front();
  EXPECT_EQ(campaign.id, id);
  EXPECT_EQ(campaign.machine, some_machine());
  EXPECT_EQ(campaign.environment, some_environment());
  EXPECT_EQ(campaign.program_version, "0.1.0");
  EXPECT_EQ(campaign.settings, to_json(Settings{}));
  EXPECT_THAT(campaign.started_at,
              ::testing::MatchesRegex("20[0-9]+-[0-9]+-[0-9]+T[0-9]+:[0-9]+:[0-9]+Z"));
}

TEST_F(CampaignTest, IsCommittedAtOnce) {
  Store store = Store::open(path_);
  some_campaign(store);
  EXPECT_EQ(Store::open_read_only(path_).campaigns().size(), 1U);
}

}  // namespace
}  // namespace assay
