#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "suites/readers/corpus_reader.h"
#include "tests/harness/process.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class SuiteCli : public testing::Test {
 protected:
  std::vector<std::string> hexes(const std::string& path) {
    CorpusReader reader = CorpusReader::open(path, std::nullopt);
    std::vector<std::string> found;
    while (const auto item = reader.next()) {
      found.push_back(hex_from_bytes(std::get<CorpusEntry>(*item).bytes));
    }
    return found;
  }
  /// The lines that `assay suite filter` writes for the corpus some_, with these words as further
  /// arguments.
  std::vector<std::string> filtered(std::vector<std::string> words) {
    words.insert(words.begin(), {"suite", "filter", some_, "--out", out_});
    const Finished finished = run_assay(words);
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(finished.out, "");
    summary_ = finished.err;
    return hexes(out_);
  }

  TemporaryFolder folder_;
  // Five blocks: a sum, a load through one register and a store through another, a division, a
  // system call, and the sum again.
  std::string some_ = folder_.write("some.jsonl", R"({"hex":"4801d8","name":"sum","weight":3}
{"hex":"488b03488901","source":"gzip"}
{"hex":"48f7f3","state":"bhive rdx=0x0","weight":0.5}
{"hex":"0f05"}
{"hex":"4801d8","name":"again"}
)");
  std::string out_ = folder_ / "out.jsonl";
  std::string summary_;
};

TEST_F(SuiteCli, HasSubcommands) {
  const Finished help = run_assay({"suite", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("usage: assay suite SUBCOMMAND"), HasSubstr("\n  show "),
                              HasSubstr("\n  filter ")));
  EXPECT_EQ(run_assay({"suite"}).status, 2);
  const Finished unknown = run_assay({"suite", "shw"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.err, "assay suite: no subcommand 'shw'; see: assay suite --help\n");
  const Finished wrong = run_assay({"suite", "show"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.err, "assay suite show: no corpus given\nsee: assay suite show --help\n");
}

TEST_F(SuiteCli, ShowsBlocksAndCountsThem) {
  const Finished shown = run_assay({"suite", "show", some_});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, StartsWith("some.jsonl:1  1 instruction  3 bytes  weight 3  name \"sum\"\n"
                                    "    4801d8\n    add rax, rbx\n\n"));
  EXPECT_THAT(shown.out, HasSubstr("\n4 blocks on 5 lines, weight 3.5 (3 of the lines without)\n"));
  const Finished summary = run_assay({"suite", "show", some_, "--summary"});
  EXPECT_THAT(summary.out, StartsWith("4 blocks"));
  const Finished first = run_assay({"suite", "show", some_, "--limit", "2", "--summary"});
  EXPECT_THAT(first.out, StartsWith("2 blocks, "));
}

TEST_F(SuiteCli, ShowsJson) {
  const Finished shown = run_assay({"suite", "show", some_, "--json"});
  const json counts = json::parse(shown.out);
  EXPECT_EQ(counts["format"], "assay-suite");
  EXPECT_EQ(counts["version"], 1);
  EXPECT_THAT(counts["corpora"], ElementsAre(some_));
  EXPECT_EQ(counts["lines"], 5);
  EXPECT_EQ(counts["blocks"], 4);
  EXPECT_EQ(counts["traits"]["refused"]["blocks"], 1);
}

TEST_F(SuiteCli, TellsBadLines) {
  const std::string bad = folder_.write("bad.hex", "4801d8\n48zz\n90\n");
  const Finished shown = run_assay({"suite", "show", bad, "--summary"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.err, StartsWith("assay suite show: " + bad + ":2: "));
  EXPECT_THAT(shown.out, StartsWith("2 blocks; bad lines: 1\n"));
  const Finished kept = run_assay({"suite", "filter", bad, "--out", out_});
  EXPECT_EQ(kept.status, 0);
  EXPECT_THAT(hexes(out_), ElementsAre("4801d8", "90"));
}

TEST_F(SuiteCli, CopiesEverythingWithoutOptions) {
  EXPECT_THAT(filtered({}), ElementsAre("4801d8", "488b03488901", "48f7f3", "0f05", "4801d8"));
  EXPECT_EQ(summary_, "assay suite filter: 5 of 5 blocks written\n");
  CorpusReader reader = CorpusReader::open(out_, std::nullopt);
  const auto first = std::get<CorpusEntry>(*reader.next());
  EXPECT_EQ(first.name, "sum");
  EXPECT_EQ(first.frequency, 3);
  EXPECT_EQ(std::get<CorpusEntry>(*reader.next()).origin, "gzip");
  EXPECT_EQ(std::get<CorpusEntry>(*reader.next()).state, "bhive rdx=0x0");
}

TEST_F(SuiteCli, Filters) {
  EXPECT_THAT(filtered({"--drop", "uica"}), ElementsAre("4801d8", "4801d8"));
  EXPECT_THAT(summary_,
              AllOf(HasSubstr("2 of 5 blocks written\n"), HasSubstr("1 dropped: may_alias"),
                    HasSubstr("1 dropped: input_dependent"), HasSubstr("1 dropped: refused")));
  EXPECT_THAT(filtered({"--keep", "may_alias,refused"}), ElementsAre("488b03488901", "0f05"));
  EXPECT_THAT(filtered({"--memory", "any"}), ElementsAre("488b03488901"));
  EXPECT_THAT(filtered({"--min-length", "2"}), ElementsAre("488b03488901"));
  EXPECT_THAT(filtered({"--extension", "base", "--max-length", "1", "--limit", "1"}),
              ElementsAre("4801d8"));
}

TEST_F(SuiteCli, LimitsAndDrawsDistinctBlocks) {
  EXPECT_THAT(filtered({"--limit", "4"}),
              ElementsAre("4801d8", "488b03488901", "48f7f3", "0f05", "4801d8"));
  EXPECT_THAT(filtered({"--limit", "2"}), ElementsAre("4801d8", "488b03488901"));
  EXPECT_THAT(filtered({"--sample", "9"}), ElementsAre("4801d8", "488b03488901", "48f7f3", "0f05"));
  const auto drawn = filtered({"--sample", "2", "--seed", "1"});
  EXPECT_EQ(drawn.size(), 2U);
  EXPECT_EQ(filtered({"--sample", "2", "--seed", "1"}), drawn);
  EXPECT_THAT(content_of(out_), HasSubstr("\"sample\":\"2\",\"seed\":\"1\""));
}

TEST_F(SuiteCli, DrawsByWeightOnlyWhereThereAreWeights) {
  const std::string weighted = folder_.write("w.csv", "90,0\n9090,5\n909090,0\n");
  const Finished drawn =
      run_assay({"suite", "filter", weighted, "--corpus-format", "bhive-frequency", "--sample", "2",
                 "--by-weight", "--format", "bhive-frequency"});
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_THAT(drawn.out, HasSubstr("\n9090,5\n"));
  const Finished without = run_assay({"suite", "filter", some_, "--sample", "2", "--by-weight"});
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.err, HasSubstr(some_ + ":2: the block has no weight to be drawn by"));
}

TEST_F(SuiteCli, SumsUpInJson) {
  const Finished finished =
      run_assay({"suite", "filter", some_, "--drop", "may_alias", "--out", out_, "--json"});
  EXPECT_EQ(finished.status, 0);
  const json summary = json::parse(finished.out);
  EXPECT_EQ(summary["format"], "assay-suite-filter");
  EXPECT_EQ(summary["lines"], 5);
  EXPECT_EQ(summary["written"], 4);
  EXPECT_EQ(summary["dropped"].dump(), R"({"may_alias":1})");
}

TEST_F(SuiteCli, WritesNothingWhereNothingIsLeft) {
  const Finished none = run_assay({"suite", "filter", some_, "--min-length", "9", "--out", out_});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("nothing to write: every block was dropped"));
  EXPECT_FALSE(std::filesystem::exists(out_));
  const std::string empty = folder_.write("empty.hex", "# nothing\n");
  const Finished nothing = run_assay({"suite", "filter", empty});
  EXPECT_EQ(nothing.status, 1);
  EXPECT_THAT(nothing.err, HasSubstr("no blocks in " + empty));
  const Finished shown = run_assay({"suite", "show", empty});
  EXPECT_EQ(shown.status, 1);
  EXPECT_EQ(shown.err, "assay suite show: no blocks in " + empty + "\n");
}

