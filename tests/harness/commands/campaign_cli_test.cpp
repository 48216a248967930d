#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "profiler/subject/confinement.h"
#include "profiler/support/descriptor.h"
#include "profiler/support/error.h"
#include "results/findings/summary.h"
#include "results/store/store.h"
#include "tests/harness/process.h"
#include "tests/suites/readers/compressed.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace std::chrono_literals;

/// Lines with blocks that differ in an immediate: mov eax, I, with I from `first` to `end` - 1.
std::string many_blocks(int first, int end) {
  std::string lines;
  for (int i = first; i < end; ++i) lines += fmt::format("b8{:02x}{:02x}0000\n", i & 0xff, i >> 8);
  return lines;
}

/// The number of outcomes in the store that are not settled.
std::int64_t unsettled(const std::string& path) {
  std::int64_t rows = 0;
  Store store = Store::open_read_only(path);
  for (const auto& campaign : store.campaigns()) rows += summarize(store, campaign.id).unsettled;
  return rows;
}

class CampaignCli : public testing::Test {
 protected:
  Finished profile(const std::vector<std::string>& arguments, const std::string& input = "") {
    std::vector<std::string> words = {"profile", "--db", store_, "--json", "--patience", "2"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_assay(words, input);
  }
  json summary(const std::vector<std::string>& arguments, const std::string& input = "") {
    const Finished run = profile(arguments, input);
    EXPECT_THAT(run.status, testing::AnyOf(0, 1)) << run.err;
    return json::parse(run.out);
  }

  /// Whether the store has a campaign that has begun with a corpus.
  bool has_begun() const {
    try {
      Store store = Store::open_read_only(store_);
      const auto campaigns = store.campaigns();
      return !campaigns.empty() && !store.coverage(campaigns[0].id).empty();
    } catch (const Error&) {  // there is no store yet, or only an empty file
      return false;
    }
  }
  /// Waits until the workers are ready, sends a signal, and expects the program to end with a
  /// summary.
  void expect_to_end(AssayProcess& process) {
    for (int i = 0; i < 1000 && !has_begun(); ++i) std::this_thread::sleep_for(10ms);
    ASSERT_TRUE(has_begun());
    std::this_thread::sleep_for(200ms);
    kill(process.pid(), SIGINT);
    const Finished run = process.wait();
    EXPECT_EQ(run.status, 128 + SIGINT);
    EXPECT_EQ(json::parse(run.out)["interrupted"], true);
    std::filesystem::remove(store_);
  }

  TemporaryFolder folder_;
  std::string store_ = folder_ / "results.sqlite";
};

TEST_F(CampaignCli, CountsEveryDistinctBlockOnce) {
  const std::string corpus = folder_.write("mixed.hex",
                                           "# a comment\n"
                                           "4801d8\n"
                                           "\n"
                                           "4801d8\n"
                                           "4801D8\n"
                                           "0f05\n"
                                           "31c9f7f1\n"
                                           "48 01\n"
                                           "xyz\n"
                                           "480\n");
  const Finished run = profile({corpus});
  const json object = json::parse(run.out);
  EXPECT_EQ(object["format"], "assay-summary");
  EXPECT_EQ(object["version"], 1);
  EXPECT_EQ(object["blocks"], 3);
  EXPECT_EQ(object["new_blocks"], 3);
  EXPECT_EQ(object["bad_lines"], 3);
  EXPECT_EQ(object["failed"], 1);
  EXPECT_EQ(object["reasons"]["system_call"], 1);
  EXPECT_EQ(object["reasons"]["arithmetic_fault"], 1);
  EXPECT_EQ(object["measured"].get<int>() + object["rejected"].get<int>(), 2);
  EXPECT_GT(object["seconds"].get<double>(), 0);
  EXPECT_GT(object["blocks_per_second"].get<double>(), 0);
  EXPECT_THAT(run.err, HasSubstr("mixed.hex:8: "));
  EXPECT_THAT(run.err, HasSubstr("mixed.hex:9: "));
  EXPECT_THAT(run.err, HasSubstr("mixed.hex:10: "));
  EXPECT_THAT(run.err, Not(HasSubstr("\r"))) << "no progress line but on a terminal";
}

TEST_F(CampaignCli, MeasuresNothingTwice) {
  const std::string corpus = folder_.write("c.hex", many_blocks(0, 20));
  const json first = summary({corpus});
  EXPECT_EQ(first["new_blocks"], 20);
  const std::int64_t again = unsettled(store_);
  const json second = summary({corpus});
  EXPECT_EQ(second["new_blocks"], again);
  EXPECT_EQ(second["known_blocks"], 20 - again);
  EXPECT_EQ(second["blocks"], 20);
  EXPECT_GE(second["measured"], first["measured"]);
}

TEST_F(CampaignCli, ACampaignIsOfTheClockThatWasChosen) {
  const std::string corpus = folder_.write("one.hex", "0f05\n");
  const json chosen = summary({corpus});
  const json named = summary({corpus, "--clock", chosen["clock"].get<std::string>()});
  EXPECT_EQ(named["known_blocks"], 1) << "auto comes to the same campaign as the clock's name";
  const std::vector<Campaign> campaigns = Store::open_read_only(store_).campaigns();
  ASSERT_EQ(campaigns.size(), 1U);
  EXPECT_NE(chosen["clock"], "auto");
  EXPECT_EQ(json::parse(campaigns[0].settings)["clock"], chosen["clock"]);
}

TEST_F(CampaignCli, ACampaignSaysWhatConfinedItsBlocks) {
  summary({"-"}, "90\n");
  Store store = Store::open_read_only(store_);
  ASSERT_EQ(store.campaigns().size(), 1U);
  EXPECT_EQ(store.campaigns().front().environment.walls,
            walls_text(subject::confinement_of_subjects(), true));
}

TEST_F(CampaignCli, TheLimitCountsDistinctBlocks) {
  const std::string corpus = folder_.write("c.hex", "90\n90\n" + many_blocks(0, 10));
  const json first = summary({corpus, "--limit", "3"});
  EXPECT_EQ(first["blocks"], 3);
  const std::int64_t of_first = unsettled(store_);
  const json second = summary({corpus, "--limit", "3"});
  EXPECT_EQ(second["new_blocks"], of_first);
  const std::int64_t of_second = unsettled(store_);
  EXPECT_EQ(summary({corpus})["new_blocks"], 8 + of_second);
}

TEST_F(CampaignCli, OtherSettingsAreAnotherCampaign) {
  const std::string corpus = folder_.write("c.hex", "90\n");
  summary({corpus});
  const std::int64_t again = unsettled(store_);
  EXPECT_EQ(summary({corpus, "--page-limit", "64"})["new_blocks"], 1);
  EXPECT_EQ(summary({corpus})["new_blocks"], again);
}

TEST_F(CampaignCli, SeveralCorporaAndStandardInput) {
  const std::string one = folder_.write("one.hex", "90\n4801d8\n");
  const std::string two = folder_.write("two.hex", "90\n480fafc0\n");
  EXPECT_EQ(summary({one, two})["blocks"], 3);
  EXPECT_EQ(summary({"-"}, "6690\n")["blocks"], 1);
}

TEST_F(CampaignCli, BhiveFormats) {
  const std::string corpus = folder_.write("b.csv", "4801d8,0.5\n90,2\n");
  const Finished guess = profile({corpus});
  EXPECT_EQ(guess.status, 2);
  EXPECT_THAT(guess.err, HasSubstr("--corpus-format"));
  EXPECT_EQ(summary({corpus, "--corpus-format", "bhive-frequency"})["blocks"], 2);
}

TEST_F(CampaignCli, ShardsMakeUpTheWhole) {
  const std::string corpus = folder_.write("c.hex", many_blocks(0, 20));
  int blocks = 0;
  for (const std::string shard : {"1/2", "2/2"}) {
    blocks += summary({corpus, "--shard", shard})["new_blocks"].get<int>();
  }
  EXPECT_EQ(blocks, 20);
  EXPECT_EQ(profile({corpus, "--shard", "3/2"}).status, 2);
}

TEST_F(CampaignCli, MeasuresBlocksAgain) {
  const json object = summary({folder_.write("c.hex", many_blocks(0, 5)), "--recheck", "100"});
  EXPECT_LE(object["recheck"]["blocks"], object["measured"]);
  // On a busy core it may be that no block gets a value.
  EXPECT_EQ(object["seconds_rechecking"].get<double>() > 0, object["measured"] > 0);
  EXPECT_EQ(profile({"c.hex", "--recheck", "101"}).status, 2);
}

TEST_F(CampaignCli, ABlockIsRunUnderAStateOfItsOwn) {
  // mov rax, qword ptr [rbx]
  const std::string corpus =
      folder_.write("own.jsonl",
                    "{\"hex\":\"488b03\"}\n"
                    "{\"hex\":\"488b03\",\"state\":\"zero rbx=0x5000010\"}\n"
                    "{\"hex\":\"488b03\",\"state\":\"rcx=0x7\"}\n"
                    "{\"hex\":\"488b03\",\"state\":\"rbx=0xffff800000000000\"}\n");
  for (const char* const protocol : {"assay", "bhive"}) {
    summary({corpus, "--reg", "rcx=9", "--protocol", protocol, "--notion", "unrolled"});
    Store store = Store::open_read_only(store_);
    OutcomeReader outcomes =
        store.outcomes({store.campaigns().back().id, std::nullopt, std::nullopt});
    std::map<std::string, Measurement> by_state;
    while (auto outcome = outcomes.next()) by_state[outcome->block.state] = outcome->measurement;
    const std::string state = protocol == std::string("assay") ? "distinct" : "bhive";
    EXPECT_EQ(by_state[""].initial_state, state + " rcx=0x9");
    EXPECT_EQ(by_state["zero rbx=0x5000010"].initial_state, "zero rcx=0x9 rbx=0x5000010");
    EXPECT_EQ(by_state["rcx=0x7"].initial_state, state + " rcx=0x7");
    const Measurement& failed = by_state["rbx=0xffff800000000000"];
    EXPECT_EQ(failed.initial_state, state + " rcx=0x9 rbx=0xffff800000000000");
    EXPECT_EQ(failed.outcome.reason, Reason::kKernelAddress) << "no other state is tried";
  }
}

TEST_F(CampaignCli, WorkersThatCannotBeAreRefused) {
  const std::string corpus = folder_.write("c.hex", "90\n");
  EXPECT_EQ(profile({corpus, "--jobs", "99999"}).status, 2);
  EXPECT_EQ(profile({corpus, "--cpus", "0,0"}).status, 2);
  EXPECT_EQ(profile({corpus, "--jobs", "1", "--cpu", "0"}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(store_));
}

TEST_F(CampaignCli, EndsWhileNobodyWritesToItsStandardInput) {
  for (const std::string_view so_far : {"", "4801d8\n90"}) {
    AssayProcess process({"profile", "-", "--db", store_, "--json"}, "", [so_far] {
      int ends[2];
      if (pipe(ends) != 0 || dup2(ends[0], STDIN_FILENO) < 0 ||
          write(ends[1], so_far.data(), so_far.size()) < 0) {
        _exit(126);
      }
    });
    expect_to_end(process);
  }
}

TEST_F(CampaignCli, EndsWhileNobodyOpensItsNamedPipe) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  AssayProcess process({"profile", pipe, "--db", store_, "--json"});
  expect_to_end(process);
}

TEST_F(CampaignCli, EndsInALineWithoutEnd) {
  AssayProcess process({"profile", "-", "--db", store_, "--json"}, "", [] {
    if (dup2(open("/dev/zero", O_RDONLY), STDIN_FILENO) < 0) _exit(126);
  });
  expect_to_end(process);
}

TEST_F(CampaignCli, NothingMeasuredIsStatusOne) {
  EXPECT_EQ(profile({folder_.write("c.hex", "0f05\n")}).status, 1);
  const Finished empty = profile({folder_.write("empty.hex", "# nothing\n")});
  EXPECT_EQ(empty.status, 1);
  EXPECT_THAT(empty.err,
              HasSubstr("there is no block to measure in " + (folder_ / "empty.hex").string()));
}

TEST_F(CampaignCli, ReadsCorporaOfEveryFormat) {
  const std::string jsonl = folder_.write("a.jsonl", R"({"hex":"4801d8","weight":2})");
  const std::string packed = folder_.write("b.hex.gz", gzip_of("90\n4801d8\n"));
  EXPECT_EQ(json::parse(profile({jsonl, packed}).out)["blocks"], 2);
  const std::string old = folder_ / "old.sqlite";
  std::filesystem::rename(store_, old);
  EXPECT_EQ(json::parse(profile({old}).out)["blocks"], 2);
  EXPECT_EQ(profile({store_}).status, 2) << "a store that would be read and written at once";
}

TEST_F(CampaignCli, ALineOfAMegabyteIsABadLine) {
  const std::string corpus =
      folder_.write("long.hex", "90\n" + std::string(1 << 20, '9') + "\n4801d8\n");
  const Finished run = profile({corpus});
  EXPECT_THAT(run.err, HasSubstr("long.hex:2: "));
  EXPECT_LT(run.err.size(), 1000U);
  EXPECT_EQ(json::parse(run.out)["blocks"], 2);
}

TEST_F(CampaignCli, ACorpusThatCannotBeReadStopsBeforeAnythingIsMeasured) {
  const std::string good = folder_.write("good.hex", "90\n");
  for (const std::string path : {folder_ / "missing.hex", folder_ / ""}) {
    const Finished run = profile({good, path});
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, HasSubstr(path));
  }
  EXPECT_EQ(summary({good})["new_blocks"], 1);
}

