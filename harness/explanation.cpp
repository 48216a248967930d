#include "harness/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay {
namespace {

std::string plan_text(const Plan& plan) {
  const std::string sizes = fmt::format("{}", fmt::join(plan.sizes, ", "));
  if (plan.notion == Notion::kUnrolled) return fmt::format("{} copies", sizes);
  return fmt::format("{} turns of a loop over {} {}", sizes, plan.body_copies,
                     plan.body_copies == 1 ? "copy" : "copies");
}

std::string series_table(std::span<const SeriesPoint> series) {
  std::string text =
      "    series     cycles    first   further   canary    ratio   runs  dropped  fate\n";
  for (std::size_t i = 0; i < series.size(); ++i) {
    const SeriesPoint& point = series[i];
    text +=
        fmt::format("    {:>6}{:>11.4f}{:>9.4f}{:>10.4f}{:>9.4f}{:>9.4f}{:>7}{:>9}  {}\n", i + 1,
                    point.cycles, point.near_cycles, point.far_cycles, point.cycles_per_addition,
                    point.ratio, point.kept, point.dropped, name(point.fate));
  }
  return text;
}

std::string estimate_text(const Attempt& attempt, const Settings& settings) {
  if (!attempt.outcome.estimate || !attempt.steadiness) return "";
  const Estimate& estimate = *attempt.outcome.estimate;
  const Steadiness& steadiness = *attempt.steadiness;
  std::string text = fmt::format(
      "    estimate   {:.4f} +- {:.4f} cycles a copy ({:.2f} %); accepted up to {:.4f}\n",
      estimate.cycles, estimate.half_width, 100 * estimate.half_width / estimate.cycles,
      std::max(settings.accept_relative * estimate.cycles, settings.accept_cycles));
  text += fmt::format(
      "    steady     {:.4f} cycles at first, {:.4f} further on, their difference +- {:.4f}\n",
      steadiness.near_cycles, steadiness.far_cycles, steadiness.half_width);
  text += fmt::format("    canary     {:+.2f} % slower than undisturbed; accepted up to {:.2f} %\n",
                      100 * attempt.slowdown, 100 * settings.accept_slowdown);
  if (attempt.floor > 0) {
    text += fmt::format("    floor      {:.4f} cycles a copy\n", attempt.floor);
  }
  return text;
}

}  // namespace

std::string explain(std::span<const Attempt> attempts, const Settings& settings) {
  std::string text;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const Attempt& attempt = attempts[i];
    text += fmt::format("  attempt {}: {}, initial state '{}'\n", i + 1, plan_text(attempt.plan),
                        attempt.initial_state);
    if (!attempt.series.empty()) text += series_table(attempt.series);
    text += estimate_text(attempt, settings);
    text += fmt::format("    outcome    {}{}{}\n", name(attempt.outcome.reason),
                        attempt.outcome.detail.empty() ? "" : ": ", attempt.outcome.detail);
  }
  return text;
}

}  // namespace assay
