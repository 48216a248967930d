#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/store/store.h"
#include "tests/harness/process.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// Shards of a campaign, each with one outcome.
class MergeCli : public testing::Test {
 protected:
  std::string make_shard(std::int64_t index, bool complete) const {
    const std::string path = folder_ / ("shard" + std::to_string(index) + ".sqlite");
    Store store = Store::open(path);
    const CampaignId campaign =
        store.campaign(Machine{.vendor = "v", .brand = "CPU X", .microarchitecture = "zen4"},
                       Environment{}, "0.1.0", Settings{});
    Measurement measurement;
    measurement.outcome.reason = Reason::kSystemCall;
    store.put(campaign, {{{0x0f, 0x05, static_cast<std::uint8_t>(index)}}, "x", 1}, measurement);
    Coverage coverage;
    coverage.corpus = "bhive";
    coverage.shard = index;
    coverage.shards = 2;
    store.begin_coverage(campaign, coverage);
    coverage.digest = "ab12";
    coverage.blocks = 1;
    if (complete) store.complete_coverage(campaign, coverage);
    return path;
  }

  TemporaryFolder folder_;
  std::string out_ = folder_ / "all.sqlite";
};

TEST_F(MergeCli, LeavesNothingWhereItCannotBegin) {
  const std::string shard = make_shard(1, true);
  const std::string merged = folder_ / "merged.sqlite";
  const Finished run = AssayProcess({"merge", merged, shard}, "", [] {
                         const rlimit small{8192, 8192};
                         setrlimit(RLIMIT_FSIZE, &small);
                         std::signal(SIGXFSZ, SIG_IGN);
                       }).wait();
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_FALSE(std::filesystem::exists(merged));
  EXPECT_FALSE(std::filesystem::exists(merged + ".merging"));
}

TEST_F(MergeCli, JoinsShardsAndSaysHowFarTheCorpusHasCome) {
  const std::string first = make_shard(1, true), second = make_shard(2, true);
  const Finished one = run_assay({"merge", out_, first});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, AllOf(HasSubstr("shard1.sqlite: 1 new"), HasSubstr("CPU X (zen4)"),
                             HasSubstr("bhive, unrolled: 1 of 2 shards, 1 block, missing: 2")));
  const Finished both = run_assay({"merge", out_, first, second});
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_THAT(both.out, AllOf(HasSubstr("shard1.sqlite: 0 new, 0 replaced others, 1 not taken"),
                              HasSubstr("2 blocks, 2 outcomes in "),
                              HasSubstr("2 of 2 shards, 2 blocks, complete")));
  EXPECT_THAT(both.err, IsEmpty());
}

TEST_F(MergeCli, JsonHasTheWholeObject) {
  const Finished run = run_assay({"merge", out_, make_shard(2, false), "--partial", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  const json object = json::parse(run.out);
  EXPECT_EQ(object["format"], "assay-merge");
  EXPECT_EQ(object["version"], 1);
  EXPECT_EQ(object["db"], out_);
  EXPECT_EQ(object["merged"], true);
  EXPECT_EQ(object["measurements"], 1);
  EXPECT_EQ(object["stores"][0]["added"], 1);
  EXPECT_EQ(object["incomplete"][0]["corpus"], "bhive");
  EXPECT_EQ(object["incomplete"][0]["shard"], 2);
  const json coverage = object["coverage"][0];
  EXPECT_EQ(coverage["machine"], "CPU X");
  EXPECT_EQ(coverage["settings"]["protocol"], "assay");
  EXPECT_EQ(coverage["complete"], false);
  EXPECT_EQ(coverage["incomplete_shards"], json({2}));
  EXPECT_EQ(coverage["missing_shards"], json::parse("[[1,1]]"));
  EXPECT_TRUE(coverage["limit"].is_null());
}

TEST_F(MergeCli, AnIncompleteStoreIsNamedWithWhatToDo) {
  const std::string first = make_shard(1, true), second = make_shard(2, false);
  const Finished run = run_assay({"merge", out_, first, second});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, IsEmpty());
  EXPECT_THAT(run.err, AllOf(HasSubstr(second + ": bhive, unrolled, shard 2/2"),
                             HasSubstr("the same `assay profile` command again"),
                             HasSubstr("--partial"), HasSubstr("nothing was merged into " + out_)));
  EXPECT_FALSE(std::filesystem::exists(out_));
  const Finished as_json = run_assay({"merge", out_, first, second, "--json"});
  EXPECT_EQ(as_json.status, 1);
  EXPECT_EQ(json::parse(as_json.out)["merged"], false);
}

TEST_F(MergeCli, WrongUsageAndErrors) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"merge"}, {"merge", out_}, {"merge", out_, "a", "--force"}}) {
    const Finished run = run_assay(arguments);
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, HasSubstr("see: assay merge --help"));
  }
  const Finished missing = run_assay({"merge", out_, folder_ / "none.sqlite"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("none.sqlite: there is no such store"));
  EXPECT_FALSE(std::filesystem::exists(out_));
  EXPECT_EQ(run_assay({"merge", "--help"}).status, 0);
}

}  // namespace
}  // namespace assay