TEST_F(CampaignCli, AFileThatIsNoStoreStaysAsItIs) {
  const std::string text = "this is somebody's letter, not a database\n";
  store_ = folder_.write("letter.txt", text);
  const Finished run = profile({folder_.write("c.hex", "90\n")});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("letter.txt"));
  EXPECT_EQ(content_of(store_), text);
}

TEST_F(CampaignCli, AStoreInUseIsRefused) {
  const std::string corpus = folder_.write("c.hex", "90\n");
  const Store store = Store::open(store_);
  const Finished run = profile({corpus});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("results.sqlite"));
}

TEST_F(CampaignCli, AFolderThatIsNotThere) {
  store_ = folder_ / "no/such/folder/results.sqlite";
  const Finished run = profile({folder_.write("c.hex", "90\n")});
  EXPECT_THAT(run.status, testing::AnyOf(2, 3));
  EXPECT_THAT(run.err, HasSubstr("no/such/folder"));
}

/// The number of outcomes in the store, as another process sees them; with a reason, only those
/// that have it.
std::int64_t stored(const std::string& path, std::optional<Reason> reason = std::nullopt) {
  std::int64_t rows = 0;
  Store store = Store::open_read_only(path);
  for (const auto& campaign : store.campaigns()) {
    const Summary summary = summarize(store, campaign.id);
    if (!reason) {
      rows += summary.total();
    } else if (const auto found = summary.by_reason.find(*reason);
               found != summary.by_reason.end()) {
      rows += found->second;
    }
  }
  return rows;
}

