#include "results/merge.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "profiler/block/error.h"
#include "tests/results/random_store.h"
#include "tests/results/records.h"
#include "tests/results/store_content.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename Expected>
std::string error_of(const MergeRequest& request) {
  try {
    merge_stores(request);
  } catch (const Expected& error) {
    return error.what();
  }
  return "no error";
}

class MergeTest : public ::testing::Test {
 protected:
  using Paths = std::vector<std::filesystem::path>;

  std::filesystem::path at(const std::string& name) const { return folder_ / name; }
  MergeRequest request(const std::string& out, const std::vector<std::string>& in,
                       bool partial = false) const {
    Paths paths;
    for (const std::string& name : in) paths.push_back(at(name));
    return {.out = at(out), .in = paths, .partial = partial, .interrupted = {}};
  }
  /// Merges what random stores hold, which is never complete.
  std::string merged(const std::string& out, const std::vector<std::string>& in) const {
    EXPECT_TRUE(merge_stores(request(out, in, true)).merged);
    return content_of_store(at(out));
  }
  void exec(const std::string& name, const std::string& sql) const {
    SQLite::Database(at(name), SQLite::OPEN_READWRITE).exec(sql);
  }
  std::string told(const std::string& name, const std::string& query) const {
    return SQLite::Database(at(name)).execAndGet(query).getString();
  }

  /// A store with one block, measured at a second of the same minute.
  void make(const std::string& name, const Measurement& measurement, int second) const {
    {
      Store store = Store::open(at(name));
      store.put(some_campaign(store), some_block(1), measurement);
    }
    exec(name, fmt::format("UPDATE measurement SET measured_at = '2024-05-17T08:30:0{}Z'", second));
  }

  TemporaryFolder folder_;
};

class RandomMergeTest : public MergeTest, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    const auto seed = static_cast<std::uint32_t>(GetParam());
    RandomStore(at("a"), 3 * seed);
    RandomStore(at("b"), 3 * seed + 1);
    RandomStore(at("c"), 3 * seed + 2);
  }
};

TEST_P(RandomMergeTest, TheOrderOfTheStoresDoesNotMatter) {
  EXPECT_EQ(merged("ab", {"a", "b"}), merged("ba", {"b", "a"}));
  const std::string all = merged("abc", {"a", "b", "c"});
  EXPECT_EQ(merged("cba", {"c", "b", "a"}), all);
  EXPECT_EQ(merged("bca", {"b", "c", "a"}), all);
}

TEST_P(RandomMergeTest, TheyMayBeMergedInSteps) {
  const std::string all = merged("abc", {"a", "b", "c"});
  merged("ab", {"a", "b"});
  EXPECT_EQ(merged("ab_c", {"ab", "c"}), all);
  merged("bc", {"b", "c"});
  EXPECT_EQ(merged("a_bc", {"a", "bc"}), all);
  EXPECT_EQ(merged("ab", {"c"}), all) << "into one that is there";
}

TEST_P(RandomMergeTest, WhatIsMergedAgainChangesNothing) {
  const std::string content = content_of_store(at("a"));
  EXPECT_EQ(merged("copy", {"a"}), content);
  EXPECT_EQ(merged("copy", {"a"}), content);
  const std::string all = merged("ab", {"a", "b"});
  EXPECT_EQ(merged("ab", {"b", "a", "copy"}), all);
}

TEST_P(RandomMergeTest, WhatIsMergedStaysAsItIs) {
  const auto before = snapshot(folder_.path());
  EXPECT_TRUE(merge_stores(request("abc", {"a", "b", "c"}, true)).merged);
  auto after = snapshot(folder_.path());
  EXPECT_EQ(after.erase("abc"), 1U);
  EXPECT_TRUE(after == before);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMergeTest, ::testing::Range(1, 9));

TEST_F(MergeTest, TheNewerOutcomeIsKept) {
  make("old", measured(1), 1);
  make("new", measured(2), 2);
  merged("out", {"new", "old"});
  EXPECT_EQ(told("out", "SELECT cycles || measured_at FROM measurement"),
            "2.02024-05-17T08:30:02Z");
}

