#include "profiler/protocol/fixed_protocol.h"

#include "profiler/protocol/fixed_sampling.h"

namespace assay {
namespace {

FixedScale scale_of(const Plan& plan, const Companions& companions) {
  return {.small = plan.fewest_copies(),
          .large = plan.most_copies(),
          .ratio = companions.ratio().value(),
          .ratio_error = 0,
          .clock_step = companions.step().whole};
}

}  // namespace

std::variant<Plan, Outcome> FixedProtocol::plan(const Block& block, Notion notion) const {
  return plan_fixed(recipe_, block, notion, settings_, cache_size_);
}

std::optional<Outcome> FixedProtocol::objection(const Plan& plan,
                                                const Companions& companions) const {
  const FixedScale scale = scale_of(plan, companions);
  if (clock_may_be_fine(recipe_, scale)) return std::nullopt;
  return Outcome{Reason::kClockTooCoarse, describe_coarse_clock(recipe_, scale, 0)};
}

std::unique_ptr<Sampling> FixedProtocol::sampling(const PlannedRuns& runs, Companions& companions,
                                                  int) const {
  return std::make_unique<FixedSampling>(recipe_, fixed_rounds(recipe_, runs.times.largest),
                                         scale_of(runs.plan, companions), runs.floor, companions,
                                         settings_.accept_slowdown);
}

}  // namespace assay
