#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <variant>

#include "suites/readers/corpus_reader.h"
#include "tests/harness/process.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ExtractCli : public testing::Test {
 protected:
  std::vector<CorpusEntry> blocks_in(const std::string& path, CorpusFormat format) {
    CorpusReader reader = CorpusReader::open(path, format);
    std::vector<CorpusEntry> entries;
    while (const auto item = reader.next()) {
      const auto* const entry = std::get_if<CorpusEntry>(&*item);
      EXPECT_NE(entry, nullptr);
      if (entry != nullptr) entries.push_back(*entry);
    }
    return entries;
  }

  TemporaryFolder folder_;
  std::string out_ = folder_ / "blocks";
  const std::string program_ = ASSAY_EXTRACT_PROGRAM;
};

TEST_F(ExtractCli, WritesACorpusThatIsReadAgain) {
  const Finished done = run_assay({"extract", program_, program_, "--out", out_});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, StartsWith("8 distinct blocks in 16 places"));
  EXPECT_THAT(done.err, IsEmpty());
  const auto blocks = blocks_in(out_, CorpusFormat::kJsonLines);
  ASSERT_EQ(blocks.size(), 8U);
  EXPECT_EQ(hex_from_bytes(blocks[3].bytes), "31c0");
  EXPECT_EQ(blocks[3].frequency, 2.0);
  EXPECT_EQ(blocks[3].origin, "extract_program:length");
}

TEST_F(ExtractCli, WritesOtherFormatsAndToStandardOutput) {
  const Finished hex = run_assay({"extract", program_, "--format", "hex"});
  EXPECT_EQ(hex.status, 0);
  EXPECT_THAT(hex.out, HasSubstr("\n31c0\n"));
  EXPECT_THAT(hex.err, HasSubstr("8 distinct blocks"));
  const Finished bhive =
      run_assay({"extract", program_, "--format", "bhive-frequency", "--out", out_});
  EXPECT_EQ(bhive.status, 0);
  EXPECT_EQ(blocks_in(out_, CorpusFormat::kBhiveFrequency).size(), 8U);
}

TEST_F(ExtractCli, KeepsBranchesIfAskedTo) {
  const Finished done = run_assay({"extract", program_, "--format", "hex", "--keep-branch"});
  EXPECT_EQ(done.status, 0);
  EXPECT_THAT(done.out, HasSubstr("\n803c07007405\n"));
}

TEST_F(ExtractCli, ReportsToPrograms) {
  const Finished done = run_assay({"extract", program_, "--json", "--out", out_});
  const json report = json::parse(done.out);
  EXPECT_EQ(report["distinct"], 8);
  EXPECT_EQ(report["total"]["blocks"], 8);
  EXPECT_EQ(report["total"]["loops"], 0);
  EXPECT_EQ(report["total"]["skipped"]["branch_alone"], 2);
  EXPECT_EQ(report["programs"][0]["path"], program_);
  EXPECT_EQ(report["programs"][0]["ways"]["unresolved_jumps"], 0);
}

TEST_F(ExtractCli, TakesLoopsAlone) {
  const Finished done = run_assay({"extract", ASSAY_EXTRACT_LOOPS, "--loops", "--out", out_});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, StartsWith("2 distinct loops in 3 of 7 places with a block; "));
  const auto loops = blocks_in(out_, CorpusFormat::kJsonLines);
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(hex_from_bytes(loops[0].bytes), "48030748ffce75f8");
  EXPECT_THAT(loops[0].name, EndsWith(" sum+0x2 loops.S:11"));
  EXPECT_EQ(loops[0].origin, "extract_loops:sum");
  EXPECT_EQ(loops[0].frequency, 2.0);
  const std::string about = content_of(out_);
  EXPECT_THAT(about, HasSubstr("\"innermost loops of one block of "));
  EXPECT_THAT(about, HasSubstr("\"branches\":\"kept\""));
  const Finished both =
      run_assay({"extract", ASSAY_EXTRACT_LOOPS, "--loops", "--keep-branch", "--format", "hex"});
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("\n48030748ffce75f8\nf390ebfc\n"));
}

TEST_F(ExtractCli, SaysThatAProgramHasNoLoops) {
  const Finished none = run_assay({"extract", program_, "--loops", "--out", out_});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, StartsWith("assay extract: no innermost loops of one block\n"
                                   "0 distinct loops in 0 of 8 places with a block; "));
  EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(ExtractCli, RefusesWhatItCannotDo) {
  const struct {
    std::vector<std::string> arguments;
    const char* says;
  } cases[] = {
      {{}, "no program given"},
      {{program_, "--format", "store"}, "no"},
      {{program_, "--format", "csv"}, "not written in a format 'csv'"},
      {{program_, "--json"}, "give --out FILE"},
      {{folder_ / "missing"}, "ENOENT"},
      {{folder_.write("script", "#!/bin/sh\n")}, "is a script for \"/bin/sh\""},
      {{program_, folder_.write("empty", "")}, "is empty"},
  };
  for (auto test : cases) {
    test.arguments.insert(test.arguments.begin(), "extract");
    const Finished refused = run_assay(test.arguments);
    EXPECT_EQ(refused.status, 2) << test.says;
    EXPECT_THAT(refused.err, HasSubstr(test.says));
    EXPECT_THAT(refused.out, IsEmpty());
  }
}

TEST_F(ExtractCli, WritesOverNoProgram) {
  const std::string program = folder_.write("program", content_of(program_));
  const Finished refused = run_assay({"extract", program_, program, "--out", program});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--out names " + program + " itself"));
  EXPECT_EQ(content_of(program), content_of(program_));
}

TEST_F(ExtractCli, PrintsNamesThatAreNoUtf8) {
  const std::string program = folder_.write(
      "pro\xff"
      "gram",
      content_of(program_));
  const Finished done = run_assay({"extract", program, "--json", "--out", folder_ / "corpus"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("pro\\ufffdgram"));
}

TEST_F(ExtractCli, LeavesNothingOfAnOutputThatCannotBeFinished) {
  const Finished refused =
      run_assay({"extract", program_, folder_.write("empty", ""), "--out", out_});
  EXPECT_EQ(refused.status, 2);
  EXPECT_FALSE(std::filesystem::exists(out_));
}

}  // namespace
}  // namespace assay
