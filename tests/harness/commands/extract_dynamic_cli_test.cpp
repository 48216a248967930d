// `assay extract --dynamic` on a program that is so small that every instruction that runs is known
// (traced_program.S).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/harness/process.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kProgram = ASSAY_TRACED_PROGRAM;
constexpr const char* kItsOutput = "the traced program writes\n";

class ExtractDynamicCli : public testing::Test {
 protected:
  void SetUp() override {
    const std::string quiet = " >" + (folder_ / "log").string() + " 2>&1";
    if (std::system(("valgrind --version" + quiet).c_str()) != 0) {
      GTEST_SKIP() << "valgrind is not installed (scripts/setup build)";
    }
    const std::string probe = "valgrind --tool=callgrind --callgrind-out-file=/dev/null ";
    if (std::system((probe + kProgram + quiet).c_str()) != 0) {
      GTEST_SKIP() << "valgrind cannot run a program here: " << content_of(folder_ / "log");
    }
    std::filesystem::create_directory(temporary_);
  }

  /// Starts `assay extract PROGRAM --dynamic OPTIONS... [-- ARGUMENTS...]` with a folder of its own
  /// for temporary files.
  std::unique_ptr<AssayProcess> start(const std::string& program,
                                      const std::vector<std::string>& rest) {
    std::vector<std::string> words = {"extract", program, "--dynamic"};
    words.insert(words.end(), rest.begin(), rest.end());
    return std::make_unique<AssayProcess>(words, "",
                                          [this] { setenv("TMPDIR", temporary_.c_str(), 1); });
  }
  Finished run(const std::string& program, const std::vector<std::string>& rest) {
    return start(program, rest)->wait();
  }
  bool nothing_is_left() const { return std::filesystem::is_empty(temporary_); }

  /// The blocks of the corpus as "HEX xEXECUTIONS ORIGIN".
  std::vector<std::string> blocks() const {
    std::vector<std::string> texts;
    std::istringstream corpus(content_of(corpus_));
    for (std::string line; std::getline(corpus, line);) {
      const json block = json::parse(line);
      if (!block.contains("hex")) continue;
      texts.push_back(block["hex"].get<std::string>() + " x" + block["weight"].dump() + ' ' +
                      block["source"].get<std::string>());
    }
    return texts;
  }

  TemporaryFolder folder_;
  std::filesystem::path temporary_ = folder_ / "tmp";
  std::string corpus_ = folder_ / "corpus.jsonl";
};

TEST_F(ExtractDynamicCli, FindsTheBlocksThatRanAndHowOften) {
  const Finished done = run(kProgram, {"--json", "--out", corpus_});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.err, IsEmpty());
  EXPECT_THAT(
      blocks(),
      ElementsAre("488b1c24b9e8030000 x1 traced_program:_start",
                  "48ffcb4883fb02 x1 traced_program:_start", "8d3c5b x1 traced_program:_start",
                  "4801d0486bd207ffc9 x1000 traced_program:work",
                  "488d3d0b100000b964000000f3aa31d2 x1 traced_program:work",
                  "488d35ba0f0000ba1a000000bf01000000b801000000 x1 traced_program:report",
                  "bf02000000b801000000 x1 traced_program:report"));
  const json report = json::parse(done.out);
  EXPECT_EQ(report["distinct"], 7);
  EXPECT_EQ(report["status"], 0);
  EXPECT_EQ(report["total"]["executions"], 1006);
  EXPECT_EQ(report["total"]["skipped"]["branch_alone"], 3);
  EXPECT_EQ(report["objects"][0]["path"], kProgram);
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(ExtractDynamicCli, TakesTheLoopsThatRanAlone) {
  const Finished done = run(kProgram, {"--loops", "--out", corpus_});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("1 distinct loop in 1 of 7 places with a block, that ran 1000 of "
                                  "1006 times; "));
  EXPECT_THAT(blocks(), ElementsAre("4801d0486bd207ffc975f5 x1000 traced_program:work"));
  EXPECT_THAT(content_of(corpus_), HasSubstr(" work+0x0"));
}

TEST_F(ExtractDynamicCli, KeepsTheProgramsOutputOutOfItsOwn) {
  const std::string output = folder_ / "output";
  const Finished done = run(kProgram, {"--program-output", output});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out + done.err, Not(HasSubstr(kItsOutput)));
  EXPECT_THAT(done.out, HasSubstr("\"hex\":\"4801d0486bd207ffc9\""));
  EXPECT_EQ(content_of(output), std::string(kItsOutput) + kItsOutput);
}

