#include "harness/campaign/campaign.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <thread>

#include "profiler/support/error.h"
#include "tests/processor_at_hand.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using namespace std::chrono_literals;

/// Runs campaigns whose workers do what a test wants.
class CampaignRunTest : public testing::Test {
 protected:
  CampaignRunTest() {
    corpus("4801d8\n0f05\n4801d8\n");
    request_.store = folder_ / "results.sqlite";
    request_.processors = {processor_at_hand()};
    request_.recheck_percent = 0;
    request_.patience = 0s;
  }
  void corpus(const std::string& lines) { request_.corpora = {folder_.write("c.hex", lines)}; }

  /// What workers do here with a block: 0f05 is refused, ff crashes, f4 takes for ever, 90 is
  /// disturbed, b0 (mov al, N) until its visit N, 91 is unstable on its first visit, 92 takes
  /// longer on its second and fourth and is never settled by one visit, nor is 93, which is
  /// unstable where a visit is not told the copies of those before; 98 is never sure, but has
  /// evidence; all others are measured.
  Measurement work(const Task& task, const NoteWaiting& note_waiting) const {
    const Bytes& bytes = task.block.bytes;
    Measurement measurement;
    measurement.notion = task.notion;
    measurement.instructions = 1;
    if (bytes == Bytes{0xff}) raise(SIGKILL);
    if (bytes == Bytes{0xf4}) {
      for (int i = 1;; ++i) {
        std::this_thread::sleep_for(10ms);
        note_waiting(i * 10ms);
      }
    }
    const bool disturbed =
        bytes == Bytes{0x90} || (bytes.front() == 0xb0 && task.visit < bytes.back());
    if (bytes == Bytes{0x0f, 0x05} || disturbed) {
      measurement.outcome.reason = disturbed ? Reason::kInterference : Reason::kSystemCall;
      measurement.settled = !disturbed;
      return measurement;
    }
    if (bytes == Bytes{0x98}) {
      measurement.outcome.reason = Reason::kUnstable;
      measurement.settled = false;
      measurement.evidence = Evidence{.estimate = {cycles_, 0.012}, .difference = {}};
      measurement.timed.runs = 400;
      measurement.evidence->estimate.cycles += 0.005 * static_cast<double>(task.visit % 2);
      return measurement;
    }
    if (bytes == Bytes{0x93}) measurement.copies = 320;
    if ((bytes == Bytes{0x91} && task.visit == 1) || (bytes == Bytes{0x93} && task.copies != 320)) {
      measurement.outcome.reason = Reason::kUnstable;
      measurement.settled = false;
      return measurement;
    }
    measurement.outcome = {Reason::kNone, ""};
    measurement.estimate = Estimate{.cycles = cycles_, .half_width = 0.01};
    measurement.timed.runs = 400;
    if (bytes == Bytes{0x92}) {
      if (task.visit == 2 || task.visit == 4) measurement.estimate->cycles += 1;
      measurement.settled = false;
    }
    if (bytes == Bytes{0x93}) measurement.settled = false;
    return measurement;
  }

  CampaignResult run() {
    return run_campaign(request_,
                        {[this](const CampaignProgress& now) { on_progress_(latest_ = now); },
                         [this](const std::string& text) { bad_lines_ += text; },
                         [this] { return interrupted_(); }},
                        [this](int, const NoteWaiting& note_waiting) {
                          return [this, note_waiting](const Task& task) {
                            Measurement done = work(task, note_waiting);
                            done.outcome.detail = task.block.state;
                            return done;
                          };
                        });
  }

  std::vector<Coverage> coverage() {
    Store store = Store::open_read_only(request_.store);
    return store.coverage(store.campaigns().at(0).id);
  }
  /// The reasons of all outcomes in the store, by the texts of the blocks.
  std::map<std::string, std::string> stored() {
    Store store = Store::open_read_only(request_.store);
    std::map<std::string, std::string> rows;
    OutcomeReader outcomes = store.outcomes({.campaign = store.campaigns().at(0).id});
    while (const auto row = outcomes.next()) {
      const Outcome& outcome = row->measurement.outcome;
      rows[row->block.text] = std::string(name(outcome.reason)) + " " + outcome.detail;
    }
    return rows;
  }