/// The ids of all processes that this one has started, and that those have started.
std::vector<pid_t> descendants_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", process));
  std::vector<pid_t> found;
  for (pid_t child = 0; file >> child;) {
    found.push_back(child);
    for (const pid_t further : descendants_of(child)) found.push_back(further);
  }
  return found;
}

/// Whether the process runs, and is not a zombie that nobody has waited for.
bool runs(pid_t process) {
  const std::string state = content_of(fmt::format("/proc/{}/stat", process));
  const std::size_t name_end = state.rfind(')');
  return name_end != std::string::npos && state.substr(name_end, 4) != ") Z ";
}

/// Campaigns whose corpus comes through a pipe that does not end: however fast blocks are measured,
/// such a campaign runs until it is stopped.
class InterruptedCampaign : public CampaignCli {
 protected:
  static constexpr int kBatch = 300;  // as many lines as a pipe has room for

  InterruptedCampaign() {
    EXPECT_EQ(mkfifo(corpus_.c_str(), 0600), 0);
    pipe_ = Descriptor(open(corpus_.c_str(), O_RDWR | O_CLOEXEC));
  }

  /// Writes more blocks into the pipe.
  void feed() {
    const std::string lines = many_blocks(fed_, fed_ + kBatch);
    ASSERT_EQ(write(pipe_.get(), lines.data(), lines.size()), std::ssize(lines));
    fed_ += kBatch;
  }
  void wait_for_rows(std::int64_t rows) const {
    for (int i = 0; i < 1000; ++i) {
      std::this_thread::sleep_for(20ms);
      if (std::filesystem::exists(store_) && std::filesystem::file_size(store_) > 0 &&
          stored(store_) >= rows) {
        return;
      }
    }
    FAIL() << "not committed";
  }
  /// The next call knows all that is stored, and measures the rest of what was in the pipe.
  void expect_to_go_on() {
    const std::int64_t before = stored(store_);
    const std::int64_t again = unsettled(store_);
    const json rest = summary({folder_.write("all.hex", many_blocks(0, fed_))});
    EXPECT_EQ(rest["known_blocks"], before - again);
    EXPECT_EQ(rest["new_blocks"], fed_ - before + again);
  }
  std::vector<std::string> arguments() const {
    return {"profile", corpus_, "--db", store_, "--json"};
  }

