#include "harness/output/profile_summary.h"
#include "profiler/support/version.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/output/clock_output.h"
#include "harness/output/percent.h"
#include "profiler/support/counted.h"

namespace assay {
namespace {

constexpr double kWorthTelling = 0.05;  ///< seconds of waiting from which on they are printed

double rate(const CampaignProgress& progress) {
  const double seconds = (progress.elapsed - progress.rechecking).count();
  return seconds > 0 ? static_cast<double>(progress.fresh) / seconds : 0;
}

nlohmann::ordered_json to_json(const Tally& tally) {
  auto reasons = nlohmann::ordered_json::object();
  auto traits = nlohmann::ordered_json::object();
  auto states = nlohmann::ordered_json::object();
  for (const auto& [reason, count] : tally.by_reason) {
    if (reason != Reason::kNone) reasons[std::string(name(reason))] = count;
  }
  for (const auto& [trait, count] : tally.by_trait) traits[std::string(name(trait))] = count;
  for (const auto& [state, count] : tally.by_initial_state) states[state] = count;
  return {
      {"measured", tally.count(Verdict::kMeasured)},
      {"rejected", tally.count(Verdict::kRejected)},
      {"failed", tally.count(Verdict::kFailed)},
      {"unsettled", tally.unsettled},
      {"reasons", reasons},
      {"traits", traits},
      {"initial_states", states},
  };
}

std::string to_text(const Tally& tally) {
  const std::int64_t total = tally.total();
  const auto line = [&](const std::string& label, std::int64_t count) {
    return fmt::format("{:<32}{:>9}{:>8.2f} %\n", label, count, percent(count, total));
  };
  std::string text;
  for (const Verdict verdict : {Verdict::kMeasured, Verdict::kRejected, Verdict::kFailed}) {
    text += line(std::string(name(verdict)), tally.count(verdict));
    for (const auto& [reason, count] : tally.by_reason) {
      if (reason == Reason::kNone || info(reason).verdict != verdict) continue;
      text += line(fmt::format("  {}", name(reason)), count);
    }
    if (verdict != Verdict::kMeasured) continue;
    for (const auto& [state, count] : tally.by_initial_state) {
      text += line(fmt::format("  in state {}", state), count);
    }
    for (const auto& [trait, count] : tally.by_trait) {
      text += line(fmt::format("  with {}", name(trait)), count);
    }
  }
  if (tally.unsettled > 0) text += line("of these not settled", tally.unsettled);
  return text;
}

nlohmann::ordered_json to_json(const Agreement& agreement) {
  return {
      {"blocks", agreement.blocks},
      {"both_measured", agreement.both_measured},
      {"within_intervals", agreement.within_intervals},
      {"other_verdict", agreement.other_verdict},
      {"median_difference", agreement.median_difference},
      {"largest_difference", agreement.largest_difference},
  };
}

std::string to_text(const Agreement& agreement, std::int64_t measured) {
  if (agreement.blocks == 0) return "";
  const std::string differences =
      agreement.both_measured == 0
          ? "none measured again"
          : fmt::format(
                "{} of {} agree within their intervals ({:.1f} %), median difference {:.2f} %, "
                "largest {:.1f} %",
                agreement.within_intervals, agreement.both_measured,
                percent(agreement.within_intervals, agreement.both_measured),
                100 * agreement.median_difference, 100 * agreement.largest_difference);
  return fmt::format("recheck: {} of {} values rechecked: {}; {} with another verdict\n",
                     agreement.blocks, measured, differences, agreement.other_verdict);
}

}  // namespace

nlohmann::ordered_json to_json(const CampaignResult& result, const CampaignRequest& request) {
  const CampaignProgress& progress = result.progress;
  auto notions = nlohmann::ordered_json::object();
  for (const Notion notion : request.notions) {
    const auto found = result.summary.by_notion.find(notion);
    notions[std::string(name(notion))] =
        to_json(found == result.summary.by_notion.end() ? Tally{} : found->second);
  }
  nlohmann::ordered_json json = {
      {"format", "assay-summary"},    {"version", 1},
      {"program", program_version()}, {"db", request.store},
      {"corpora", request.corpora},   {"blocks", result.summary.blocks},
  };
  json.update(to_json(static_cast<const Tally&>(result.summary)));
  json.update({
      {"notions", notions},
      {"new_blocks", progress.fresh},
      {"known_blocks", progress.known},
      {"new_measurements", progress.outcomes()},
      {"bad_lines", progress.bad_lines},
      {"seconds", progress.elapsed.count()},
      {"seconds_waiting", std::chrono::duration<double>(progress.waited).count()},
      {"seconds_rechecking", progress.rechecking.count()},
      {"blocks_per_second", rate(progress)},
      {"processors", request.processors},
      {"workers_replaced", progress.workers_replaced},
      {"shard", {{"index", request.shard.index}, {"count", request.shard.count}}},
      {"recheck", to_json(result.agreement)},
      {"interrupted", result.interrupted},
      {"clock", request.settings.clock},
      {"clock_choice", to_json(request.clock_choice)},
  });
  return json;
}

std::string to_text(const CampaignResult& result, const CampaignRequest& request) {
  const CampaignProgress& progress = result.progress;
  std::string text;
  if (request.notions.size() == 1) {
    text += to_text(static_cast<const Tally&>(result.summary));
  } else {
    for (const auto& [notion, tally] : result.summary.by_notion) {
      text += fmt::format("{}:\n{}", name(notion), to_text(tally));
    }
  }
  text += fmt::format("{:<32}{:>9}\n", "blocks", result.summary.blocks);
  if (progress.bad_lines > 0) text += fmt::format("{:<32}{:>9}\n", "bad lines", progress.bad_lines);
  // An interrupted campaign has not come to all that the store has.
  text +=
      fmt::format("{} with new outcomes, {} already in the store{}; {:.1f} s",
                  counted(progress.fresh, "block"), progress.known,
                  result.interrupted ? " of those that it came to" : "", progress.elapsed.count());
  const double waited = std::chrono::duration<double>(progress.waited).count();
  if (waited >= kWorthTelling)
    text += fmt::format(", {:.1f} s of them waiting for a quiet core", waited);
  text += fmt::format("; {:.0f} blocks/s by {}; in {}\n", rate(progress),
                      counted(request.processors.size(), "worker"), request.store);
  if (progress.workers_replaced > 0) {
    text += fmt::format("workers replaced because they ended or stalled: {}\n",
                        progress.workers_replaced);
  }
  text += to_text(result.agreement, result.measured_in_campaign);
  return text + fmt::format("clock {}\n", request.settings.clock) +
         why_not_better(request.clock_choice, "  ");
}

}  // namespace assay
