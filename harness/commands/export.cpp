#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "harness/commands/subcommands.h"
#include "harness/options/campaign_choice.h"
#include "harness/output/output_file.h"
#include "harness/subcommand.h"
#include "profiler/support/counted.h"
#include "profiler/support/printable.h"
#include "results/exchange/export.h"
#include "results/findings/summary.h"

namespace assay {
namespace {

namespace po = boost::program_options;

struct ExportRequest {
  std::string store;
  std::string out;
  ExportFormat format{};
  std::optional<std::int64_t> campaign;
  std::optional<std::string> corpus;
  std::optional<Notion> notion;
};

CommandLine export_options() {
  CommandLine line("assay export STORE --format FORMAT [options]",
                   "Writes what a store holds in a form that other programs read "
                   "(docs/formats.md): one line for each\nblock and notion, by the blocks' bytes.");
  line.take_words(1);
  line.add()("format", po::value<std::string>()->value_name("FORMAT"),
             "bhive (hex,cycles x 100; measured blocks alone, without states of their own), csv or "
             "jsonl");
  line.add()("out", po::value<std::string>()->value_name("FILE")->default_value("-"),
             "written whole or not at all; '-' is standard output");
  line.add()("campaign", po::value<std::int64_t>()->value_name("ID"),
             "only this one (default: all; bhive holds one)");
  line.add()("corpus", po::value<std::string>()->value_name("NAME"),
             "only blocks that stand in this one, with their frequencies in it");
  line.add()("notion", po::value<std::string>()->value_name("NOTION"),
             "only unrolled or only looped (default: both; bhive holds one)");
  return line;
}

ExportFormat format_from(const CommandLine::Values& values) {
  const auto there_are = fmt::format("there are: {}", fmt::join(export_format_names(), ", "));
  if (!values.count("format")) {
    throw UsageError(fmt::format("no format given: --format FORMAT; {}", there_are));
  }
  const auto wanted = values["format"].as<std::string>();
  if (const auto format = named<ExportFormat>(wanted)) return *format;
  throw UsageError(fmt::format("no export format '{}'; {}", wanted, there_are));
}

ExportRequest export_request(const CommandLine::Values& values) {
  ExportRequest request;
  const std::vector<std::string> stores = words_of(values);
  if (stores.empty()) throw UsageError("no store given");
  request.store = stores.front();
  request.out = values["out"].as<std::string>();
  request.format = format_from(values);
  request.campaign = campaign_option(values, "campaign");
  if (values.count("corpus")) request.corpus = values["corpus"].as<std::string>();
  request.notion = one_notion(values);
  return request;
}

/// The campaigns to be exported. They are ordered by their content, since ids depend on which
/// campaign was stored first.
std::vector<Campaign> exported_campaigns(Store& store, const ExportRequest& request) {
  if (request.campaign || request.format == ExportFormat::kBhive) {
    return {chosen_campaign(store, request.store, request.campaign, "--campaign")};
  }
  std::vector<Campaign> campaigns = campaigns_of(store, request.store);
  std::ranges::sort(campaigns, [](const Campaign& a, const Campaign& b) {
    return std::tie(a.machine, a.environment, a.program_version, a.settings) <
           std::tie(b.machine, b.environment, b.program_version, b.settings);
  });
  return campaigns;
}

/// Throws InputError if a choice of one notion is missing: lines of the format bhive do not say
/// which notion they are of.
void check_notions(Store& store, CampaignId campaign, const ExportRequest& request) {
  if (request.format != ExportFormat::kBhive || request.notion) return;
  const Summary summary = summarize(store, campaign);
  if (summary.by_notion.size() < 2) return;
  throw InputError(
      fmt::format("campaign {} of {} has blocks unrolled and looped: choose with --notion",
                  static_cast<std::int64_t>(campaign), request.store));
}

void check_corpus(Store& store, const ExportRequest& request) {
  if (!request.corpus) return;
  const std::vector<std::string> names = store.corpora();
  if (std::ranges::find(names, *request.corpus) != names.end()) return;
  throw InputError(fmt::format("{} holds no corpus '{}'; there are: {}", request.store,
                               *request.corpus, fmt::join(names, ", ")));
}

/// How many outcomes were written or left out.
struct Written {
  std::int64_t lines = 0;
  std::int64_t with_state = 0;  ///< left out: the format cannot hold a block's own state
};

bool has_no_place(const ExportRequest& request, const StoredOutcome& outcome) {
  return request.format == ExportFormat::kBhive && !outcome.block.state.empty() &&
         outcome.measurement.outcome.verdict() == Verdict::kMeasured;
}

Written write_outcomes(Store& store, const std::vector<Campaign>& campaigns,
                       const ExportRequest& request, OutputFile& out) {
  Written written;
  for (const Campaign& campaign : campaigns) {
    OutcomeReader outcomes = store.outcomes({campaign.id, request.notion, request.corpus});
    while (const auto outcome = outcomes.next()) {
      const std::string line = export_line(request.format, campaign, *outcome);
      if (has_no_place(request, *outcome)) ++written.with_state;
      if (line.empty()) continue;
      if (written.lines++ == 0) out.write(export_header(request.format));
      out.write(line);
    }
  }
  return written;
}

int export_to(OutputFile& out, Store& store, const ExportRequest& request) {
  const std::vector<Campaign> campaigns = exported_campaigns(store, request);
  check_corpus(store, request);
  for (const Campaign& campaign : campaigns) check_notions(store, campaign.id, request);
  const auto [lines, with_state] = write_outcomes(store, campaigns, request, out);
  if (with_state > 0) {
    fmt::print(stderr,
               "assay export: left out {} measured with an initial state of {}: the format bhive "
               "has no place for it; csv and jsonl do\n",
               counted(with_state, "block"), with_state == 1 ? "its own" : "their own");
  }
  if (lines == 0) {
    fmt::print(stderr, "assay export: {}: nothing to export: no {} for what was asked for\n",
               printable_name(request.store),
               request.format == ExportFormat::kBhive ? "measured block" : "outcome");
    return kNothingMeasured;
  }
  out.finish();
  return kDone;
}

}  // namespace

int run_export(const std::vector<std::string>& arguments) {
  const auto values = export_options().parse(arguments);
  if (!values) return kDone;
  const ExportRequest request = export_request(*values);
  check_is_no_other("--out", request.out, {request.store});
  return with_output([&] {
    Store store = Store::open_read_only(request.store);
    OutputFile out(request.out);
    return export_to(out, store, request);
  });
}

}  // namespace assay
