#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "results/store/store.h"
#include "tests/harness/process.h"
#include "tests/results/records.h"

namespace assay {
namespace {

using OrderedJson = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;

class CompareCli : public testing::Test {
 protected:
  /// Four blocks are measured in both stores; the intervals of one do not meet.
  void SetUp() override {
    for (std::uint32_t number = 1; number <= 4; ++number) {
      put(a_, number, measured(1));
      put(b_, number, measured(number == 4 ? 2 : 1));
    }
    Store store = Store::open(a_);
    store.add_source(some_block(4), some_source("corpus", 7, 0.5));
  }
  static void put(const std::string& path, std::uint32_t number, const Measurement& measurement,
                  const std::string& version = "0.1.0") {
    Store store = Store::open(path);
    const CampaignId id = store.campaign(some_machine(), some_environment(), version, Settings{});
    store.put(id, some_block(number), measurement);
  }
  Finished run(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"compare", a_, b_};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_assay(words);
  }

  TemporaryFolder folder_;
  std::string a_ = folder_ / "a.sqlite";
  std::string b_ = folder_ / "b.sqlite";
};

TEST_F(CompareCli, TellsHowFarTheyAgree) {
  const Finished text = run({});
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.err, IsEmpty());
  EXPECT_THAT(text.out, HasSubstr("their intervals meet                    3    75.00 %\n"));
  EXPECT_THAT(text.out, HasSubstr("unrolled corpus:7\n    b804000000\n    mov eax, 4\n"));
  const OrderedJson object = OrderedJson::parse(run({"--json"}).out);
  EXPECT_EQ(object["format"], "assay-comparison");
  EXPECT_EQ(object["intervals_meet"], 3);
  EXPECT_EQ(object["worst"][0]["hex"], "b804000000");
  EXPECT_EQ(object["a"]["store"], a_);
  EXPECT_EQ(OrderedJson::parse(run({"--json", "--worst", "1"}).out)["worst"].size(), 1U);
  EXPECT_THAT(snapshot(folder_.path()), ElementsAre(Key("a.sqlite"), Key("b.sqlite")));
}

TEST_F(CompareCli, AFullDeviceIsToldOnce) {
  // More output than the C library's buffer holds.
  for (std::uint32_t number = 5; number <= 100; ++number) {
    put(a_, number, measured(1));
    put(b_, number, measured(2));
  }
  AssayProcess process({"compare", a_, b_, "--worst", "96"}, "", [] {
    if (dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO) < 0) _exit(126);
  });
  const Finished full = process.wait();
  EXPECT_EQ(full.status, 3);
  EXPECT_EQ(full.err,
            "assay compare: cannot write to standard output: No space left on device (ENOSPC)\n");
}

TEST_F(CompareCli, FailsAboveALimitAndNotAtIt) {
  EXPECT_EQ(run({"--fail-above", "25"}).status, 0);
  const Finished above = run({"--fail-above", "24.999999"});
  EXPECT_EQ(above.status, 1);
  EXPECT_THAT(above.out, HasSubstr("measured in both"));
  EXPECT_THAT(above.err, HasSubstr("the intervals of 1 of 4 blocks measured in both do not meet"));
  EXPECT_EQ(run({"--fail-above", "0"}).status, 1);
}

TEST_F(CompareCli, NothingInCommonIsStatusOne) {
  const std::string other = folder_ / "other.sqlite";
  put(other, 9, measured(1));
  const Finished disjoint = run_assay({"compare", a_, other, "--fail-above", "100"});
  EXPECT_EQ(disjoint.status, 1);
  EXPECT_THAT(disjoint.err, HasSubstr("no block has an outcome in both"));
  put(other, 1, without_number(Reason::kUnstable));
  const Finished unmeasured = run_assay({"compare", a_, other, "--fail-above", "100"});
  EXPECT_EQ(unmeasured.status, 1);
  EXPECT_THAT(unmeasured.err, HasSubstr("no block was measured in both"));
  EXPECT_THAT(unmeasured.out, HasSubstr("unstable"));
  EXPECT_EQ(run({"--notion", "looped"}).status, 1);
}

TEST_F(CompareCli, ComparesTwoCampaignsOfOneStore) {
  put(a_, 4, measured(3), "0.2.0");
  const Finished unsure = run({});
  EXPECT_EQ(unsure.status, 2);
  EXPECT_THAT(unsure.err, HasSubstr("a.sqlite holds 2 campaigns: choose one with --campaign-a ID"));
  const Finished wrong = run({"--campaign-a", "9"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("holds no campaign 9"));
  const Finished both =
      run_assay({"compare", a_, a_, "--campaign-a", "1", "--campaign-b", "2", "--json"});
  EXPECT_EQ(both.status, 0) << both.err;
  const OrderedJson object = OrderedJson::parse(both.out);
  EXPECT_EQ(object["in_both"], 1);
  EXPECT_EQ(object["only_in_a"], 3);
  EXPECT_EQ(object["median_difference"], 2.0);
  EXPECT_EQ(object["different"].dump(), R"([{"name":"program","a":"0.1.0","b":"0.2.0"}])");
}

TEST_F(CompareCli, WrongInputIsStatusTwo) {
  const std::string letter = folder_.write("letter.txt", "not a database\n");
  EXPECT_EQ(run_assay({"compare", a_, letter}).status, 2);
  EXPECT_EQ(run_assay({"compare", a_, folder_ / "missing.sqlite"}).status, 2);
  { Store::open(folder_ / "empty.sqlite"); }
  const Finished empty = run_assay({"compare", folder_ / "empty.sqlite", a_});
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, HasSubstr("empty.sqlite: a store without campaigns"));
}

}  // namespace
}  // namespace assay
