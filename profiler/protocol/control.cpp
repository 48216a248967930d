#include "profiler/protocol/control.h"

#include <variant>

namespace assay {

Block control_block() {
  // add rax, rcx; mov rdx, [rbx]; mov [rsi], rdi; add r8, rcx; lea r9, [rcx + rbp]; xor r10d, ecx
  return std::get<Block>(decode(bytes_from_hex("4801c8488b1348893e4901c84c8d0c294131ca")));
}

}  // namespace assay