TEST_F(ExtractDynamicCli, TakesWhatRanOfAProgramThatFails) {
  const Finished failed = run(kProgram, {"--out", corpus_, "--", "one"});
  EXPECT_EQ(failed.status, 0);
  EXPECT_THAT(failed.err, AllOf(HasSubstr("the program ended with status 3"),
                                HasSubstr("it wrote last:\n    the traced program writes\n")));
  EXPECT_EQ(blocks().size(), 7);

  const Finished unknown = run(kProgram, {"--out", corpus_, "--", "one", "two"});
  EXPECT_EQ(unknown.status, 0);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("the program was ended by SIGILL"),
                                 HasSubstr("valgrind said:\n    valgrind: Unrecognised")));
  EXPECT_EQ(blocks().size(), 6);
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(ExtractDynamicCli, TakesWhatRanUntilItIsInterrupted) {
  const std::string output = folder_ / "output";
  const auto process =
      start(kProgram, {"--program-output", output, "--out", corpus_, "--", "one", "two", "three"});
  while (content_of(output).size() < 2 * std::string(kItsOutput).size()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(process->pid(), SIGINT);
  const Finished done = process->wait();
  EXPECT_EQ(done.status, 128 + SIGINT);
  EXPECT_THAT(done.err, HasSubstr("interrupted: the program was told to end, and was ended by "
                                  "SIGTERM"));
  EXPECT_THAT(blocks(), testing::Contains("4801d0486bd207ffc9 x1000 traced_program:work"));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(ExtractDynamicCli, IsInNoDoubtWhereLibrariesLie) {
  const Finished done = run("true", {"--json", "--out", corpus_});
  EXPECT_EQ(done.status, 0) << done.err;
  const json report = json::parse(done.out);
  EXPECT_GE(report["objects"].size(), 3);
  EXPECT_GT(report["distinct"], 1000);
  EXPECT_EQ(report["total"]["not_in_file"], 0);
  EXPECT_EQ(report["total"]["skipped"]["open_end"], 0);

  const Finished main_only = run("true", {"--main-only", "--json", "--out", corpus_});
  EXPECT_LT(json::parse(main_only.out)["distinct"], 100);
}

TEST_F(ExtractDynamicCli, SaysWhatCannotBeRun) {
  const std::string text = folder_.write("text", "hello");
  const std::string script = folder_.write("script", "hello\n");
  const std::string odd = folder_.write("odd", "\177ELF" + std::string(60, '\0'));
  const std::string privileged = folder_.write("privileged", content_of(kProgram));
  using std::filesystem::perms;
  permissions(script, perms::owner_all);
  permissions(odd, perms::owner_all);
  permissions(privileged, perms::owner_all | perms::set_uid);
  const struct {
    std::string program;
    const char* problem;
  } kCases[] = {{"no-such-program", "no such program in PATH"},
                {folder_ / "missing", "No such file or directory (ENOENT)"},
                {folder_.path(), "is a folder"},
                {text, "is not executable"},
                {script, "is neither an ELF file nor an archive"},
                {odd, "odd is for machine 0: assay takes machine code for x86-64 alone"},
                {privileged, "Can't execute setuid"},
                {"", "the program's name is empty"}};
  for (const auto& wrong : kCases) {
    const Finished done = run(wrong.program, {});
    EXPECT_EQ(done.status, 2) << wrong.program;
    EXPECT_TRUE(done.out.empty()) << wrong.program;
    EXPECT_THAT(done.err, HasSubstr(wrong.problem));
  }
  EXPECT_EQ(run(kProgram, {"--stdin", folder_ / "missing"}).status, 2);
  EXPECT_EQ(run(kProgram, {"--time-limit", "0"}).status, 2);
  EXPECT_EQ(run(kProgram, {"--object", "nothing*"}).status, 2);
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(ExtractDynamicCli, LeavesNothingWhenItIsKilled) {
  const auto process = start("/bin/sleep", {"--out", corpus_, "--", "600"});
  while (nothing_is_left()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(process->pid(), SIGKILL);
  process->wait();
  for (int i = 0; i < 2000 && !nothing_is_left(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(ExtractDynamicCli, MakesNoCorpusOfWhatTemporaryFilesHadNoRoomFor) {
  AssayProcess process({"extract", kProgram, "--dynamic", "--out", corpus_}, "", [this] {
    setenv("TMPDIR", temporary_.c_str(), 1);
    // Files may not grow to the size of a profile, as on a full disk.
    const rlimit little{600, 600};
    setrlimit(RLIMIT_FSIZE, &little);
  });
  const Finished done = process.wait();
  EXPECT_EQ(done.status, 3);
  EXPECT_THAT(done.err, AllOf(HasSubstr(temporary_.string()),
                              HasSubstr("set TMPDIR to a folder with more room")));
  EXPECT_FALSE(std::filesystem::exists(corpus_));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(ExtractDynamicCli, SaysWhyNothingWasRecorded) {
  // A stand-in for valgrind that records nothing, like one that is ended too early.
  const std::string valgrind = folder_.write("valgrind", "#!/bin/sh\n>&2 echo up\nexec sleep 60\n");
  permissions(valgrind, std::filesystem::perms::owner_all);
  const auto start_with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"extract", kProgram, "--dynamic", "--out", corpus_});
    return std::make_unique<AssayProcess>(words, "", [this] {
      setenv("PATH", (folder_.path().string() + ":" + std::getenv("PATH")).c_str(), 1);
    });
  };
  const Finished late = start_with({"--time-limit", "1"})->wait();
  EXPECT_EQ(late.status, 2);
  EXPECT_THAT(late.err, HasSubstr("--time-limit 1"));

  const std::string output = folder_ / "output";
  const auto process = start_with({"--program-output", output});
  while (content_of(output).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(process->pid(), SIGTERM);
  const Finished interrupted = process->wait();
  EXPECT_EQ(interrupted.status, 128 + SIGTERM);
  EXPECT_THAT(interrupted.err, HasSubstr("interrupted before anything was recorded"));
  EXPECT_FALSE(std::filesystem::exists(corpus_));
}

TEST_F(ExtractDynamicCli, WritesOverNothingThatItNeeds) {
  const std::string program = folder_.write("program", content_of(kProgram));
  permissions(program, std::filesystem::perms::owner_all);
  const std::string input = folder_.write("input", "in");
  const std::string fresh = folder_ / "fresh";
  const struct {
    std::vector<std::string> options;
    const char* problem;
  } kCases[] = {{{"--out", program}, "--out names "},
                {{"--stdin", input, "--out", input}, "--out names "},
                {{"--program-output", fresh, "--out", fresh}, "--out names "},
                {{"--program-output", program}, "--program-output names "},
                {{"--stdin", input, "--program-output", input}, "--program-output names "},
                {{"--stdin", folder_.path()}, "is a folder"}};
  for (const auto& wrong : kCases) {
    const Finished done = run(program, wrong.options);
    EXPECT_EQ(done.status, 2) << wrong.problem;
    EXPECT_THAT(done.err, HasSubstr(wrong.problem));
  }
  EXPECT_EQ(content_of(program), content_of(kProgram));
  EXPECT_EQ(content_of(input), "in");
}

TEST_F(ExtractDynamicCli, SaysWhyAScriptHasNoBlocksOfItsOwn) {
  const std::string script = folder_.write("script", "#!/bin/sh\nexit 3\n");
  permissions(script, std::filesystem::perms::owner_all);
  const Finished done = run(script, {"--main-only", "--out", corpus_});
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("ended with status 3"), HasSubstr("--object PATTERN")));
}

TEST_F(ExtractDynamicCli, SaysInTheCorpusThatAProcessIsMissing) {
  const std::string output = folder_ / "output";
  const std::string script = fmt::format(
      "{0} 1 2 3 >{1} & until [ -s {1} ]; do :; done; kill -KILL $!; {0}", kProgram, output);
  const Finished done =
      run("sh", {"--object", "traced_program", "--out", corpus_, "--", "-c", script});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("ended without leaving a profile"));
  EXPECT_THAT(content_of(corpus_), HasSubstr("\"processes_left_out\":\"1\""));
}

TEST_F(ExtractDynamicCli, SaysWhichPackageIsMissing) {
  AssayProcess process({"extract", kProgram, "--dynamic"}, "",
                       [this] { setenv("PATH", temporary_.c_str(), 1); });
  const Finished done = process.wait();
  EXPECT_EQ(done.status, 3);
  EXPECT_THAT(done.err, HasSubstr("the package valgrind"));
}

TEST(ExtractDynamicOptions, GoWithDynamicAlone) {
  for (const auto& options : std::vector<std::vector<std::string>>{
           {"--main-only"}, {"--stdin", "x"}, {"--time-limit", "1"}, {"--", "argument"}}) {
    std::vector<std::string> words = {"extract", kProgram};
    words.insert(words.end(), options.begin(), options.end());
    const Finished done = run_assay(words);
    EXPECT_EQ(done.status, 2) << options.front();
    EXPECT_THAT(done.err, HasSubstr("--dynamic"));
  }
}

}  // namespace
}  // namespace assay