  std::string corpus_ = folder_ / "c.hex";
  Descriptor pipe_;
  int fed_ = 0;  ///< blocks written into the pipe so far
};

TEST_F(InterruptedCampaign, GoesOnWhenItsWorkersAreKilled) {
  AssayProcess process(arguments());
  feed();
  wait_for_rows(fed_);
  const std::vector<pid_t> others = descendants_of(process.pid());
  ASSERT_FALSE(others.empty());
  feed();
  kill(others.front(), SIGKILL);
  wait_for_rows(fed_);
  for (int i = 0; i < 500 && runs(others.front()); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(runs(others.front()));
  feed();
  wait_for_rows(fed_);
  kill(process.pid(), SIGINT);
  EXPECT_EQ(process.wait().status, 128 + SIGINT);
  EXPECT_EQ(stored(store_, Reason::kHarnessFault), 0) << "the block at hand was tried again";
}

TEST_F(InterruptedCampaign, GoesOnWhereItStopped) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::int64_t known = std::filesystem::exists(store_) ? stored(store_) : 0;
    AssayProcess process(arguments());
    feed();
    wait_for_rows(known + 1);
    feed();
    kill(process.pid(), signal);
    const Finished run = process.wait();
    EXPECT_EQ(run.status, 128 + signal);
    EXPECT_THAT(run.err, HasSubstr("run the same command again to go on"));
    const json object = json::parse(run.out);
    EXPECT_EQ(object["interrupted"], true);
    // A corpus from a pipe is another one in each call.
    EXPECT_EQ(object["blocks"], stored(store_) - known) << "all that was measured is committed";
  }
  expect_to_go_on();
}

TEST_F(InterruptedCampaign, WhatWasCommittedSurvivesKill) {
  AssayProcess process(arguments());
  feed();
  wait_for_rows(fed_);
  const std::vector<pid_t> others = descendants_of(process.pid());
  EXPECT_GE(others.size(), 2U) << "a worker and its subject";
  feed();
  kill(process.pid(), SIGKILL);
  EXPECT_EQ(process.wait().status, 128 + SIGKILL);
  for (const pid_t other : others) {
    for (int i = 0; i < 1000 && runs(other); ++i) std::this_thread::sleep_for(10ms);
    EXPECT_FALSE(runs(other)) << "process " << other << " survives";
  }
  EXPECT_GE(stored(store_), kBatch);
  expect_to_go_on();
}

}  // namespace
}  // namespace assay
