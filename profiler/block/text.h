#pragma once

#include <string>

#include "profiler/block/block.h"
#include "profiler/block/bytes.h"

namespace assay {

/// The block as Intel-syntax text, "add rax, rbx; imul rcx, rdx": instructions separated by "; ",
/// with prefixes such as lock and rep in front of the instruction that they belong to. Bytes that
/// do not decode appear as ".byte 0x..". LLVM MC prints the text if it is built in, so that it can
/// be assembled again; Zydis prints it otherwise, and where LLVM does not know an instruction.
std::string text_of(const Bytes& bytes);

/// One of the block's instructions as such text.
std::string text_of(const Block& block, const Instruction& instruction);

/// The block's bytes as text, ".byte 0x48, 0x01, 0xd8", without decoding them.
std::string raw_text_of(const Bytes& bytes);

}  // namespace assay
