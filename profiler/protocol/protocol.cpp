#include "profiler/protocol/protocol.h"

namespace assay {

bool Protocol::fit_to_cache(LoadedBlock&, Plan&) const { return false; }

bool Protocol::strays(const LoadedBlock&) const { return false; }

void Protocol::fit(LoadedBlock&, Plan&, LoadedBlock::Prepared&, CyclesPerReading) const {}

std::optional<Plan> Protocol::longer(const Plan&) const { return std::nullopt; }

std::optional<Plan> Protocol::raised(const Plan&, Reason) const { return std::nullopt; }

std::vector<Plan> Protocol::elsewhere(const Plan&, const Block&) const { return {}; }

bool Protocol::settles(const Measurement& visit) const {
  return visit.outcome.reason != Reason::kInterference;
}

std::optional<Outcome> Protocol::objection(const Plan&, const Companions&) const {
  return std::nullopt;
}

}  // namespace assay
