#pragma once

#include <string_view>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/machine/instruction_support.h"
#include "suites/filter/code_traits.h"

namespace assay {

/// How a block uses memory, by the operands that it reads and writes, explicit and implicit.
enum class MemoryUse { kNone, kLoads, kStores, kBoth };
inline constexpr int kMemoryUses = 4;

/// "none", "loads" (and no stores), "stores" (and no loads), "both".
std::string_view name(MemoryUse use);

/// What a block's code alone shows. Corpora are counted and filtered by it.
struct BlockFacts {
  CodeTraits traits;
  Reason refusal = Reason::kNone;  ///< why the block is refused; nothing else is known of it then
  int instructions = 0;
  MemoryUse memory = MemoryUse::kNone;
  bool rip_relative = false;  ///< some access is relative to the instruction pointer
  /// The extensions that the block uses (see extension_of()), each once, sorted; at least one.
  std::vector<std::string_view> extensions;
};

/// The facts of a block; `support` decides CodeTrait::kUnsupported.
BlockFacts facts_of(const Bytes& bytes, const InstructionSupport& support);

}  // namespace assay