  /// How many visits led to the outcomes in the store, by the texts of the blocks.
  std::map<std::string, std::int64_t> visits() {
    Store store = Store::open_read_only(request_.store);
    std::map<std::string, std::int64_t> found;
    OutcomeReader outcomes = store.outcomes({.campaign = store.campaigns().at(0).id});
    while (const auto row = outcomes.next()) found[row->block.text] = row->measurement.visits;
    return found;
  }

  TemporaryFolder folder_;
  CampaignRequest request_;
  double cycles_ = 1;
  CampaignProgress latest_;
  std::string bad_lines_;
  std::function<void(const CampaignProgress&)> on_progress_ = [](const CampaignProgress&) {};
  std::function<bool()> interrupted_ = [] { return false; };
};

TEST_F(CampaignRunTest, MeasuresABlockOnceUnderEachNotion) {
  request_.notions = {Notion::kUnrolled, Notion::kLooped};
  const CampaignResult result = run();
  EXPECT_EQ(result.progress.lines, 3);
  EXPECT_EQ(result.progress.blocks, 2);
  EXPECT_EQ(result.progress.fresh, 2);
  EXPECT_EQ(result.progress.outcomes(), 4);
  EXPECT_EQ(result.summary.blocks, 2);
  EXPECT_EQ(result.summary.total(), 4);
  EXPECT_EQ(result.summary.by_notion.at(Notion::kUnrolled).by_reason.at(Reason::kSystemCall), 1);
  EXPECT_EQ(result.summary.by_notion.at(Notion::kLooped).by_reason.at(Reason::kSystemCall), 1);
  EXPECT_THAT(stored(),
              ElementsAre(Pair("add rax, rbx", "none "), Pair("syscall", "system_call ")));
}

TEST_F(CampaignRunTest, ABlockIsMeasuredUnderEachStateOfItsOwn) {
  request_.corpora = {folder_.write("c.jsonl",
                                    "{\"hex\":\"4801d8\",\"state\":\"zero\"}\n"
                                    "{\"hex\":\"4801d8\",\"name\":\"sum\",\"source\":\"libm\"}\n"
                                    "{\"hex\":\"4801d8\",\"state\":\"mem=0x40\"}\n"
                                    "{\"hex\":\"4801d8\",\"state\":\"zero\"}\n")};
  request_.recheck_percent = 100;
  const CampaignResult first = run();
  EXPECT_EQ(first.progress.blocks, 3);
  EXPECT_EQ(first.progress.measured, 3);
  EXPECT_EQ(first.agreement.blocks, 3);
  Store store = Store::open_read_only(request_.store);
  OutcomeReader outcomes = store.outcomes({store.campaigns().at(0).id, std::nullopt, std::nullopt});
  std::vector<std::string> told;
  while (const auto outcome = outcomes.next()) {
    const SourceRecord& source = outcome->sources.at(0);
    told.push_back(fmt::format("{}|{}|{}|{}|{}", outcome->block.state,
                               outcome->measurement.outcome.detail, outcome->sources.size(),
                               source.name, source.origin));
  }
  EXPECT_THAT(told, ElementsAre("||1|sum|libm", "mem=0x40|mem=0x40|1||", "zero|zero|2||"))
      << "the worker was told each";
  const CampaignProgress second = run().progress;
  EXPECT_EQ(second.known, 3);
  EXPECT_EQ(second.rechecked, 0);
}

TEST_F(CampaignRunTest, ABlockIsKnownOnlyUnderAllNotionsAskedFor) {
  corpus("90\n0f05\n");
  run();
  request_.notions = {Notion::kUnrolled, Notion::kLooped};
  const CampaignProgress second = run().progress;
  EXPECT_EQ(second.known, 0);
  EXPECT_EQ(second.fresh, 2);
  EXPECT_EQ(second.outcomes(), 3);
  EXPECT_EQ(run().progress.known, 1) << "but not the one that was disturbed";
  request_.notions = {Notion::kLooped};
  const CampaignResult fourth = run();
  EXPECT_EQ(fourth.progress.known, 1);
  EXPECT_THAT(fourth.summary.by_notion, ElementsAre(Pair(Notion::kLooped, testing::_)));
}

