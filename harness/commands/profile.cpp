#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <system_error>

#include "harness/campaign/campaign.h"
#include "harness/campaign/interrupt.h"
#include "harness/commands/settled_clock.h"
#include "harness/commands/subcommands.h"
#include "harness/options/corpus_options.h"
#include "harness/options/run_options.h"
#include "harness/options/sandbox_option.h"
#include "harness/options/worker_options.h"
#include "harness/output/bad_line_report.h"
#include "harness/output/json_text.h"
#include "harness/output/profile_summary.h"
#include "harness/output/progress.h"
#include "harness/subcommand.h"
#include "profiler/machine/processor.h"

namespace assay {
namespace {

namespace po = boost::program_options;

CommandLine profile_options() {
  CommandLine line(
      "assay profile CORPUS... --db FILE [options]",
      "Measures every distinct block of the corpora into a store. Started again with the same "
      "store, it\ngoes on where it stopped and measures nothing twice. '-' reads standard input. "
      "A corpus may\nbe compressed (gzip, zstd), or a store of results.");
  line.take_words();
  line.add()("db", po::value<std::string>()->value_name("FILE"),
             "the store, an SQLite file; made if there is none");
  add_corpus_format_option(line);
  line.add()("limit", po::value<std::int64_t>()->value_name("N"),
             "only the first N distinct blocks");
  line.add()("shard", po::value<std::string>()->value_name("I/N"),
             "only the I-th of N parts that blocks are cut into, by their bytes");
  add_patience_option(line);
  line.add()(
      "recheck", po::value<double>()->value_name("PERCENT")->default_value(1),
      "share of the measured blocks to measure again at the end, by one worker alone, to see "
      "how well the values agree");
  add_worker_options(line);
  add_notion_option(line);
  add_run_options(line);
  add_sandbox_option(line);
  line.add()("json", "print the summary as one JSON object (docs/formats.md)");
  return line;
}

/// Throws UsageError if the store is also a corpus: it cannot be read to its end while it is
/// written.
void check_not_among_corpora(const CampaignRequest& request) {
  for (const std::string& path : request.corpora) {
    std::error_code error;  // a missing file is reported when it is opened
    if (std::filesystem::equivalent(path, request.store, error)) {
      throw UsageError(path + " is a corpus and --db at once: name another store to write to");
    }
  }
}

Shard shard_of(const CommandLine::Values& values) {
  if (!values.count("shard")) return {};
  const std::string wanted = values["shard"].as<std::string>();
  if (const auto shard = shard_from(wanted)) return *shard;
  throw UsageError(fmt::format("--shard is I/N with I from 1 to N, not '{}'", wanted));
}

double recheck_percent(const CommandLine::Values& values) {
  const double percent = values["recheck"].as<double>();
  if (percent >= 0 && percent <= 100) return percent;
  throw UsageError("--recheck must be from 0 to 100");
}

CampaignRequest profile_request(const CommandLine::Values& values) {
  CampaignRequest request;
  request.corpora = words_of(values);
  if (request.corpora.empty()) throw UsageError("no corpus given");
  if (!values.count("db")) throw UsageError("no store given: give --db FILE");
  request.store = values["db"].as<std::string>();
  request.format = corpus_format_option(values);
  check_not_among_corpora(request);
  if (values.count("limit")) {
    request.limit = values["limit"].as<std::int64_t>();
    if (*request.limit < 1) throw UsageError("--limit must be at least 1");
  }
  request.notions = run_notions(values);
  request.settings = run_settings(values);
  request.shard = shard_of(values);
  request.patience = run_patience(values);
  request.recheck_percent = recheck_percent(values);
  request.processors = worker_processors(values);
  request.stall_limit = stall_limit(values, request.settings);
  // Trying clocks binds this thread to one processor; workers must be able to use all of theirs.
  const KeptProcessors kept;
  request.clock_choice = settle_clock(values, request.processors.front(), request.settings);
  return request;
}

CampaignResult run_shown(const CampaignRequest& request) {
  ProgressLine line;
  BadLineReport bad_lines("assay profile", [&](const std::string& text) { line.message(text); });
  return run_campaign(request,
                      {
                          [&](const CampaignProgress& progress) { line.show(progress); },
                          [&](const std::string& text) { bad_lines.add(text); },
                          [] { return InterruptGuard::signal() != 0; },
                      },
                      profiling(request.settings));
}

}  // namespace

int run_profile(const std::vector<std::string>& arguments) {
  const auto values = profile_options().parse(arguments);
  if (!values) return kDone;
  const InterruptGuard guard;
  const CampaignRequest request = profile_request(*values);
  check_sandbox(*values, "assay profile");
  const CampaignResult result = run_shown(request);
  if (values->count("json")) {
    fmt::print("{}\n", json_text(to_json(result, request)));
  } else {
    fmt::print("{}", to_text(result, request));
  }
  if (result.interrupted) {
    fmt::print(stderr, "assay profile: interrupted; run the same command again to go on\n");
    return 128 + InterruptGuard::signal();
  }
  if (result.summary.blocks == 0) {
    fmt::print(stderr, "assay profile: there is no block to measure in {}\n",
               fmt::join(request.corpora, ", "));
  }
  return result.summary.count(Verdict::kMeasured) > 0 ? kDone : kNothingMeasured;
}

}  // namespace assay
