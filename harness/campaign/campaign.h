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
  std::string store;                                  ///< path of the store
  std::vector<Notion> notions = {Notion::kUnrolled};  ///< what blocks are measured under
  Settings settings;
  ClockChoice clock_choice;  ///< how the settings' clock was chosen
  /// The logical processors, at least one, each for one worker. The environment of the first one is
  /// that of the campaign.
  std::vector<int> processors;
  /// For how long a worker may give no sign of life while it has work.
  std::chrono::nanoseconds stall_limit = std::chrono::minutes(1);
  /// How long the campaign goes on when all blocks have been visited and further visits settle
  /// none of those that are not settled. If some are settled now and then, it goes on as long as
  /// these are a tenth of what is open, in each stretch of as much time as it took to visit all
  /// blocks, or of so much if that is more. With 0, there are no visits for their sake alone.
  std::chrono::nanoseconds patience = std::chrono::seconds(30);
  double recheck_percent = 1;  ///< share of the measured blocks that are rechecked at the end
};

/// How far a campaign has come. All counts are of this call; a block has an outcome for each
/// notion.
struct CampaignProgress {
  std::int64_t lines = 0;                   ///< lines so far that hold a block, or should
  std::optional<std::int64_t> total_lines;  ///< number of such lines, if known beforehand
  std::int64_t blocks = 0;                  ///< distinct blocks of the shard so far
  std::int64_t known = 0;  ///< those of `blocks` that the store had all outcomes for already
  std::int64_t fresh = 0;  ///< those of `blocks` that got an outcome now, under at least one notion
  std::int64_t measured = 0;   ///< outcomes settled now with the verdict measured
  std::int64_t rejected = 0;   ///< outcomes settled now with the verdict rejected
  std::int64_t failed = 0;     ///< outcomes settled now with the verdict failed
  std::int64_t unsettled = 0;  ///< outcomes found now that are not settled (visits.h)
  std::int64_t bad_lines = 0;
  std::int64_t rechecked = 0;         ///< rechecks that were done
  std::size_t workers = 0;            ///< workers there are now
  std::int64_t workers_replaced = 0;  ///< workers replaced because they ended or stalled
  std::chrono::duration<double> elapsed{0};
  std::chrono::duration<double> rechecking{0};  ///< part of `elapsed` that rechecks took
  /// For how long the blocks of all workers have waited for quiet cores; 0 if one is not waiting.
  std::chrono::nanoseconds waiting{0};
  std::chrono::nanoseconds waited{0};  ///< waiting for quiet cores so far, averaged over workers

  /// Set while there is nothing to do but to wait until blocks may be visited again: how long the
  /// campaign has gone on since it last settled one.
  std::optional<std::chrono::nanoseconds> without_gain;
  std::chrono::nanoseconds patience{};  ///< how long it may go on like that

  std::int64_t outcomes() const { return measured + rejected + failed + unsettled; }
};

/// Callbacks of a campaign while it runs.
struct CampaignEvents {
  /// Called several times a second, and at the end.
  std::function<void(const CampaignProgress&)> progress;
  /// Called for each bad line with "corpus.csv:12: what is wrong".
  std::function<void(const std::string&)> bad_line;
  /// Called several times a second; returns whether to end now, without an outcome for the blocks
  /// that are being measured.
  std::function<bool()> interrupted;
};

struct CampaignResult {
  CampaignProgress progress;
  /// All outcomes that the store has for the corpora in this campaign, under the notions asked for.
  Summary summary;
  /// Number of outcomes with a value in the whole campaign.
  std::int64_t measured_in_campaign = 0;
  Agreement agreement;  ///< of all rechecks of the whole campaign
  bool interrupted = false;
};

/// Makes workers measure blocks with these settings, by a Profiler.
PrepareWork profiling(const Settings& settings);

/// Measures every distinct block of the corpora, under each of the notions for which the store has
/// no settled outcome of the same machine, environment, settings and version of assay. Several
/// workers (Crew) measure at the same time, each with the Work that `prepare` makes for it. Blocks
/// that one visit does not settle (visits.h) are visited again, between others, until they are, or
/// until the campaign's patience ends. Passes over bad lines, and commits about every second.
/// Corpora that are complete are noted in the store (Coverage). At the end, a share of the measured
/// blocks is rechecked by one worker alone (Store::put_recheck). Throws InputError and
/// EnvironmentError as the reader, the store and the workers do; outcomes found until then are
/// kept.
CampaignResult run_campaign(const CampaignRequest& request, const CampaignEvents& events,
                            const PrepareWork& prepare);

}  // namespace assay