TEST_F(SuiteCli, RefusesWrongOptions) {
  struct Case {
    std::vector<std::string> words;
    const char* message;
  };
  const Case cases[] = {
      {{"--drop", "x87_stack"}, "--drop: 'x87_stack' is no list of traits"},
      {{"--drop", "uica", "--keep", "refused"}, "--drop and --keep leave no block"},
      {{"--min-length", "-1"}, "--min-length must be at least 0"},
      {{"--min-length", "3", "--max-length", "2"}, "--min-length is more than --max-length"},
      {{"--memory", "some"}, "--memory: no use 'some'; there are: none, loads"},
      {{"--extension", "avx,sse9"}, "--extension: no extension 'sse9'; there are: 3dnow"},
      {{"--limit", "0"}, "--limit must be at least 1"},
      {{"--sample", "-3"}, "--sample must be at least 1"},
      {{"--limit", "1", "--sample", "1"}, "--limit or --sample, not both"},
      {{"--seed", "1"}, "--seed and --by-weight need --sample"},
      {{"--format", "csv"}, "--format: corpora are written as jsonl, hex, bhive-frequency"},
      {{"--json"}, "give --out FILE"},
      {{"--out", "some.jsonl"}, "itself: name another file"},
  };
  for (const Case& each : cases) {
    std::vector<std::string> words = {"suite", "filter", some_};
    for (const std::string& word : each.words) words.push_back(word == "some.jsonl" ? some_ : word);
    const Finished finished = run_assay(words);
    EXPECT_EQ(finished.status, 2) << each.message;
    EXPECT_THAT(finished.err, HasSubstr(each.message));
    EXPECT_THAT(finished.out, IsEmpty());
  }
  EXPECT_EQ(run_assay({"suite", "show", some_, "--limit", "0"}).status, 2);
}

TEST_F(SuiteCli, FindsAMissingCorpusBeforeItWritesAnything) {
  const Finished finished = run_assay({"suite", "show", some_, folder_ / "missing.hex"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, HasSubstr("missing.hex"));
}

TEST_F(SuiteCli, HearsAnInterruptWhereNoBlockComes) {
  const std::string endless = folder_ / "endless";
  ASSERT_EQ(mkfifo(endless.c_str(), 0600), 0);
  // The pipe is open for writing, but nobody writes to it.
  const int writer = open(endless.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(write(writer, "\n\n\n", 3), 3);
  AssayProcess process({"suite", "show", endless});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(process.pid(), SIGTERM);
  EXPECT_EQ(process.wait().status, 128 + SIGTERM);
  close(writer);
}

TEST_F(SuiteCli, ReadsStandardInput) {
  const Finished shown = run_assay({"suite", "show", "-", "--summary"}, "4801d8\n");
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, StartsWith("1 block\n"));
}

}  // namespace
}  // namespace assay
