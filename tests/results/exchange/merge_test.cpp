#include "results/exchange/merge.h"

#include <gmock/gmock.h>

#include <csignal>

#include "profiler/support/error.h"
#include "results/store/content_digest.h"
#include "tests/error_of.h"
#include "tests/results/random_store.h"
#include "tests/results/records.h"
#include "tests/results/store/child.h"
#include "tests/results/store/store_content.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

template <typename Expected>
std::string merging_error(const MergeRequest& request) {
  return error_of<Expected>([&] { merge_stores(request); });
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
  /// Merges random stores, which are never complete, and gives the content of the result.
  std::string merged(const std::string& out, const std::vector<std::string>& in) const {
    EXPECT_TRUE(merge_stores(request(out, in, true)).merged);
    return content_of_store(at(out));
  }
  /// Changes a store as assay does, so that it is whole.
  void exec(const std::string& name, const std::string& sql) const {
    SQLite::Database database(at(name), SQLite::OPEN_READWRITE);
    keep_digests(database);
    database.exec(sql);
  }
  std::string told(const std::string& name, const std::string& query) const {
    return SQLite::Database(at(name)).execAndGet(query).getString();
  }

  /// Makes a store with one block, which was measured at this second of a fixed minute.
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

TEST_F(MergeTest, AnOutcomeThatIsNotSettledNeverReplacesOneThatIs) {
  Measurement settled = without_number(Reason::kUnstable);
  settled.settled = true;
  make("old", settled, 1);
  make("new", without_number(Reason::kNoSteadyState), 2);
  merged("out", {"new", "old"});
  merged("other", {"old", "new"});
  EXPECT_EQ(told("out", "SELECT reason FROM measurement"), "unstable");
  EXPECT_EQ(content_of_store(at("other")), content_of_store(at("out")));
}

TEST_F(MergeTest, AValueIsNeverReplacedByAReasonThatMayBeTheMoments) {
  for (const bool is_settled : {false, true}) {
    Measurement newer = without_number(Reason::kNoSteadyState);
    newer.settled = is_settled;
    const std::string name = is_settled ? "settled" : "open";
    make(name + "-old", measured(1), 1);
    make(name + "-new", newer, 2);
    merged(name, {name + "-new", name + "-old"});
    EXPECT_EQ(told(name, "SELECT reason FROM measurement"), "none");
  }
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

TEST_F(MergeTest, ModesComeWithTheirOutcomeAndGoWithIt) {
  Measurement several = measured(1);
  several.modes = some_modes();
  make("old", several, 1);
  make("new", measured(2), 2);
  merged("out", {"old"});
  EXPECT_EQ(told("out", "SELECT group_concat(cycles, ' ') FROM mode"), "1.5 1.25");
  merged("out", {"new"});
  EXPECT_EQ(told("out", "SELECT count(*) FROM mode"), "0");
}

TEST_F(MergeTest, PlacementsComeWithTheirOutcome) {
  Measurement loop = measured(1);
  loop.placements = some_placements();
  make("some", loop, 1);
  merged("out", {"some"});
  EXPECT_EQ(told("out", "SELECT group_concat(offset, ' ') FROM placement"), "8 56");
}

TEST_F(MergeTest, ListsDecideBetweenOutcomesThatAreEqualOtherwise) {
  const auto make_with = [this](const std::string& name, std::vector<EventCount> events,
                                std::vector<Mode> modes) {
    Measurement measurement = measured(1);
    measurement.events = std::move(events);
    measurement.modes = std::move(modes);
    make(name, measurement, 1);
  };
  make_with("none", {}, {});
  make_with("events", {some_events()[0]}, {});
  make_with("modes", {some_events()[0]}, {some_modes()[0]});
  make_with("more", {some_events()[0]}, some_modes());
  merged("out", {"modes", "none", "more", "events"});
  merged("other", {"events", "more", "none", "modes"});
  for (const char* name : {"out", "other"}) {
    EXPECT_EQ(told(name, "SELECT count(*) FROM event_count"), "1");
    EXPECT_EQ(told(name, "SELECT group_concat(cycles, ' ') FROM mode"), "1.5 1.25");
  }
}

/// If a campaign was run twice, for instance at the same time on two machines of one kind, each
/// recheck belongs to the measurement of its own run.
TEST_F(MergeTest, ARepeatStaysWithTheFirstThatItWasMadeTo) {
  const auto recheck = [this](const std::string& name, double cycles) {
    Store store = Store::open(at(name));
    store.put_recheck(CampaignId{1}, some_block(1), measured(cycles));
  };
  const std::string pairs =
      "SELECT count(*) || ': ' || ifnull(group_concat(measurement.cycles || ' ' || "
      "recheck.cycles), "
      "'') FROM measurement JOIN recheck USING (campaign, block, notion)";
  make("old", measured(1), 1);
  recheck("old", 1.25);  // was made later than both measurements
  make("new", measured(2), 2);
  merged("out", {"old", "new"});
  EXPECT_EQ(told("out", pairs), "0: ");
  merged("out", {"old"});
  EXPECT_EQ(told("out", pairs), "0: ");
  std::filesystem::copy_file(at("new"), at("rechecked"));
  recheck("rechecked", 2.25);
  merged("out", {"rechecked"});
  EXPECT_EQ(told("out", pairs), "1: 2.0 2.25");
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
  const MergeResult result = merge_stores(request("a", {"a", "link"}));
  EXPECT_TRUE(result.merged);
  EXPECT_THAT(result.stores, IsEmpty());
  EXPECT_EQ(content_of_store(at("a")), before);
}

TEST_F(MergeTest, AStoreOfAnotherSchemaVersionIsRefused) {
  make("a", measured(1), 1);
  exec("a", "PRAGMA user_version = 5");
  const auto before = snapshot(folder_.path());
  EXPECT_THAT([this] { merge_stores(request("out", {"a"})); },
              ThrowsMessage<InputError>(AllOf(HasSubstr(at("a")), HasSubstr("use assay 0.1.0"))));
  EXPECT_TRUE(snapshot(folder_.path()) == before);
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

/// Merges of stores that have coverage.
class PartialMergeTest : public MergeTest {
 protected:
  static Coverage shard(std::int64_t index, std::int64_t count) {
    Coverage coverage;
    coverage.corpus = "bhive";
    coverage.shard = index;
    coverage.shards = count;
    return coverage;
  }
  /// The coverage as it is when begun, with the digest known beforehand, as that of a file is.
  static Coverage begun(Coverage coverage, const std::string& digest = "ab12") {
    coverage.digest = digest;
    return coverage;
  }
  static Coverage complete(Coverage coverage, const std::string& digest = "ab12") {
    coverage.complete = true;
    coverage.digest = digest;
    coverage.blocks = 10;
    return coverage;
  }
  /// Makes a store with an outcome, and with these corpora begun or complete.
  void make_covered(const std::string& name, const std::vector<Coverage>& all,
                    const Environment& environment = some_environment()) const {
    Store store = Store::open(at(name));
    const CampaignId campaign = store.campaign(some_machine(), environment, "0.1.0", Settings{});
    if (!store.has(campaign, some_block(1), Notion::kUnrolled)) {
      store.put(campaign, some_block(1), measured(1));
    }
    for (const Coverage& coverage : all) {
      store.begin_coverage(campaign, coverage);
      if (coverage.complete) store.complete_coverage(campaign, coverage);
    }
  }
};

TEST_F(PartialMergeTest, CompleteShardsAddUp) {
  make_covered("a", {complete(shard(1, 3))});
  make_covered("b", {complete(shard(2, 3))});
  make_covered("c", {complete(shard(3, 3))});
  const MergeResult two = merge_stores(request("out", {"a", "c"}));
  ASSERT_TRUE(two.merged);
  ASSERT_EQ(two.coverage.size(), 1U);
  EXPECT_THAT(two.coverage[0].complete, ElementsAre(1, 3));
  EXPECT_THAT(two.coverage[0].missing(), ElementsAre(std::pair(2, 2)));
  EXPECT_EQ(two.coverage[0].blocks, 20);
  EXPECT_FALSE(two.coverage[0].is_complete());
  const MergeResult all = merge_stores(request("out", {"b"}));
  EXPECT_TRUE(all.coverage.at(0).is_complete());
  EXPECT_EQ(all.coverage[0].digest, "ab12");
}

TEST_F(PartialMergeTest, AnIncompleteStoreIsNamedAndNothingIsMerged) {
  make_covered("a", {complete(shard(1, 3))});
  make_covered("b", {shard(2, 3)});
  make_covered("out", {complete(shard(3, 3))});
  const auto before = snapshot(folder_.path());
  const MergeResult result = merge_stores(request("out", {"a", "b"}));
  EXPECT_FALSE(result.merged);
  ASSERT_EQ(result.unfinished.size(), 1U);
  EXPECT_EQ(result.unfinished[0].store, at("b"));
  EXPECT_EQ(result.unfinished[0].coverage, shard(2, 3));
  EXPECT_FALSE(merge_stores(request("new", {"a", "b"})).merged);
  EXPECT_TRUE(snapshot(folder_.path()) == before);
}

TEST_F(PartialMergeTest, AnIncompleteStoreIsTakenOnRequestAndAddsUpLater) {
  make_covered("b", {shard(2, 3)});
  const MergeResult partial = merge_stores(request("out", {"b"}, true));
  ASSERT_TRUE(partial.merged);
  EXPECT_EQ(partial.unfinished.size(), 1U);
  EXPECT_THAT(partial.coverage.at(0).begun, ElementsAre(2));
  EXPECT_THAT(partial.coverage[0].missing(), ElementsAre(std::pair(1, 1), std::pair(3, 3)));
  make_covered("b", {complete(shard(2, 3))});
  const MergeResult later = merge_stores(request("out", {"b"}));
  EXPECT_THAT(later.coverage.at(0).complete, ElementsAre(2));
  EXPECT_THAT(later.coverage[0].begun, IsEmpty());
}

TEST_F(PartialMergeTest, WhatOutLacksKeepsNothingFromIt) {
  make_covered("out", {shard(1, 3)});
  make_covered("b", {complete(shard(2, 3))});
  EXPECT_TRUE(merge_stores(request("out", {"b"})).merged);
}

TEST_F(PartialMergeTest, AShardThatIsCompleteElsewhereMayBeIncomplete) {
  make_covered("killed", {begun(shard(1, 3))});
  make_covered("done", {complete(shard(1, 3))});
  EXPECT_TRUE(merge_stores(request("out", {"killed", "done"})).merged);
  EXPECT_TRUE(merge_stores(request("out", {"killed"})).merged) << "out has it now";
  EXPECT_EQ(told("out", "SELECT group_concat(complete) FROM coverage"), "1");
}

TEST_F(PartialMergeTest, EnvironmentsOfAMachineCountTogether) {
  Environment updated = some_environment();
  updated.kernel = "Linux 6.1.1";
  make_covered("killed", {begun(shard(1, 2))});
  make_covered("a", {complete(shard(1, 2))}, updated);
  make_covered("b", {complete(shard(2, 2))});
  const MergeResult result = merge_stores(request("out", {"a", "b", "killed"}));
  ASSERT_TRUE(result.merged);
  ASSERT_EQ(result.coverage.size(), 1U);
  EXPECT_TRUE(result.coverage[0].is_complete());
}

TEST_F(PartialMergeTest, AWholeCorpusMakesUpForItsParts) {
  Coverage first = shard(1, 1);
  first.limit = 5;
  make_covered("parts", {begun(shard(1, 3)), begun(first)});
  make_covered("whole", {complete(shard(1, 1))});
  const MergeResult result = merge_stores(request("out", {"parts", "whole"}));
  ASSERT_TRUE(result.merged);
  EXPECT_EQ(result.coverage.size(), 1U) << "parts with nothing complete are of no interest then";
  make_covered("looped", {begun(shard(1, 3))});
  exec("looped", "UPDATE coverage SET notion = 'looped'");
  EXPECT_FALSE(merge_stores(request("out", {"looped"})).merged);
}

TEST_F(PartialMergeTest, TheFirstBlocksAreNotTheWhole) {
  Coverage first = shard(1, 1);
  first.limit = 5;
  make_covered("first", {complete(first)});
  make_covered("whole", {begun(shard(1, 1))});
  EXPECT_FALSE(merge_stores(request("out", {"first", "whole"})).merged);
  EXPECT_TRUE(merge_stores(request("out", {"first"})).merged);
}

TEST_F(PartialMergeTest, AStoreThatDoesNotSayIsNotComplete) {
  make_covered("silent", {});
  const MergeResult result = merge_stores(request("out", {"silent"}));
  EXPECT_FALSE(result.merged);
  ASSERT_EQ(result.unfinished.size(), 1U);
  EXPECT_FALSE(result.unfinished[0].coverage.has_value());
  exec("silent", "DELETE FROM measurement");
  EXPECT_TRUE(merge_stores(request("out", {"silent"})).merged) << "there is nothing to say";
}

TEST_F(PartialMergeTest, ShardsOfDifferentCorporaOfOneNameAreNamed) {
  make_covered("a", {complete(shard(1, 3))});
  make_covered("b", {complete(shard(2, 3), "cd34")});
  const auto before = snapshot(folder_.path());
  EXPECT_THAT(merging_error<InputError>(request("out", {"a", "b"}, true)),
              AllOf(HasSubstr("'bhive' is not the same everywhere"),
                    HasSubstr("digest ab12: 1/3 in " + at("a").string()),
                    HasSubstr("digest cd34: 2/3 in " + at("b").string())));
  EXPECT_TRUE(snapshot(folder_.path()) == before);
}

TEST_F(PartialMergeTest, SoAreOtherCutsOfThemWhetherCompleteOrNot) {
  Coverage first = complete(shard(1, 1), "cd34");
  first.limit = 5;
  make_covered("whole", {complete(shard(1, 1))});
  make_covered("part", {begun(shard(2, 3), "cd34")});
  make_covered("limited", {first});
  make_covered("looped", {complete(shard(2, 3), "cd34")});
  exec("looped", "UPDATE coverage SET notion = 'looped'");
  const auto before = snapshot(folder_.path());
  for (const char* other : {"part", "limited", "looped"}) {
    EXPECT_THAT(merging_error<InputError>(request("out", {"whole", other}, true)),
                AllOf(HasSubstr("'bhive' is not the same everywhere"),
                      HasSubstr("digest ab12: 1/1 in " + at("whole").string()),
                      HasSubstr("in " + at(other).string())));
  }
  EXPECT_TRUE(snapshot(folder_.path()) == before);
}

TEST_F(PartialMergeTest, NobodyKnowsWhatMakesUpForAPartWithoutADigest) {
  make_covered("piped", {shard(1, 3)});
  make_covered("done", {complete(shard(1, 3)), complete(shard(1, 1))});
  const MergeResult result = merge_stores(request("out", {"piped", "done"}));
  EXPECT_FALSE(result.merged);
  ASSERT_EQ(result.unfinished.size(), 1U);
  EXPECT_EQ(result.unfinished[0].store, at("piped"));
}

/// Merges of stores that are damaged, or cannot be opened.
class MergeErrorTest : public PartialMergeTest {
 protected:
  void SetUp() override {
    make_covered("a", {complete(shard(1, 2))});
    make_covered("b", {complete(shard(2, 2))});
    make_covered("old", {complete(shard(1, 2))});
    EXPECT_TRUE(merge_stores(request("out", {"old"})).merged);
  }
  /// Expects that merging a good store and this one is refused, into a new store and into an
  /// existing one, and that everything stays as it is.
  template <typename Expected>
  void expect_refused(const std::string& name,
                      const ::testing::Matcher<const std::string&>& words) const {
    const auto before = snapshot(folder_.path());
    EXPECT_THAT(merging_error<Expected>(request("out", {"b", name})), words);
    EXPECT_THAT(merging_error<Expected>(request("new", {"b", name})), words);
    EXPECT_TRUE(snapshot(folder_.path()) == before);
  }
};

TEST_F(MergeErrorTest, AMissingStore) {
  expect_refused<InputError>("none", AllOf(HasSubstr(at("none")), HasSubstr("no such store")));
}

TEST_F(MergeErrorTest, AStoreOfANewerSchema) {
  exec("a", "PRAGMA user_version = 99");
  expect_refused<InputError>("a", AllOf(HasSubstr(at("a")), HasSubstr("schema version 99")));
}

TEST_F(MergeErrorTest, AStoreThatWasCutOff) {
  std::filesystem::resize_file(at("a"), std::filesystem::file_size(at("a")) / 2);
  expect_refused<InputError>("a", AllOf(HasSubstr(at("a")), HasSubstr("damaged")));
}

TEST_F(MergeErrorTest, AStoreWithADamagedPage) {
  {
    Store store = Store::open(at("a"));
    for (std::uint32_t i = 100; i < 1000; ++i) store.put(CampaignId{1}, some_block(i), measured(1));
  }
  std::string content = content_of(at("a"));
  constexpr std::size_t kPage = 4096;
  content.replace(content.size() - kPage, kPage, kPage, '\x55');
  write_file(at("a"), content);
  expect_refused<InputError>("a", AllOf(HasSubstr(at("a")), HasSubstr("damaged")));
}

TEST_F(MergeErrorTest, AStoreWithOtherTables) {
  exec("a",
       "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, "
       "'cycles > 0', 'true') WHERE name = 'measurement'");
  expect_refused<InputError>("a", AllOf(HasSubstr(at("a")), HasSubstr("its tables are not those")));
}

TEST_F(MergeErrorTest, AStoreThatAnotherProgramChanged) {
  SQLite::Database(at("a"), SQLite::OPEN_READWRITE).exec("UPDATE measurement SET cycles = 7");
  expect_refused<InputError>("a", AllOf(HasSubstr(at("a")), HasSubstr("the table measurement"),
                                        HasSubstr("assay check --accept")));
}

TEST_F(MergeErrorTest, AStoreThatIsBeingWrittenIsReadButNotWritten) {
  const Store writer = Store::open(at("a"));
  EXPECT_TRUE(merge_stores(request("new", {"a"})).merged);
  EXPECT_THAT(merging_error<EnvironmentError>(request("a", {"b"})),
              HasSubstr("another assay is writing this store"));
}

TEST_F(MergeErrorTest, AFolderThatIsNotThere) {
  EXPECT_THAT(
      merging_error<InputError>(request("none/out", {"b"})),
      StartsWith(at("none/out").string() + ": the folder " + at("none").string() + " does"));
}

TEST_F(MergeErrorTest, AStoreThatHoldsNothing) {
  { Store::open(at("empty")); }
  expect_refused<InputError>("empty",
                             AllOf(StartsWith(at("empty").string()), HasSubstr("without campaigns"),
                                   HasSubstr("empty-wal")));
  EXPECT_TRUE(merge_stores(request("empty", {"b"})).merged) << "as good as a new one";
}

TEST_F(MergeErrorTest, AnInterruptedMergeLeavesNothing) {
  const auto before = snapshot(folder_.path());
  for (const char* out : {"out", "new"}) {
    MergeRequest interrupted = request(out, {"b"});
    interrupted.interrupted = [] { return true; };
    const MergeResult result = merge_stores(interrupted);
    EXPECT_FALSE(result.merged);
    EXPECT_TRUE(result.interrupted);
  }
  EXPECT_TRUE(snapshot(folder_.path()) == before);
}

TEST_F(MergeErrorTest, WhatAnEarlierMergeLeftIsThrownAway) {
  std::filesystem::copy(at("out"), at("new.merging"));
  EXPECT_TRUE(merge_stores(request("new", {"b"})).merged);
  EXPECT_EQ(content_of_store(at("new")), content_of_store(at("b")));
  EXPECT_FALSE(std::filesystem::exists(at("new.merging")));
}

TEST_F(MergeErrorTest, KilledHalfWayOutIsAsItWas) {
  const std::string before = content_of_store(at("out"));
  for (const char* out : {"out", "new"}) {
    MergeRequest killed = request(out, {"b"});
    const Child child([&killed] {
      int rows = 0;
      killed.interrupted = [&rows] { return ++rows > 2 && raise(SIGKILL) != 0; };
      merge_stores(killed);
      return std::string("merged");
    });
    EXPECT_EQ(child.report(), "") << "it ended with rows taken";
  }
  EXPECT_EQ(content_of_store(at("out")), before);
  EXPECT_FALSE(std::filesystem::exists(at("new")));
  EXPECT_TRUE(std::filesystem::exists(at("new.merging")));
  EXPECT_TRUE(merge_stores(request("out", {"b"})).merged);
  EXPECT_TRUE(merge_stores(request("new", {"b"})).merged) << "beside what was left";
  EXPECT_FALSE(std::filesystem::exists(at("new.merging")));
}

}  // namespace
}  // namespace assay
