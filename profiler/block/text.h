#pragma once

#include <string>

#include "profiler/block/bytes.h"

namespace assay {

/// The block as Intel-syntax text, "add rax, rbx; imul rcx, rdx": one instruction after the other,
/// separated by "; ", prefixes such as lock and rep on the instruction they belong to. Bytes that
/// do not decode appear as ".byte 0x..". Printed by LLVM MC where it is built in, so that the text
/// assembles again; by Zydis where it is not or where LLVM does not know an instruction.
std::string text_of(const Bytes& bytes);

/// The same without decoding anything: ".byte 0x48, 0x01, 0xd8".
std::string raw_text_of(const Bytes& bytes);

}  // namespace assay
