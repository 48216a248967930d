#include "profiler/block/llvm_mc.h"

namespace assay {

bool llvm_is_built_in() { return false; }

std::optional<std::string> print_with_llvm(std::span<const std::uint8_t>) { return std::nullopt; }

std::variant<Bytes, AssemblerMessage> assemble_with_llvm(const std::string&, Syntax) {
  return AssemblerMessage{0, "this build has no assembler"};
}

}  // namespace assay
