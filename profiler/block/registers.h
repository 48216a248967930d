#pragma once

#include <cstdint>

#include "profiler/block/block.h"
#include "profiler/block/zydis.h"

namespace assay {

/// Adds the registers that the instruction reads or writes through any operand, including those in
/// addresses. Where Zydis 4.0 names too few (vzeroall, the xsave family), adds all that the
/// instruction can touch.
void add_registers(const Decoded& decoded, RegisterUse& use);

/// The general registers of which the instruction may write any part; bit i stands for
/// GeneralRegister i.
std::uint16_t written_general_registers(const Decoded& decoded);

}  // namespace assay
