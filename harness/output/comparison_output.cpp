#include "harness/output/comparison_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "harness/output/percent.h"
#include "profiler/support/printable.h"
#include "profiler/support/version.h"
#include "results/exchange/record_json.h"
#include "results/findings/campaign_difference.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;
using Side = ComparedCampaigns::Side;
using ReasonCount = std::pair<std::pair<Reason, Reason>, std::int64_t>;

constexpr std::size_t kColumns = 100;

/// Pairs of reasons with their counts, the most frequent first.
std::vector<ReasonCount> sorted(const std::map<std::pair<Reason, Reason>, std::int64_t>& counts) {
  std::vector<ReasonCount> list(counts.begin(), counts.end());
  std::ranges::stable_sort(list, std::ranges::greater{}, &ReasonCount::second);
  return list;
}

Json to_json(const Side& side) {
  return {{"store", side.store},
          {"campaign", to_json(side.campaign)},
          {"settings", Json::parse(side.campaign.settings, nullptr, false)}};
}

Json value_json(const Estimate& estimate) {
  return {{"cycles", estimate.cycles},
          {"ci95", {estimate.cycles - estimate.half_width, estimate.cycles + estimate.half_width}}};
}

Json outcome_json(Reason reason) {
  return {{"verdict", name(info(reason).verdict)}, {"reason", name(reason)}};
}

Json to_json(const ComparedBlock& compared) {
  Json json = {{"hex", hex_from_bytes(compared.block.bytes)},
               {"text", compared.block.text},
               {"state", compared.block.state},
               {"notion", name(compared.notion)},
               {"a", value_json(compared.a)},
               {"b", value_json(compared.b)},
               {"difference", compared.difference},
               {"intervals_meet", intervals_meet(compared.a, compared.b)},
               {"sources", Json::array()}};
  for (const SourceRecord& source : compared.sources) json["sources"].push_back(to_json(source));
  return json;
}

Json to_json(const ComparisonTally& tally) {
  Json within = Json::array();
  for (std::size_t i = 0; i < tally.within.size(); ++i) {
    within.push_back({{"difference", ComparisonTally::kWithin[i]}, {"blocks", tally.within[i]}});
  }
  Json json = {{"in_both", tally.in_both},           {"measured_in_both", tally.measured_in_both()},
               {"intervals_meet", tally.meeting},    {"within", within},
               {"median_difference", nullptr},       {"median_absolute_difference", nullptr},
               {"mean_absolute_difference", nullptr}};
  if (tally.measured_in_both() == 0) return json;
  const DifferenceStatistics statistics = tally.statistics();
  json["median_difference"] = statistics.median;
  json["median_absolute_difference"] = statistics.median_absolute;
  json["mean_absolute_difference"] = statistics.mean_absolute;
  return json;
}

/// The text in one line, cut to so many columns, with an ellipsis at its end if something was cut
/// off.
std::string cut(std::string_view raw, std::size_t columns) {
  const std::string text = printable_name(raw);
  constexpr std::string_view kEllipsis = "...";
  if (text.size() <= columns) return text;
  std::size_t end = columns - kEllipsis.size();
  // Do not cut within a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end).append(kEllipsis);
}

std::string percent_or_dash(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.2f} %", percent(part, whole));
}

std::string side_text(const char* label, const Side& side) {
  const Campaign& campaign = side.campaign;
  const auto line = [](const std::string& text) { return cut(text, kColumns) + "\n"; };
  return line(fmt::format("{}  {}, campaign {}, started {}", label, side.store,
                          static_cast<std::int64_t>(campaign.id), campaign.started_at)) +
         line(fmt::format("   {} ({}), {}, microcode {}", campaign.machine.brand,
                          campaign.machine.microarchitecture, campaign.environment.kernel,
                          campaign.environment.microcode)) +
         line(fmt::format("   assay {}, protocol {}, clock {}", campaign.program_version,
                          campaign.protocol, campaign.clock));
}

std::string differences_text(const Campaign& a, const Campaign& b) {
  const auto list = differences(a, b);
  if (list.empty()) return "machine, environment, version and settings are the same\n";
  std::string text = fmt::format("{:<34}{:<33}{}\n", "not the same", "A", "B");
  for (const auto& [name, in_a, in_b] : list) {
    text += fmt::format("  {:<32}{:<33}{}\n", cut(name, 31), cut(in_a, 32), cut(in_b, 33));
  }
  return text;
}

/// How many of the blocks in both have a value in only one: in A if `in_a`, else in B.
std::int64_t measured_alone(const Comparison& comparison, bool in_a) {
  std::int64_t blocks = 0;
  for (const auto& [reasons, count] : comparison.other_reasons) {
    if ((in_a ? reasons.first : reasons.second) == Reason::kNone) blocks += count;
  }
  return blocks;
}