TEST_F(CampaignRunTest, EveryLineIsKeptAsASource) {
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += i % 2 == 0 ? "4801d8\n" : "0f05\n";
  corpus(lines);
  run();
  run();
  const std::string count = "sqlite3 " + request_.store + " 'SELECT count(*) FROM source' >" +
                            (folder_ / "count").string();
  if (std::system(count.c_str()) != 0) GTEST_SKIP() << "there is no sqlite3 to count with";
  EXPECT_EQ(content_of(folder_ / "count"), "500\n");
}

TEST_F(CampaignRunTest, ManyWorkersMeasureEveryBlockOnce) {
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += fmt::format("b8{:08x}\n", i % 1000);
  corpus(lines);
  request_.processors.assign(4, request_.processors.front());
  const CampaignResult result = run();
  EXPECT_EQ(result.progress.lines, 2000);
  EXPECT_EQ(result.progress.fresh, 1000);
  EXPECT_EQ(result.summary.count(Verdict::kMeasured), 1000);
}

TEST_F(CampaignRunTest, EndsInTheMiddleOfABlock) {
  corpus("4801d8\nf4\n0f05\n");
  request_.processors.assign(1, request_.processors.front());
  interrupted_ = [this] { return latest_.waiting.count() > 0; };
  const CampaignResult result = run();
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.summary.total(), 1)
      << "the block at hand gets no outcome, nor what is behind it";
  EXPECT_GT(result.progress.waited.count(), 0);
  EXPECT_EQ(result.progress.waiting.count(), 0) << "no block waits any more";
  EXPECT_FALSE(coverage().at(0).complete);
}

TEST_F(CampaignRunTest, VisitsThatAreSureTogetherMakeAValue) {
  corpus("98\n");
  EXPECT_EQ(run().progress.measured, 1);
  EXPECT_EQ(stored().at("cwde"), "none ");
  EXPECT_EQ(visits().at("cwde"), 3);
}

TEST_F(CampaignRunTest, ABlockThatIsNotSettledIsVisitedUntilItIs) {
  corpus("91\n4801d8\n90\n0f05\n");
  request_.patience = 400ms;
  bool waited = false;
  std::int64_t most_unsettled = 0;
  on_progress_ = [&](const CampaignProgress& now) {
    most_unsettled = std::max(most_unsettled, now.unsettled);
    waited |= now.without_gain.has_value();
  };
  const CampaignResult result = run();
  EXPECT_EQ(stored().at("xchg eax, ecx"), "none ");
  EXPECT_EQ(visits().at("xchg eax, ecx"), 3) << "one that fails, and two that agree";
  EXPECT_EQ(visits().at("add rax, rbx"), 1);
  EXPECT_EQ(stored().at("nop"), "interference ");
  EXPECT_GE(visits().at("nop"), 3) << "until nothing had been settled for as long as it may be";
  EXPECT_EQ(result.progress.measured, 2);
  EXPECT_EQ(result.progress.rejected, 1);
  EXPECT_EQ(result.progress.unsettled, 1);
  EXPECT_EQ(result.progress.outcomes(), 4);
  EXPECT_EQ(result.progress.fresh, 4);
  EXPECT_EQ(result.summary.unsettled, 1);
  EXPECT_EQ(most_unsettled, 2);
  EXPECT_TRUE(waited);
  EXPECT_TRUE(coverage().at(0).complete) << "each block has an outcome";
}

TEST_F(CampaignRunTest, VisitsGoOnWhileTheySettleATenthOfWhatIsOpen) {
  corpus("b002\nb003\nb004\nb005\n");
  request_.patience = 1200ms;
  EXPECT_EQ(run().progress.measured, 4) << "the last of them after 1.5 s";
}

TEST_F(CampaignRunTest, VisitsEndIfTheySettleLess) {
  std::string lines = "b002\nb003\nb004\nb005\n";
  for (int i = 0x80; i < 0xc0; ++i) lines += fmt::format("b0{:x}\n", i);
  corpus(lines);
  request_.patience = 1200ms;
  const CampaignProgress progress = run().progress;
  EXPECT_EQ(progress.measured, 3) << "b005 would be the fourth, after 1.5 s";
  EXPECT_EQ(progress.unsettled, 65);
}