TEST_F(MergeTest, AFinalOutcomeIsKeptBeforeANewerOneOfTheMoment) {
  make("old", measured(1), 1);
  make("new", without_number(Reason::kInterference), 2);
  merged("out", {"new", "old"});
  merged("other", {"old", "new"});
  EXPECT_EQ(told("out", "SELECT reason FROM measurement"), "none");
  EXPECT_EQ(content_of_store(at("other")), content_of_store(at("out")));
}

TEST_F(MergeTest, EventsComeWithTheirOutcomeAndGoWithIt) {
  Measurement counted = measured(1);
  counted.events = some_events();
  make("old", counted, 1);
  make("new", measured(2), 2);
  merged("out", {"old"});
  EXPECT_EQ(told("out", "SELECT group_concat(name, ' ') FROM event_count"), "MISSES UOPS");
  merged("out", {"new"});
  EXPECT_EQ(told("out", "SELECT count(*) FROM event_count"), "0");
}

TEST_F(MergeTest, ARepeatStaysWhenItsFirstIsReplaced) {
  make("old", measured(1), 1);
  {
    Store store = Store::open(at("old"));
    store.put_repeat(CampaignId{1}, some_block(1).bytes, measured(1));
  }
  make("new", measured(2), 2);
  merged("out", {"old", "new"});
  EXPECT_EQ(told("out",
                 "SELECT measurement.cycles || ' ' || repeat.cycles FROM repeat "
                 "JOIN measurement USING (campaign, block, notion)"),
            "2.0 1.0");
}

TEST_F(MergeTest, ACampaignBeganWhenTheFirstOfItsPartsDid) {
  make("old", measured(1), 1);
  make("new", measured(2), 2);
  exec("old", "UPDATE campaign SET started_at = '2024-05-16T08:30:00Z'");
  merged("out", {"new", "old"});
  EXPECT_EQ(told("out", "SELECT group_concat(started_at) FROM campaign"), "2024-05-16T08:30:00Z");
}

TEST_F(MergeTest, CountsWhatBecameOfOutcomes) {
  make("old", measured(1), 1);
  make("new", measured(2), 2);
  const MergeResult result = merge_stores(request("out", {"old", "new", "old"}, true));
  ASSERT_EQ(result.stores.size(), 2U) << "each file once";
  EXPECT_EQ(result.stores[0].added, 1);
  EXPECT_EQ(result.stores[1].replaced, 1);
  EXPECT_EQ(result.blocks, 1);
  EXPECT_EQ(result.measurements, 1);
  EXPECT_EQ(merge_stores(request("out", {"old"}, true)).stores[0].known, 1);
}

TEST_F(MergeTest, TheStoreThatIsMergedIntoIsPassedOver) {
  make("a", measured(1), 1);
  std::filesystem::create_symlink(at("a"), at("link"));
  const std::string before = content_of_store(at("a"));
  EXPECT_THAT(merge_stores(request("a", {"a", "link"})).stores, IsEmpty());
  EXPECT_EQ(content_of_store(at("a")), before);
}

TEST_F(MergeTest, AnOlderStoreIsTakenAsItLooks) {
  make("a", measured(1), 1);
  exec("a",
       "DROP TABLE repeat; DROP TABLE coverage; DROP TABLE event_count; "
       "ALTER TABLE measurement DROP COLUMN traits; "
       "ALTER TABLE measurement DROP COLUMN initial_state; PRAGMA user_version = 1");
  const auto before = snapshot(folder_.path());
  merged("out", {"a"});
  EXPECT_EQ(told("out", "SELECT cycles || initial_state FROM measurement"), "1.0distinct");
  EXPECT_TRUE(snapshot(folder_.path()).at("a") == before.at("a"));
}

TEST_F(MergeTest, AStoreWithALogIsReadAndStaysAsItIs) {
  make("live", measured(1), 1);
  {
    Store writer = Store::open(at("live"));
    writer.put(CampaignId{1}, some_block(2), measured(2));
    writer.commit();
    for (const char* ending : {"", "-wal"}) {
      std::filesystem::copy(at(std::string("live") + ending), at(std::string("killed") + ending));
    }
  }
  const auto before = snapshot(folder_.path());
  EXPECT_EQ(merge_stores(request("out", {"killed"}, true)).measurements, 2);
  const auto after = snapshot(folder_.path());
  EXPECT_TRUE(after.at("killed") == before.at("killed"));
  EXPECT_TRUE(after.at("killed-wal") == before.at("killed-wal"));
}

}  // namespace
}  // namespace assay
