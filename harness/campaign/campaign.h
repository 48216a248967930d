#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/corpus_walk.h"
#include "harness/campaign/worker.h"
#include "profiler/counting/clock_choice.h"
#include "profiler/measurement/settings.h"
#include "results/findings/agreement.h"
#include "results/findings/summary.h"
#include "results/store/store.h"

namespace assay {

struct CampaignRequest : CorpusSelection {
  std::string store;                                  ///< path
  std::vector<Notion> notions = {Notion::kUnrolled};  ///< under which each block is measured
  Settings settings;
  ClockChoice clock_choice;  ///< how the settings' clock was chosen
  /// One worker on each, at least one; the campaign is told apart by the environment of the first.
  std::vector<int> processors;
  /// For how long a worker may give no sign of life while it has work.
  std::chrono::nanoseconds stall_limit = std::chrono::minutes(1);
  double recheck_percent = 1;  ///< of the measured blocks, to be measured again at the end
};

/// How far a campaign is; counts are of this call. A block is measured once for each notion.
struct CampaignProgress {
  std::int64_t lines = 0;                   ///< corpus lines that hold a block or ought to
  std::optional<std::int64_t> total_lines;  ///< where it can be known beforehand
  std::int64_t blocks = 0;                  ///< distinct blocks of the shard come to
  std::int64_t known = 0;     ///< of them, those that the store had all outcomes for already
  std::int64_t fresh = 0;     ///< and those that got an outcome now, under one notion at least
  std::int64_t measured = 0;  ///< outcomes that were found now, by verdict
  std::int64_t rejected = 0;
  std::int64_t failed = 0;
  std::int64_t bad_lines = 0;
  std::int64_t rechecked = 0;         ///< outcomes that were found again
  std::size_t workers = 0;            ///< at work
  std::int64_t workers_replaced = 0;  ///< because they ended or stalled
  std::chrono::duration<double> elapsed{0};
  std::chrono::duration<double> rechecking{0};  ///< of them, for measuring again
  std::chrono::nanoseconds waiting{0};  ///< how long all blocks at hand have waited for quiet cores
  std::chrono::nanoseconds waited{0};   ///< how long all have so far, by worker on average

  std::int64_t outcomes() const { return measured + rejected + failed; }
};

/// What a campaign tells while it runs.
struct CampaignEvents {
  /// Several times a second, and at the end.
  std::function<void(const CampaignProgress&)> progress;
  /// "corpus.csv:12: what is wrong".
  std::function<void(const std::string&)> bad_line;
  /// Asked several times a second: whether to end here. Blocks at hand get no outcome then.
  std::function<bool()> interrupted;
};

struct CampaignResult {
  CampaignProgress progress;
  /// Of all outcomes that the store has for the corpora in this campaign, under the notions asked
  /// for.
  Summary summary;
  /// Of the whole campaign: outcomes with a value, and what measuring some of them again gave.
  std::int64_t measured_in_campaign = 0;
  Agreement agreement;
  bool interrupted = false;
};

/// Makes a worker measure blocks as `settings` have it (Profiler).
PrepareWork profiling(const Settings& settings);

/// Measures every distinct block of the corpora, under each of the notions for which the store has
/// no final outcome of the same machine, environment, settings and version of assay: in workers
/// beside each other (Crew), each of which does what `prepare` gives it. Goes on with the next line
/// after a bad one, and commits about every second. What is complete is noted in the store
/// (Coverage); then a share of the measured blocks is measured again, by one worker alone, and kept
/// beside (Store::put_recheck). Throws InputError and EnvironmentError as the reader, the store and
/// the workers do; what came in until then stays.
CampaignResult run_campaign(const CampaignRequest& request, const CampaignEvents& events,
                            const PrepareWork& prepare);

}  // namespace assay