std::string counts_text(const Comparison& comparison) {
  const ComparisonTally& all = comparison.all;
  const auto line = [&](const char* label, std::int64_t count) {
    return fmt::format("  {:<32}{:>9}{:>11}\n", label, count,
                       percent_or_dash(count, all.measured_in_both()));
  };
  std::string text = fmt::format("{:<34}{:>9}\n", "blocks in both", all.in_both);
  text += fmt::format("  {:<32}{:>9}\n", "only in A", comparison.only_in_a);
  text += fmt::format("  {:<32}{:>9}\n", "only in B", comparison.only_in_b);
  text += fmt::format("  {:<32}{:>9}\n", "measured in A alone", measured_alone(comparison, true));
  text += fmt::format("  {:<32}{:>9}\n", "measured in B alone", measured_alone(comparison, false));
  text += fmt::format("{:<34}{:>9}\n", "measured in both", all.measured_in_both());
  if (all.measured_in_both() == 0) return text;
  text += line("their intervals meet", all.meeting);
  for (std::size_t i = 0; i < all.within.size(); ++i) {
    text += line(fmt::format("within {:g} % of A", 100 * ComparisonTally::kWithin[i]).c_str(),
                 all.within[i]);
  }
  const DifferenceStatistics statistics = all.statistics();
  return text + fmt::format(
                    "|B - A| / A: median {:.3f} %, mean {:.3f} %; (B - A) / A: median "
                    "{:+.3f} % (above 0: B is slower)\n",
                    100 * statistics.median_absolute, 100 * statistics.mean_absolute,
                    100 * statistics.median);
}

/// The outcome in a word: "measured", or the reason why there is no number.
std::string_view outcome_name(Reason reason) {
  return reason == Reason::kNone ? name(Verdict::kMeasured) : name(reason);
}

std::string reasons_text(const Comparison& comparison) {
  if (comparison.other_reasons.empty()) return "";
  std::string text =
      fmt::format("\n{:<34}{:<26}{:>9}\n", "another outcome in A", "than in B", "blocks");
  for (const auto& [reasons, count] : sorted(comparison.other_reasons)) {
    text += fmt::format("  {:<32}{:<26}{:>9}\n", outcome_name(reasons.first),
                        outcome_name(reasons.second), count);
  }
  return text;
}

std::string value_text(const Estimate& estimate) {
  return fmt::format("{:.3f} +- {:.3f}", estimate.cycles, estimate.half_width);
}

std::string source_text(const ComparedBlock& compared) {
  if (compared.sources.empty()) return "";
  const SourceRecord& first = compared.sources.front();
  const std::size_t more = compared.sources.size() - 1;
  return fmt::format(" {}:{}{}", first.corpus, first.line,
                     more > 0 ? fmt::format(" +{}", more) : "");
}

std::string worst_text(const Comparison& comparison) {
  if (comparison.worst.empty()) return "";
  std::string text = fmt::format("\n{:>10}{:>22}{:>22}  {:<10}{}\n", "(B - A)/A", "A, cycles",
                                 "B, cycles", "intervals", "notion, first line");
  for (const ComparedBlock& compared : comparison.worst) {
    const std::string line = fmt::format(
        "{:>+8.2f} %{:>22}{:>22}  {:<10}{}{}", 100 * compared.difference, value_text(compared.a),
        value_text(compared.b), intervals_meet(compared.a, compared.b) ? "meet" : "apart",
        name(compared.notion), source_text(compared));
    text += cut(line, kColumns) + "\n";
    text += fmt::format("    {}\n", cut(hex_from_bytes(compared.block.bytes), kColumns - 4));
    text += fmt::format("    {}\n", cut(compared.block.text, kColumns - 4));
    if (!compared.block.state.empty()) {
      text += fmt::format("    state {}\n", cut(compared.block.state, kColumns - 10));
    }
  }
  return text;
}

std::string corpora_text(const Comparison& comparison) {
  if (comparison.by_corpus.empty()) return "";
  std::string text = fmt::format("\n{:<34}{:>9}{:>18}{:>16}{:>18}\n", "corpus", "in both",
                                 "measured in both", "intervals meet", "median |B - A|/A");
  for (const auto& [corpus, tally] : comparison.by_corpus) {
    const std::int64_t measured = tally.measured_in_both();
    text += fmt::format(
        "{:<34}{:>9}{:>18}{:>16}{:>18}\n", cut(corpus, 33), tally.in_both, measured,
        percent_or_dash(tally.meeting, measured),
        measured == 0 ? "-" : fmt::format("{:.3f} %", 100 * tally.statistics().median_absolute));
  }
  return text;
}

}  // namespace

nlohmann::ordered_json to_json(const ComparedCampaigns& compared) {
  const auto& [a, b, comparison] = compared;
  Json json = {{"format", "assay-comparison"},
               {"version", 1},
               {"program", program_version()},
               {"a", to_json(a)},
               {"b", to_json(b)},
               {"different", Json::array()}};
  for (const auto& [name, in_a, in_b] : differences(a.campaign, b.campaign)) {
    json["different"].push_back({{"name", name}, {"a", in_a}, {"b", in_b}});
  }
  json.update(to_json(comparison.all));
  json["only_in_a"] = comparison.only_in_a;
  json["only_in_b"] = comparison.only_in_b;
  json["other_outcomes"] = Json::array();
  for (const auto& [reasons, count] : sorted(comparison.other_reasons)) {
    json["other_outcomes"].push_back({{"a", outcome_json(reasons.first)},
                                      {"b", outcome_json(reasons.second)},
                                      {"blocks", count}});
  }
  json["worst"] = Json::array();
  for (const ComparedBlock& block : comparison.worst) json["worst"].push_back(to_json(block));
  json["corpora"] = Json::array();
  for (const auto& [corpus, tally] : comparison.by_corpus) {
    Json entry = {{"corpus", corpus}};
    entry.update(to_json(tally));
    json["corpora"].push_back(entry);
  }
  return json;
}

std::string to_text(const ComparedCampaigns& compared) {
  const Comparison& comparison = compared.comparison;
  return side_text("A", compared.a) + side_text("B", compared.b) +
         differences_text(compared.a.campaign, compared.b.campaign) + "\n" +
         counts_text(comparison) + reasons_text(comparison) + corpora_text(comparison) +
         worst_text(comparison);
}

}  // namespace assay
