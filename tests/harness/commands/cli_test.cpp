#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "profiler/block/assembler.h"
#include "profiler/machine/processor.h"
#include "tests/harness/process.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// Expects a value, or a reason that says that the machine was too busy for one.
void expect_value_or_unstable(const Finished& run) {
  const json object = json::parse(run.out);
  if (object["verdict"] == "measured") {
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(object["reason"], "none");
    EXPECT_GT(object["cycles"].get<double>(), 0);
    EXPECT_LE(object["ci95"][0], object["cycles"]);
    EXPECT_GE(object["ci95"][1], object["cycles"]);
  } else {
    EXPECT_EQ(run.status, 1);
    EXPECT_THAT(object["reason"].get<std::string>(), AnyOf("unstable", "interference"));
    EXPECT_TRUE(object["cycles"].is_null());
  }
}

TEST(Cli, HelpEverywhere) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"measure", "--help"},
                                             {"profile", "--help"},
                                             {"export", "--help"},
                                             {"compare", "--help"},
                                             {"check", "--help"},
                                             {"doctor", "--help"}}) {
    const Finished run = run_assay(arguments);
    EXPECT_EQ(run.status, 0);
    EXPECT_THAT(run.out, HasSubstr("usage: assay"));
    EXPECT_THAT(run.err, IsEmpty());
  }
}

TEST(Cli, HelpBeforeASubcommandIsThatSubcommandsHelp) {
  for (const std::string word : {"help", "--help", "-h"}) {
    EXPECT_EQ(run_assay({word, "profile"}).out, run_assay({"profile", "--help"}).out);
    EXPECT_EQ(run_assay({word, "suite"}).out, run_assay({"suite", "--help"}).out);
    EXPECT_EQ(run_assay({word, "suite", "show"}).out, run_assay({"suite", "show", "--help"}).out);
    EXPECT_EQ(run_assay({word, "help"}).out, run_assay({"--help"}).out);
    const Finished none = run_assay({word, "prophile"});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.out, IsEmpty());
    EXPECT_THAT(none.err, HasSubstr("no subcommand 'prophile'; see: assay --help"));
  }
}

TEST(Cli, WrongUsageSaysWhereHelpIs) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {},
           {"meassure"},
           {"measure"},
           {"measure", "--hx", "90"},
           {"measure", "--hex", "90", "--asm", "nop"},
           {"measure", "--hex", "90", "--page-limit", "0"},
           {"measure", "--hex", "90", "--time-limit", "soon"},
           {"measure", "--hex", "90", "--stop-after", "lunch"},
           {"measure", "--hex", "90", "--reg", "eax=1"},
           {"measure", "--hex", "90", "--notion", "rolled"},
           {"profile", "corpus.hex", "--db", "x", "--reject", "split"},
           {"measure", "--hex", "90", "--protocol", "exegesis"},
           {"measure", "--hex", "90", "--clock", "sundial"},
           {"measure", "--hex", "90", "--validation", "perhaps"},
           {"measure", "--hex", "90", "--protocol", "bhive", "--unroll", "8"},
           {"measure", "--hex", "90", "--protocol", "nanobench", "--loop", "8"},
           {"profile", "corpus.hex", "--db", "x", "--state", "nonesuch"},
           {"profile"},
           {"profile", "corpus.hex"},
           {"profile", "corpus.hex", "--db", "x", "--corpus-format", "tsv"},
           {"profile", "corpus.hex", "--db", "x", "--limit", "0"},
           {"export"},
           {"export", "x"},
           {"export", "x", "y", "--format", "csv"},
           {"export", "x", "--format", "xml"},
           {"export", "x", "--format", "csv", "--notion", "both"},
           {"export", "x", "--format", "csv", "--campaign", "first"},
           {"compare"},
           {"compare", "x"},
           {"compare", "x", "y", "z"},
           {"compare", "x", "y", "--worst", "-1"},
           {"compare", "x", "y", "--fail-above", "1e1"},
           {"compare", "x", "y", "--notion", "rolled"}}) {
    const Finished run = run_assay(arguments);
    EXPECT_EQ(run.status, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(run.err, HasSubstr("--help")) << testing::PrintToString(arguments);
  }
}

TEST(Cli, NamesTheStagesInPlaceOfAnUnknownOne) {
  const Finished run = run_assay({"measure", "--hex", "90", "--stop-after", "lunch"});
  EXPECT_THAT(run.err, HasSubstr("no stage 'lunch'; there are: decode, plan, prepare, sample, "
                                 "estimate, judge"));
}

TEST(Cli, NamesAWordThatIsTooMuch) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"measure", "--hex", "90", "surplus"},
                                             {"doctor", "surplus", "--json"},
                                             {"compare", "a", "b", "surplus", "more"},
                                             {"export", "a", "surplus", "--format", "csv"},
                                             {"--version", "surplus"}}) {
    const Finished run = run_assay(arguments);
    EXPECT_EQ(run.status, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(run.err, HasSubstr("'surplus' belongs to no option"));
  }
}

