#pragma once

#include <string_view>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/machine/instruction_support.h"
#include "suites/filter/code_traits.h"

namespace assay {

/// How a block uses memory: by operands that it reads and writes, explicit or not.
enum class MemoryUse { kNone, kLoads, kStores, kBoth };
inline constexpr int kMemoryUses = 4;

/// "none", "loads" (and no stores), "stores" (and no loads), "both".
std::string_view name(MemoryUse use);

/// What a block's code shows: what corpora are counted and filtered by.
struct BlockFacts {
  CodeTraits traits;
  Reason refusal = Reason::kNone;  ///< of a refused block, of which nothing else is known
  int instructions = 0;
  MemoryUse memory = MemoryUse::kNone;
  bool rip_relative = false;  ///< some access is relative to the instruction pointer
  /// See extension_of(); each once, sorted; at least one.
  std::vector<std::string_view> extensions;
};

/// `support`: what CodeTrait::kUnsupported is judged by.
BlockFacts facts_of(const Bytes& bytes, const InstructionSupport& support);

}  // namespace assay
