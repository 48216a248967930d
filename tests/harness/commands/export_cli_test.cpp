#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "profiler/block/bytes.h"
#include "results/store/store.h"
#include "suites/readers/corpus_reader.h"
#include "tests/harness/process.h"
#include "tests/results/records.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ExportCli : public testing::Test {
 protected:
  /// Makes a store of three blocks, which are not stored in the order of their bytes; the second
  /// has no value.
  void SetUp() override {
    Store store = Store::open(store_);
    put(store, 3, measured(1.0 / 3));
    put(store, 1, measured(1.25));
    put(store, 2, without_number(Reason::kUnstable));
    store.add_source(some_block(1), some_source("one", 1, 0.5));
    store.add_source(some_block(3), some_source("two", 1, 0.5));
  }
  static void put(Store& store, std::uint32_t number, const Measurement& measurement,
                  const std::string& version = "0.1.0") {
    const CampaignId id = store.campaign(some_machine(), some_environment(), version, Settings{});
    store.put(id, some_block(number), measurement);
  }
  void put_another_campaign() {
    Store store = Store::open(store_);
    put(store, 1, measured(7), "0.0.9");
  }
  /// Stores so many blocks that their output does not fit into any buffer.
  void put_many() {
    Store store = Store::open(store_);
    for (std::uint32_t i = 0; i < 2000; ++i) put(store, 100 + i, measured(1));
  }
  void put_looped() {
    Store store = Store::open(store_);
    Measurement looped = measured(2);
    looped.notion = Notion::kLooped;
    put(store, 1, looped);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& [name, content] : snapshot(folder_.path())) names.push_back(name);
    return names;
  }
  Finished run(const std::string& format, const std::vector<std::string>& arguments = {}) {
    std::vector<std::string> words = {"export", store_, "--format", format};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_assay(words);
  }

  TemporaryFolder folder_;
  std::string store_ = folder_ / "results.sqlite";
  std::string out_ = folder_ / "out.csv";
};

TEST_F(ExportCli, BhiveLeavesOutBlocksWithStatesOfTheirOwnAndSaysSo) {
  const std::string before = run("bhive").out;
  {
    Store store = Store::open(store_);
    const CampaignId id = some_campaign(store);
    store.put(id, with_state(some_block(1), "zero"), measured(7));
    store.put(id, with_state(some_block(2), "zero"), without_number(Reason::kTrap));
  }
  const Finished done = run("bhive");
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.out, before);
  EXPECT_THAT(done.err, HasSubstr("left out 1 block measured with an initial state of its own"));
  EXPECT_EQ(lines_of(run("csv").out).size(), 6U);
}

TEST_F(ExportCli, BhiveIsReadAgainAsACorpus) {
  const Finished done = run("bhive", {"--out", out_});
  EXPECT_EQ(done.status, 0);
  EXPECT_THAT(done.out + done.err, IsEmpty());
  EXPECT_EQ(content_of(out_), "b801000000,125\nb803000000,33.33333333333333\n");
  CorpusReader reader = CorpusReader::open(out_, CorpusFormat::kBhiveThroughput);
  std::vector<double> cycles;
  while (const auto item = reader.next()) {
    cycles.push_back(std::get<CorpusEntry>(*item).reference_cycles.value());
  }
  EXPECT_THAT(cycles, ElementsAre(125.0, 1.0 / 3 * 100));
}

TEST_F(ExportCli, CsvAndJsonHaveEveryOutcomeByBytes) {
  const std::vector<std::string> csv = lines_of(run("csv").out);
  ASSERT_EQ(csv.size(), 4U);
  EXPECT_THAT(csv[0], StartsWith("format,version,hex,text,"));
  EXPECT_THAT(csv[1], StartsWith("assay-export,1,b801000000,"));
  EXPECT_THAT(csv[2], HasSubstr(",rejected,unstable,at offset 0,,,"));
  const std::vector<std::string> jsonl = lines_of(run("jsonl").out);
  ASSERT_EQ(jsonl.size(), 3U);
  EXPECT_EQ(json::parse(jsonl[0])["hex"], "b801000000");
  EXPECT_TRUE(json::parse(jsonl[1])["cycles"].is_null());
  EXPECT_EQ(json::parse(jsonl[2])["cycles"], 1.0 / 3);
}

