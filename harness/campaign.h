#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/protocol/clock_choice.h"
#include "profiler/protocol/settings.h"
#include "results/store.h"
#include "suites/readers/corpus_format.h"

namespace assay {

struct CampaignRequest {
  std::vector<std::string> corpora;    ///< paths; "-" is standard input
  std::optional<CorpusFormat> format;  ///< of all of them; nothing: see CorpusReader::open
  std::string store;                   ///< path
  std::optional<std::int64_t> limit;   ///< distinct blocks, the first ones of the corpora
  std::vector<Notion> notions = {Notion::kUnrolled};  ///< under which each block is measured
  Settings settings;
  ClockChoice clock_choice;  ///< how the settings' clock was chosen
  int processor = 0;
};

/// How far a campaign is; counts are of this call. A block is measured once for each notion.
struct CampaignProgress {
  std::int64_t lines = 0;                   ///< corpus lines that hold a block or ought to
  std::optional<std::int64_t> total_lines;  ///< where it can be known beforehand
  std::int64_t blocks = 0;                  ///< distinct blocks come to
  std::int64_t known = 0;     ///< of them, those that the store had all outcomes for already
  std::int64_t fresh = 0;     ///< and those that got an outcome now, under one notion at least
  std::int64_t measured = 0;  ///< outcomes that were found now, by verdict
  std::int64_t rejected = 0;
  std::int64_t failed = 0;
  std::int64_t bad_lines = 0;
  std::chrono::duration<double> elapsed{0};
  std::chrono::nanoseconds waiting{0};  ///< how long the block at hand has waited for a quiet core
  std::chrono::nanoseconds waited{0};   ///< how long all have, together

  std::int64_t outcomes() const { return measured + rejected + failed; }
};

/// What a campaign tells while it runs.
struct CampaignEvents {
  /// After every line, while a block waits for a quiet core, and at the end.
  std::function<void(const CampaignProgress&)> progress;
  /// "corpus.csv:12: what is wrong".
  std::function<void(const std::string&)> bad_line;
  /// Asked before every line, and while a block waits for a quiet core, which then gets no outcome:
  /// whether to end here.
  std::function<bool()> interrupted;
};

struct CampaignResult {
  CampaignProgress progress;
  /// Of all outcomes that the store has for the corpora in this campaign, under the notions asked
  /// for.
  Summary summary;
  bool interrupted = false;
};

/// Measures every distinct block of the corpora, under each of the notions for which the store has
/// no final outcome of the same machine, environment, settings and version of assay. Goes on with
/// the next line after a bad one, and commits about every second. Throws InputError and
/// EnvironmentError as the reader, the store and the profiler do; what was committed until then
/// stays.
CampaignResult run_campaign(const CampaignRequest& request, const CampaignEvents& events);

}  // namespace assay
