#include "profiler/protocol/protocol.h"

namespace assay {

void Protocol::fit(LoadedBlock&, Plan&, LoadedBlock::Prepared&, CyclesPerReading) const {}

std::optional<Plan> Protocol::raised(const Plan&, Reason) const { return std::nullopt; }

std::optional<Outcome> Protocol::objection(const Plan&, const Companions&) const {
  return std::nullopt;
}

}  // namespace assay