TEST_F(ExportCli, BhiveOfSeveralCampaignsAsksForOne) {
  put_another_campaign();
  const Finished unsure = run("bhive");
  EXPECT_EQ(unsure.status, 2);
  EXPECT_THAT(unsure.out, IsEmpty());
  EXPECT_THAT(unsure.err, HasSubstr("holds 2 campaigns: choose one with --campaign ID\n"));
  EXPECT_THAT(unsure.err, HasSubstr("\n    1  20"));
  EXPECT_THAT(unsure.err, HasSubstr("AMD EPYC (zen4), assay 0.0.9, protocol assay, clock tsc"));
  EXPECT_EQ(run("bhive", {"--campaign", "2"}).out, "b801000000,700\n");
  const Finished wrong = run("bhive", {"--campaign", "3"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("holds no campaign 3; there are:\n"));
}

TEST_F(ExportCli, CsvHasAllCampaignsInAnOrderThatIdsDoNotDecide) {
  put_another_campaign();
  const std::vector<std::string> csv = lines_of(run("csv").out);
  ASSERT_EQ(csv.size(), 5U);
  EXPECT_THAT(csv[1], HasSubstr(",2,0.0.9,assay,tsc,"));
  EXPECT_THAT(csv[2], HasSubstr(",1,0.1.0,assay,tsc,"));
  EXPECT_EQ(lines_of(run("csv", {"--campaign", "1"}).out).size(), 4U);
}

TEST_F(ExportCli, BhiveOfSeveralNotionsAsksForOne) {
  put_looped();
  const Finished unsure = run("bhive");
  EXPECT_EQ(unsure.status, 2);
  EXPECT_THAT(unsure.err, HasSubstr("choose with --notion"));
  EXPECT_EQ(run("bhive", {"--notion", "looped"}).out, "b801000000,200\n");
  EXPECT_EQ(lines_of(run("jsonl").out).size(), 4U);
  EXPECT_EQ(lines_of(run("jsonl", {"--notion", "unrolled"}).out).size(), 3U);
}

TEST_F(ExportCli, OneCorpus) {
  EXPECT_EQ(run("bhive", {"--corpus", "two"}).out, "b803000000,33.33333333333333\n");
  const Finished wrong = run("csv", {"--corpus", "three"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("no corpus 'three'; there are: one, two\n"));
}

TEST_F(ExportCli, NothingToExportIsStatusOneAndNoFile) {
  const Finished none = run("csv", {"--notion", "looped", "--out", out_});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.out, IsEmpty());
  EXPECT_THAT(none.err, HasSubstr("nothing to export"));
  EXPECT_THAT(files(), ElementsAre("results.sqlite"));
}

TEST_F(ExportCli, WrongInputIsStatusTwo) {
  const std::string letter = folder_.write("letter.txt", "not a database\n");
  EXPECT_EQ(run_assay({"export", letter, "--format", "csv"}).status, 2);
  EXPECT_EQ(run_assay({"export", folder_ / "missing.sqlite", "--format", "csv"}).status, 2);
  { Store::open(folder_ / "empty.sqlite"); }
  const Finished empty = run_assay({"export", folder_ / "empty.sqlite", "--format", "csv"});
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, HasSubstr("a store without campaigns"));
}

TEST_F(ExportCli, NeverWritesOverTheStore) {
  const std::string before = content_of(store_);
  EXPECT_EQ(run("csv", {"--out", store_}).status, 2);
  std::filesystem::create_symlink(store_, folder_ / "link");
  EXPECT_EQ(run("csv", {"--out", folder_ / "link"}).status, 2);
  EXPECT_EQ(content_of(store_), before);
}

TEST_F(ExportCli, AFullDiskIsStatusThreeAndLeavesTheOldFile) {
  put_many();
  write_file(out_, "old");
  AssayProcess limited({"export", store_, "--format", "jsonl", "--out", out_}, "", [] {
    const rlimit small{1 << 17, 1 << 17};  // enough for the files that SQLite makes for a reader
    setrlimit(RLIMIT_FSIZE, &small);
  });
  const Finished done = limited.wait();
  EXPECT_EQ(done.status, 3);
  EXPECT_THAT(done.err, HasSubstr("out.csv: cannot be written: File too large"));
  EXPECT_EQ(content_of(out_), "old");
  EXPECT_THAT(files(), ElementsAre("out.csv", "results.sqlite"));
  AssayProcess full({"export", store_, "--format", "csv"}, "",
                    [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); });
  const Finished stdout_full = full.wait();
  EXPECT_EQ(stdout_full.status, 3);
  EXPECT_THAT(stdout_full.err, HasSubstr("standard output: cannot be written: No space left"));
}

TEST_F(ExportCli, APipeThatNobodyReadsEndsQuietly) {
  for (const bool ignored : {false, true}) {
    AssayProcess process({"export", store_, "--format", "csv"}, "", [ignored] {
      int ends[2];
      if (pipe(ends) != 0) _exit(126);
      close(ends[0]);
      dup2(ends[1], STDOUT_FILENO);
      if (ignored) std::signal(SIGPIPE, SIG_IGN);
    });
    const Finished done = process.wait();
    EXPECT_EQ(done.status, 128 + SIGPIPE);
    EXPECT_THAT(done.err, IsEmpty());
  }
  EXPECT_THAT(files(), ElementsAre("results.sqlite"));
}

/// The program waits because a pipe is full, until it is told to stop.
TEST_F(ExportCli, InterruptedItLeavesNothing) {
  put_many();
  AssayProcess process({"export", store_, "--format", "jsonl"}, "", [] {
    int ends[2];
    if (pipe(ends) != 0) _exit(126);
    dup2(ends[1], STDOUT_FILENO);
    alarm(60);
  });
  const std::string wchan = "/proc/" + std::to_string(process.pid()) + "/wchan";
  for (int i = 0; i < 1000 && content_of(wchan).find("pipe_write") == std::string::npos; ++i) {
    usleep(10'000);
  }
  kill(process.pid(), SIGTERM);
  EXPECT_EQ(process.wait().status, 128 + SIGTERM);
  EXPECT_THAT(files(), ElementsAre("results.sqlite"));
}

}  // namespace
}  // namespace assay
