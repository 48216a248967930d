#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/commands/subcommands.h"
#include "harness/options/campaign_choice.h"
#include "harness/options/percentage.h"
#include "harness/output/comparison_output.h"
#include "harness/output/json_text.h"
#include "harness/subcommand.h"
#include "profiler/support/counted.h"
#include "profiler/support/printable.h"

namespace assay {
namespace {

namespace po = boost::program_options;

constexpr int kMostWorst = 100'000;

CommandLine compare_options() {
  CommandLine line("assay compare A B [options]",
                   "Sets two stores, or two campaigns of one store, against each other: blocks in "
                   "both, how far their\nvalues are apart, what became of them otherwise. A is the "
                   "reference.");
  line.take_words(2);
  line.add()("campaign-a", po::value<std::int64_t>()->value_name("ID"),
             "campaign of A; needed if it has several");
  line.add()("campaign-b", po::value<std::int64_t>()->value_name("ID"),
             "campaign of B; needed if it has several");
  line.add()("notion", po::value<std::string>()->value_name("NOTION"),
             "only unrolled or only looped (default: both, each compared with the same notion)");
  line.add()("worst", po::value<int>()->value_name("N")->default_value(20),
             "list the N blocks that differ most");
  line.add()(
      "fail-above", po::value<std::string>()->value_name("PERCENT"),
      "exit with 1 if the intervals of more than PERCENT of the blocks measured in both do not "
      "meet");
  line.add()("json", "print one JSON object (docs/formats.md)");
  return line;
}

struct CompareRequest {
  std::string a, b;
  std::optional<std::int64_t> campaign_a, campaign_b;
  std::optional<Notion> notion;
  std::size_t worst = 0;
  std::optional<Percentage> fail_above;
};

std::optional<Percentage> limit_from(const CommandLine::Values& values) {
  if (!values.count("fail-above")) return std::nullopt;
  const auto text = values["fail-above"].as<std::string>();
  if (const auto limit = Percentage::from(text)) return limit;
  throw UsageError(fmt::format(
      "--fail-above: '{}' is no percentage from 0 to 100 with at most six digits after the point",
      text));
}

CompareRequest compare_request(const CommandLine::Values& values) {
  CompareRequest request;
  const std::vector<std::string> stores = words_of(values);
  if (stores.size() != 2) throw UsageError("two stores are needed");
  request.a = stores[0];
  request.b = stores[1];
  request.campaign_a = campaign_option(values, "campaign-a");
  request.campaign_b = campaign_option(values, "campaign-b");
  request.notion = one_notion(values);
  const int worst = values["worst"].as<int>();
  if (worst < 0 || worst > kMostWorst) {
    throw UsageError(fmt::format("--worst must be from 0 to {}, not {}", kMostWorst, worst));
  }
  request.worst = static_cast<std::size_t>(worst);
  request.fail_above = limit_from(values);
  return request;
}

ComparedCampaigns compare_campaigns(const CompareRequest& request) {
  Store a = Store::open_read_only(request.a), b = Store::open_read_only(request.b);
  ComparedCampaigns compared;
  compared.a = {request.a, chosen_campaign(a, request.a, request.campaign_a, "--campaign-a")};
  compared.b = {request.b, chosen_campaign(b, request.b, request.campaign_b, "--campaign-b")};
  OutcomeReader from_a = a.outcomes({compared.a.campaign.id, request.notion, std::nullopt});
  OutcomeReader from_b = b.outcomes({compared.b.campaign.id, request.notion, std::nullopt});
  compared.comparison = compare(from_a, from_b, request.worst);
  return compared;
}

/// Why the exit status is 1; empty if it is 0.
std::string failure(const Comparison& comparison, const std::optional<Percentage>& fail_above) {
  const ComparisonTally& all = comparison.all;
  const std::int64_t measured = all.measured_in_both();
  if (all.in_both == 0) return "no block has an outcome in both under one notion";
  if (measured == 0) return "no block was measured in both";
  const std::int64_t apart = measured - all.meeting;
  if (!fail_above || !fail_above->is_exceeded_by(apart, measured)) return "";
  return fmt::format(
      "the intervals of {} of {} measured in both do not meet: more than --fail-above allows",
      apart, counted(measured, "block"));
}

}  // namespace

int run_compare(const std::vector<std::string>& arguments) {
  const auto values = compare_options().parse(arguments);
  if (!values) return kDone;
  const CompareRequest request = compare_request(*values);
  const ComparedCampaigns compared = compare_campaigns(request);
  if (values->count("json")) {
    fmt::print("{}\n", json_text(to_json(compared)));
  } else {
    fmt::print("{}", printable(to_text(compared)));
  }
  const std::string problem = failure(compared.comparison, request.fail_above);
  if (problem.empty()) return kDone;
  // The tables come before the message, even if both go to the same file.
  std::fflush(stdout);
  fmt::print(stderr, "assay compare: {}\n", problem);
  return kNothingMeasured;
}

}  // namespace assay