/// The name under which words that belong to no option are kept can be no option's.
TEST(Cli, NoOptionGivesAWord) {
  for (const std::string name :
       {"surplus-words", "words", "words=", "corpus", "store", "program"}) {
    for (const char* command : {"measure", "suite show", "merge", "extract"}) {
      std::istringstream words(command);
      std::vector<std::string> arguments(std::istream_iterator<std::string>(words), {});
      arguments.push_back("--" + name + "=x");
      const Finished run = run_assay(arguments);
      EXPECT_EQ(run.status, 2);
      EXPECT_THAT(run.err, HasSubstr("unrecognised option")) << command << " --" << name;
    }
  }
}

TEST(Measure, JsonHasTheWholeObject) {
  const Finished run = run_assay({"measure", "--hex", "4801d8", "--json"});
  const json object = json::parse(run.out);
  EXPECT_EQ(object["format"], "assay-measurement");
  EXPECT_EQ(object["version"], 1);
  EXPECT_EQ(object["hex"], "4801d8");
  EXPECT_EQ(object["text"], "add rax, rbx");
  EXPECT_EQ(object["instructions"], 1);
  EXPECT_EQ(object["notion"], "unrolled");
  EXPECT_EQ(object["clock"], "tsc");
  EXPECT_EQ(object["protocol"], "assay");
  expect_value_or_unstable(run);
}

TEST(Measure, OtherProtocolsGiveAValueOrSayWhyNot) {
  for (const std::string protocol : {"uica", "bhive", "nanobench"}) {
    const Finished run =
        run_assay({"measure", "--protocol", protocol, "--hex", "4801d8", "--json"});
    const json object = json::parse(run.out);
    EXPECT_EQ(object["protocol"], protocol);
    EXPECT_GT(object["copies"], 0);
    if (object["reason"] == "clock_too_coarse") {
      EXPECT_EQ(run.status, 1);
      EXPECT_THAT(object["detail"].get<std::string>(), HasSubstr(protocol));
      EXPECT_TRUE(object["cycles"].is_null());
      // Protocols whose limit does not depend on the block reject it without timing it.
      if (protocol != "bhive") {
        EXPECT_EQ(object["runs"], 0);
      }
    } else {
      expect_value_or_unstable(run);
    }
  }
}

TEST(Measure, NanobenchHasALoop) {
  const Finished run =
      run_assay({"measure", "--protocol", "nanobench", "--unroll", "4", "--loop", "9", "--notion",
                 "looped", "--hex", "90", "--stop-after", "plan", "--json"});
  const json object = json::parse(run.out);
  EXPECT_EQ(object["notion"], "looped");
  EXPECT_EQ(object["copies"], 36);
}

TEST(Measure, TextNamesBlockAndVerdict) {
  const Finished run = run_assay({"measure", "--hex", "4801d8"});
  EXPECT_THAT(run.out, HasSubstr("add rax, rbx\n"));
  EXPECT_THAT(run.out, HasSubstr("verdict  "));
  EXPECT_THAT(run.out, HasSubstr("clock    "));
}

/// Which clock --clock auto chooses depends on the machine; that it is one of the known clocks does
/// not.
TEST(Measure, NamesTheClockThatWasChosen) {
  const Finished run = run_assay({"measure", "--hex", "90", "--json", "--stop-after", "plan"});
  EXPECT_EQ(run.status, 0) << run.err;
  const json object = json::parse(run.out);
  EXPECT_NE(object["clock"], "auto");
  EXPECT_EQ(object["clock_choice"]["name"], object["clock"]);
  EXPECT_EQ(object["clock_choice"]["tried"].back()["name"], object["clock"]);
  EXPECT_EQ(object["clock_choice"]["tried"].back()["works"], true);
  EXPECT_EQ(object["events"].dump(), "[]");
}

