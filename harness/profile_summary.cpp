#include "harness/profile_summary.h"

#include <fmt/format.h>

#include "harness/commands.h"

namespace assay {
namespace {

double rate(const CampaignProgress& progress) {
  const double seconds = progress.elapsed.count();
  return seconds > 0 ? static_cast<double>(progress.fresh()) / seconds : 0;
}

double percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

nlohmann::ordered_json to_json(const CampaignResult& result, const CampaignRequest& request) {
  const CampaignProgress& progress = result.progress;
  nlohmann::ordered_json reasons = nlohmann::ordered_json::object();
  for (const auto& [reason, count] : result.summary.by_reason) {
    if (reason != Reason::kNone) reasons[std::string(name(reason))] = count;
  }
  return {
      {"format", "assay-summary"},
      {"version", 1},
      {"program", program_version()},
      {"db", request.store},
      {"corpora", request.corpora},
      {"blocks", result.summary.total()},
      {"measured", result.summary.count(Verdict::kMeasured)},
      {"rejected", result.summary.count(Verdict::kRejected)},
      {"failed", result.summary.count(Verdict::kFailed)},
      {"reasons", reasons},
      {"new_blocks", progress.fresh()},
      {"known_blocks", progress.known},
      {"bad_lines", progress.bad_lines},
      {"seconds", progress.elapsed.count()},
      {"blocks_per_second", rate(progress)},
      {"interrupted", result.interrupted},
  };
}

std::string to_text(const CampaignResult& result, const CampaignRequest& request) {
  const CampaignProgress& progress = result.progress;
  const std::int64_t total = result.summary.total();
  std::string text;
  for (const Verdict verdict : {Verdict::kMeasured, Verdict::kRejected, Verdict::kFailed}) {
    const std::int64_t count = result.summary.count(verdict);
    text += fmt::format("{:<32}{:>9}{:>8.2f} %\n", name(verdict), count, percent(count, total));
    for (const auto& [reason, with_reason] : result.summary.by_reason) {
      if (reason == Reason::kNone || info(reason).verdict != verdict) continue;
      text += fmt::format("  {:<30}{:>9}{:>8.2f} %\n", name(reason), with_reason,
                          percent(with_reason, total));
    }
  }
  text += fmt::format("{:<32}{:>9}\n", "blocks", total);
  if (progress.bad_lines > 0) text += fmt::format("{:<32}{:>9}\n", "bad lines", progress.bad_lines);
  text += fmt::format(
      "{} measured or judged now, {} known before; {:.1f} s, {:.0f} blocks/s; in {}\n",
      progress.fresh(), progress.known, progress.elapsed.count(), rate(progress), request.store);
  return text;
}

}  // namespace assay
