#pragma once

#include <optional>
#include <string_view>

#include "profiler/block/verdict.h"
#include "profiler/block/zydis.h"

namespace assay {

/// A rule of containment that an instruction breaks.
struct BrokenRule {
  Reason reason = Reason::kNone;
  std::string_view why;  ///< what the instruction does: "enters the operating system"
};

/// The rule that keeps the instruction from being run, if there is one. `last`: it ends the block,
/// where a direct jump may stand.
std::optional<BrokenRule> broken_rule(const Decoded& decoded, bool last);

}  // namespace assay
