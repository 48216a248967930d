#pragma once

#include <functional>
#include <span>

#include "profiler/block/zydis.h"

namespace assay {

/// Is called with an instruction and its bytes.
using InstructionVisitor = std::function<void(const Decoded&, std::span<const std::uint8_t>)>;

/// Visits instructions of every form that decode_one() knows, most of them many times, in a fixed
/// order in which plain encodings come before unusual ones. Zydis does not hand out its table, so
/// this walks through all values of the fields that select an instruction or its operands' kinds:
/// - legacy: maps 0, 0F, 0F38 and 0F3A x prefixes (none, 66, F2, F3, 66 with F2 or F3, LOCK,
///   66 with LOCK, 67) x REX.W x opcode x ModRM with every reg and, for registers, every rm;
/// - 3DNow!: every suffix; VEX and XOP: all maps x pp x L x W x opcode x the same ModRM;
/// - EVEX: maps 1 to 3, 5 and 6 x pp x L'L x W x b x masked or not x zeroing x opcode x ModRM.reg.
///
/// Each comes with a register, with memory, and with memory with an index (SIB, for vectors of
/// indices); VEX, XOP and EVEX also with vvvv used and unused. Registers are distinct where the
/// instruction requires it (gathers). Memory operands have a base and no displacement, except
/// moffs, which has no base.
void visit_encodings(const InstructionVisitor& visit);

}  // namespace assay