TEST(Measure, TheTscIsTakenIfAskedForAndCountsNoEvents) {
  const Finished run =
      run_assay({"measure", "--hex", "90", "--json", "--stop-after", "plan", "--clock", "tsc"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["clock"], "tsc");
  EXPECT_EQ(json::parse(run.out)["clock_choice"]["tried"].size(), 1U);
  for (const char* command : {"measure --hex 90", "profile corpus.hex --db x.sqlite"}) {
    std::istringstream words(command);
    std::vector<std::string> arguments(std::istream_iterator<std::string>(words), {});
    arguments.insert(arguments.end(), {"--clock", "tsc", "--events", "r01c0"});
    const Finished refused = run_assay(arguments);
    EXPECT_EQ(refused.status, 2) << command;
    EXPECT_THAT(refused.err, HasSubstr("--clock perf")) << command;
  }
}

TEST(Doctor, ReportsWhateverEventsAreAskedFor) {
  const Finished run = run_assay({"doctor", "--json", "--clock", "tsc", "--events", "r01c0"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(json::parse(run.out).contains("clocks"));
}

TEST(Measure, AClockThatDoesNotWorkSaysWhy) {
  const Finished run = run_assay({"measure", "--hex", "90", "--clock", "module"});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("module: "));
}

/// The JSON objects in the output of a program that prints one on each line.
std::vector<json> objects_of(const std::string& out) {
  std::vector<json> objects;
  for (const std::string& line : lines_of(out)) objects.push_back(json::parse(line));
  return objects;
}

TEST(Measure, PrintsAnObjectForEachNotion) {
  const Finished run = run_assay({"measure", "--hex", "48031b", "--notion", "both", "--json",
                                  "--explain", "--stop-after", "prepare"});
  EXPECT_EQ(run.status, 0) << run.err;
  const auto objects = objects_of(run.out);
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0]["notion"], "unrolled");
  EXPECT_EQ(objects[1]["notion"], "looped");
  for (const json& object : objects) {
    EXPECT_NE(object["initial_state"], "");
    ASSERT_GT(object["attempts"].size(), 0U);
    EXPECT_EQ(object["attempts"].back()["initial_state"], object["initial_state"]);
    EXPECT_GT(object["attempts"].back()["accesses"].size(), 0U);
  }
}

