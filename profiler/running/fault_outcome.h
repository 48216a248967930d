#pragma once

#include <optional>

#include "profiler/block/block.h"
#include "profiler/codegen/kernel.h"
#include "profiler/subject/fault.h"

namespace assay {

/// What a fault is to the block: its outcome, which says where it came up, "in copy 3 at offset 5
/// (mov rax, qword ptr [rbx])". `location`: of the instruction at fault; nothing if that lies
/// outside the copies.
Outcome outcome_of(const subject::Fault& fault, const std::optional<Kernel::Location>& location,
                   const Block& block);

}  // namespace assay