TEST_F(CampaignRunTest, ABlockOfSeveralStatesIsStoredWithThemAndMayBeRejected) {
  corpus("92\n");
  request_.settings.reject = {Trait::kSeveralStates};
  request_.patience = 10s;
  run();
  Store store = Store::open_read_only(request_.store);
  const auto row = store.outcomes({.campaign = store.campaigns().at(0).id}).next();
  ASSERT_TRUE(row);
  EXPECT_EQ(row->measurement.outcome.reason, Reason::kSeveralStates);
  EXPECT_EQ(row->measurement.visits, 8);
  ASSERT_EQ(row->measurement.modes.size(), 2U);
  EXPECT_EQ(row->measurement.modes[0].cycles, 1);
  EXPECT_EQ(row->measurement.modes[1].cycles, 2);
}

TEST_F(CampaignRunTest, AVisitIsToldTheCopiesOfThoseBefore) {
  corpus("93\n");
  request_.patience = 10s;
  EXPECT_EQ(run().progress.measured, 1);
  EXPECT_EQ(visits().at("xchg eax, ebx"), 4);
}

TEST_F(CampaignRunTest, WithoutPatienceValuesAreConfirmedAllTheSame) {
  corpus("93\n92\n91\nb009\n");
  request_.patience = 0s;
  EXPECT_EQ(run().progress.unsettled, 2);
  EXPECT_EQ(stored().at("xchg eax, ecx"), "none ");
}

TEST_F(CampaignRunTest, WhatIsNotSettledIsTakenUpByTheNextCall) {
  corpus("b004\n90\n");
  EXPECT_EQ(run().progress.unsettled, 2) << "without patience";
  EXPECT_EQ(stored().at("mov al, 4"), "interference ");
  request_.patience = 1500ms;
  const CampaignProgress second = run().progress;
  EXPECT_EQ(second.known, 0);
  EXPECT_EQ(second.measured, 1);
  EXPECT_EQ(stored().at("mov al, 4"), "none ");
  EXPECT_EQ(run().progress.known, 1);
}

TEST_F(CampaignRunTest, AnInterruptEndsTheWaitForABetterMoment) {
  corpus("90\n");
  request_.patience = 1h;
  interrupted_ = [this] { return latest_.without_gain.has_value(); };
  EXPECT_TRUE(run().interrupted);
  EXPECT_EQ(stored().at("nop"), "interference ");
}

TEST_F(CampaignRunTest, ABlockThatAssayBreaksDownAtIsToldApart) {
  corpus("4801d8\nff\n0f05\n");
  request_.patience = 1h;
  const CampaignResult result = run();
  EXPECT_EQ(result.summary.total(), 3);
  EXPECT_EQ(result.progress.workers_replaced, 4) << "two of them at another moment";
  EXPECT_THAT(stored().at(".byte 0xff"), HasSubstr("harness_fault the worker on processor"));
  EXPECT_EQ(run().progress.known, 3) << "it is not tried again";
  EXPECT_TRUE(coverage().at(0).complete);
}

TEST_F(CampaignRunTest, CoverageTellsWhatIsComplete) {
  const std::string other = folder_.write("other.hex", "0f05\n6690\nxyz\n");
  request_.corpora.push_back(other);
  request_.notions = {Notion::kUnrolled, Notion::kLooped};
  run();
  EXPECT_THAT(bad_lines_, HasSubstr("other.hex:3: "));
  const auto found = coverage();
  ASSERT_EQ(found.size(), 4U);
  for (const Coverage& each : found) {
    EXPECT_TRUE(each.complete);
    EXPECT_EQ(each.blocks, 2);
    EXPECT_EQ(each.digest.size(), 16U);
    EXPECT_EQ(each.limit, std::nullopt);
  }
  EXPECT_NE(found.front().digest, found.back().digest);
}

TEST_F(CampaignRunTest, ACorpusThatHasChangedIsKnownAsItIsNow) {
  request_.format = CorpusFormat::kBhiveFrequency;
  const auto sources_after = [this](const std::string& lines) {
    corpus(lines);
    run();
    Store store = Store::open_read_only(request_.store);
    OutcomeReader reader = store.outcomes({store.campaigns().at(0).id, std::nullopt, std::nullopt});
    std::string found;
    while (const auto outcome = reader.next()) {
      for (const SourceRecord& source : outcome->sources) {
        found += fmt::format("{}:{} ", source.line, source.frequency.value());
      }
    }
    EXPECT_TRUE(coverage().at(0).complete);
    return found;
  };
  EXPECT_EQ(sources_after("4801d8,1\n6690,2\n"), "1:1 2:2 ");
  EXPECT_EQ(sources_after("4801d8,1\n6690,3\n"), "1:1 2:3 ") << "another frequency";
  EXPECT_EQ(sources_after("# new\n4801d8,1\n6690,3\n"), "2:1 3:3 ") << "another line";
  EXPECT_EQ(sources_after("6690,3\n"), "1:3 ") << "a block less";
}