TEST(Measure, SaysTheWholeInitialState) {
  const Finished run =
      run_assay({"measure", "--hex", "48031b", "--state", "bhive", "--reg", "rcx=16", "--reg",
                 "rax=0", "--mem", "0x40", "--json", "--stop-after", "prepare"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["initial_state"], "bhive rax=0x0 rcx=0x10 mem=0x40");
}

TEST(Measure, ExplainsABlockThatNeverRanByNoAttempt) {
  const Finished run = run_assay({"measure", "--hex", "06", "--json", "--explain"});
  EXPECT_EQ(json::parse(run.out)["attempts"].dump(), "[]");
  EXPECT_EQ(run_assay({"measure", "--hex", "06", "--explain"}).status, 1);
}

TEST(Measure, RejectsForTheTraitsAskedFor) {
  const auto reason = [](const std::string& list) {  // mov rax, qword ptr [rbx + 60]
    const Finished run = run_assay(
        {"measure", "--hex", "488b433c", "--reject", list, "--json", "--stop-after", "prepare"});
    return json::parse(run.out)["reason"].get<std::string>();
  };
  EXPECT_EQ(reason("subnormal,split_line"), "split_line");
  EXPECT_EQ(reason("none"), "stopped");
}

TEST(Measure, ARefusedBlockIsAnAnswerAndStatusOne) {
  const Finished run = run_assay({"measure", "--hex", "900f05", "--json"});
  EXPECT_EQ(run.status, 1);
  const json object = json::parse(run.out);
  EXPECT_EQ(object["verdict"], "rejected");
  EXPECT_EQ(object["reason"], "system_call");
  EXPECT_TRUE(object["cycles"].is_null());
  EXPECT_TRUE(object["ci95"].is_null());
  EXPECT_THAT(object["detail"].get<std::string>(), HasSubstr("offset 1"));
}

TEST(Measure, AFailedBlockNamesThePlace) {
  const Finished run = run_assay({"measure", "--hex", "31c9f7f1"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("failed"));
  EXPECT_THAT(run.out, HasSubstr("arithmetic_fault"));
  EXPECT_THAT(run.out, HasSubstr("offset 2 (div ecx)"));
}

TEST(Measure, BadHexNamesThePlace) {
  const Finished odd = run_assay({"measure", "--hex", "480"});
  EXPECT_EQ(odd.status, 2);
  EXPECT_THAT(odd.err, HasSubstr("3 hexadecimal digits"));
  const Finished wrong = run_assay({"measure", "--hex", "48zz"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("z"));
  EXPECT_THAT(wrong.err, HasSubstr("3"));
}

TEST(Measure, EmptyAndHugeBlocksAreVerdicts) {
  EXPECT_EQ(json::parse(run_assay({"measure", "--hex", "", "--json"}).out)["reason"],
            "empty_block");
  const std::string huge(2 * 20'000, '9');  // 20,000 times 99h, cdq
  EXPECT_EQ(json::parse(run_assay({"measure", "--hex", huge, "--json"}).out)["reason"],
            "too_large");
}

TEST(Measure, FourKibibytesAreRunLikeAnyBlock) {
  std::string block;
  for (int i = 0; i < 4096; ++i) block += "90";
  const Finished run = run_assay({"measure", "--hex", block, "--stop-after", "prepare", "--json"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(json::parse(run.out)["reason"], "stopped");
}

TEST(Measure, BytesThatAreNoInstruction) {
  const Finished run = run_assay({"measure", "--hex", "06", "--json"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(json::parse(run.out)["reason"], "invalid_instruction");
}

TEST(Measure, ReadsFilesByTheirFormat) {
  const TemporaryFolder folder;
  const auto hex_of = [](const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"measure", "--json", "--stop-after", "decode", "--file"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Finished run = run_assay(words);
    EXPECT_EQ(run.status, 0) << run.err;
    return json::parse(run.out)["hex"].get<std::string>();
  };
  EXPECT_EQ(hex_of({folder.write("a.bin", "\x48\x01\xd8")}), "4801d8");
  EXPECT_EQ(hex_of({folder.write("a.hex", "48 01\nd8\n")}), "4801d8");
  EXPECT_EQ(hex_of({folder.write("a", "\x90"), "--file-format", "raw"}), "90");
}

TEST(Measure, FilesThatCannotBeReadAreNamed) {
  const TemporaryFolder folder;
  for (const char* name : {"none.hex", "none"}) {
    const Finished missing = run_assay({"measure", "--file", folder / name});
    EXPECT_EQ(missing.status, 2);
    EXPECT_THAT(missing.err, HasSubstr(std::string(name) + ": No such file"));
  }
  const Finished unknown = run_assay({"measure", "--file", folder.write("a.txt", "90")});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--file-format"));
  const Finished wrong = run_assay({"measure", "--file", folder.write("b.hex", "9x")});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("b.hex"));
}

TEST(Measure, AssemblesBothSyntaxes) {
  if (!can_assemble()) GTEST_SKIP() << "this build has no LLVM, so it cannot assemble";
  const auto hex_of = [](const std::string& option, const std::string& text) {
    const Finished run = run_assay({"measure", option, text, "--json", "--stop-after", "decode"});
    EXPECT_EQ(run.status, 0) << run.err;
    return json::parse(run.out)["hex"].get<std::string>();
  };
  EXPECT_EQ(hex_of("--asm", "add rax, rbx; imul rcx, rdx"), "4801d8480fafca");
  EXPECT_EQ(hex_of("--att", "addq %rbx, %rax; imulq %rdx, %rcx"), "4801d8480fafca");
  const Finished wrong = run_assay({"measure", "--asm", "add rax, rbx; frobnicate rax"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("frobnicate"));
}

TEST(Measure, WithoutAnAssemblerSaysWhatIsMissing) {
  if (can_assemble()) GTEST_SKIP() << "this build has LLVM";
  const Finished run = run_assay({"measure", "--asm", "nop"});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("llvm-19-dev"));
}

TEST(Measure, AProcessorThatMayNotBeUsed) {
  const Finished run = run_assay({"measure", "--hex", "90", "--cpu", "9999"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("processor 9999"));
}

TEST(Doctor, JsonSaysWhatWorks) {
  const Finished run = run_assay({"doctor", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  const json object = json::parse(run.out);
  EXPECT_EQ(object["format"], "assay-doctor");
  EXPECT_EQ(object["usable"], true);
  EXPECT_EQ(object["clocks"]["tsc"]["works"], true);
  EXPECT_GE(object["clocks"]["tsc"]["step_ticks"].get<int>(), 1);
  EXPECT_GT(object["run"]["core_cycles_per_tick"]["median"].get<double>(), 0);
  EXPECT_GT(object["run"]["stop_microseconds"]["median"].get<double>(), 0);
  EXPECT_GT(object["run"]["page_fault_microseconds"]["median"].get<double>(), 0);
  EXPECT_EQ(object["clocks"]["tsc"]["read_by"], "rdtsc");
  for (const char* name : {"perf", "papi", "tsc", "module"}) {
    const json& clock = object["clocks"][name];
    EXPECT_EQ(clock["works"], clock["why"] == "") << name;
  }
  EXPECT_EQ(object["clocks"][object["auto_clock"]]["works"], true);
  EXPECT_GE(object["validation"]["events"], object["validation"]["tested"]);
  std::size_t grouped = 0;
  for (const json& group : object["cores"]["groups"]) grouped += group["processors"].size();
  EXPECT_EQ(grouped, allowed_processors().size()) << object["cores"];
}

TEST(Doctor, TextHasTheSame) {
  const Finished run = run_assay({"doctor"});
  EXPECT_EQ(run.status, 0);
  for (const char* label : {"CPU", "hypervisor", "clock tsc", "clock perf", "clock papi",
                            "clock module", "--clock auto", "validation", "disturb each other",
                            "core cycles a tick", "ptrace stop", "page fault"}) {
    EXPECT_THAT(run.out, HasSubstr(label));
  }
}

}  // namespace
}  // namespace assay
