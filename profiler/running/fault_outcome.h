#pragma once

#include <optional>

#include "profiler/block/block.h"
#include "profiler/codegen/kernel.h"
#include "profiler/subject/fault.h"

namespace assay {

/// The outcome of a block that ended in a fault. Its detail says where the fault came up: "in copy
/// 3 at offset 5 (mov rax, qword ptr [rbx])". `location` is that of the instruction at fault;
/// nothing if it lies outside the copies.
Outcome outcome_of(const subject::Fault& fault, const std::optional<Kernel::Location>& location,
                   const Block& block);

}  // namespace assay