TEST_F(CampaignRunTest, ACorpusThatIsBegunIsKnownByItsDigest) {
  corpus("4801d8\nf4\n0f05\n");
  request_.processors.assign(1, request_.processors.front());
  request_.limit = 3;
  interrupted_ = [this] { return latest_.waiting.count() > 0; };
  run();
  const Coverage begun = coverage().at(0);
  EXPECT_FALSE(begun.complete);
  EXPECT_EQ(begun.digest.size(), 16U);
  corpus("4801d8\n6690\n");
  interrupted_ = [] { return false; };
  run();
  EXPECT_NE(coverage().at(0).digest, begun.digest);
}

TEST_F(CampaignRunTest, ALimitIsCompleteWhenItIsReached) {
  request_.limit = 1;
  run();
  const auto found = coverage();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].limit, 1);
  EXPECT_TRUE(found[0].complete);
  EXPECT_EQ(found[0].blocks, 1);
}

TEST_F(CampaignRunTest, ShardsMakeUpTheWhole) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += fmt::format("b8{:08x}\n", i);
  corpus(lines);
  std::int64_t blocks = 0;
  for (request_.shard = {1, 3}; request_.shard.index <= 3; ++request_.shard.index) {
    const CampaignResult result = run();
    EXPECT_EQ(result.progress.lines, 100);
    EXPECT_EQ(result.progress.known, 0);
    EXPECT_GT(result.progress.fresh, 0);
    blocks += result.progress.fresh;
  }
  EXPECT_EQ(blocks, 100);
  const auto found = coverage();
  ASSERT_EQ(found.size(), 3U);
  std::int64_t covered = 0;
  for (const Coverage& each : found) {
    EXPECT_EQ(each.shards, 3);
    EXPECT_EQ(each.digest, found[0].digest);
    covered += each.blocks;
  }
  EXPECT_EQ(covered, 100);
}

TEST_F(CampaignRunTest, MeasuresAgainWhatWasMeasured) {
  corpus("4801d8\n0f05\n6690\n90\n");
  run();
  request_.recheck_percent = 100;
  cycles_ = 1.5;
  const CampaignResult second = run();
  EXPECT_EQ(second.progress.rechecked, 2);
  EXPECT_EQ(second.measured_in_campaign, 2);
  EXPECT_EQ(second.agreement.blocks, 2);
  EXPECT_EQ(second.agreement.within_intervals, 0);
  EXPECT_EQ(second.agreement.median_difference, 0.5);
  EXPECT_EQ(run().progress.rechecked, 0) << "once is enough";
}

TEST_F(CampaignRunTest, AStoreThatIsDeletedMeanwhileIsAnError) {
  corpus("4801d8\nf4\n");
  on_progress_ = [this](const CampaignProgress& now) {
    if (now.fresh > 0) std::filesystem::remove(request_.store);
  };
  try {
    run();
    FAIL() << "nothing was thrown";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("results.sqlite: the store was deleted"));
  }
}

/// This campaign has real workers.
TEST(Campaign, CountsTheTimeThatBlocksWait) {
  const TemporaryFolder folder;
  CampaignRequest request;
  request.corpora = {folder.write("c.hex", "4801d8\n0f05\n")};
  request.store = folder / "results.sqlite";
  request.processors = {processor_at_hand()};
  // No series is quick enough for a canary with this limit, so that every block waits.
  request.settings.series_slowdown = -10;
  request.settings.visit_patience = 5ms;
  request.patience = 0s;
  const CampaignResult result = run_campaign(
      request, {[](const CampaignProgress&) {}, [](const std::string&) {}, [] { return false; }},
      profiling(request.settings));
  EXPECT_EQ(result.summary.by_reason.at(Reason::kInterference), 1);
  EXPECT_EQ(result.summary.by_reason.at(Reason::kSystemCall), 1);
  EXPECT_GE(result.progress.waited, 5ms);
  EXPECT_EQ(result.progress.waiting.count(), 0) << "no block waits any more";
}

}  // namespace
}  // namespace assay
