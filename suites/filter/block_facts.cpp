#include "suites/filter/block_facts.h"

#include <algorithm>
#include <array>
#include <span>
#include <variant>

#include "profiler/block/instruction_set.h"
#include "profiler/block/may_alias.h"
#include "profiler/block/memory_operand.h"
#include "profiler/block/x87_stack.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, kMemoryUses> kMemoryNames = {"none", "loads", "stores",
                                                                    "both"};

void set(CodeTraits& traits, CodeTrait trait, bool value) {
  traits.set(static_cast<std::size_t>(trait), value);
}

void add_memory_use(const Block& block, BlockFacts& facts) {
  bool loads = false;
  bool stores = false;
  for (const Instruction& instruction : block.instructions) {
    for (const MemoryOperand& operand :
         memory_operands(std::span(block.bytes).subspan(instruction.offset))) {
      loads = loads || operand.read;
      stores = stores || operand.write;
      facts.rip_relative = facts.rip_relative || operand.rip_relative;
    }
  }
  // The numbers of the enumerators: kLoads is 1, kStores is 2, kBoth is 3.
  facts.memory = static_cast<MemoryUse>((loads ? 1 : 0) + (stores ? 2 : 0));
}

/// Adds the extensions that the block uses; false if the machine lacks one of its instruction sets.
bool add_instruction_sets(const Block& block, const InstructionSupport& support,
                          BlockFacts& facts) {
  bool supported = true;
  for (const InstructionSet& set : instruction_sets(block)) {
    supported = supported && !support.missing_feature(set.name);
    const std::string_view extension = extension_of(set.name);
    const auto place = std::ranges::lower_bound(facts.extensions, extension);
    if (place == facts.extensions.end() || *place != extension) {
      facts.extensions.insert(place, extension);
    }
  }
  return supported;
}

}  // namespace

std::string_view name(MemoryUse use) { return kMemoryNames.at(static_cast<std::size_t>(use)); }

BlockFacts facts_of(const Bytes& bytes, const InstructionSupport& support) {
  BlockFacts facts;
  const auto decoded = decode(bytes);
  if (const auto* const refusal = std::get_if<Refusal>(&decoded)) {
    set(facts.traits, CodeTrait::kRefused, true);
    facts.refusal = refusal->outcome.reason;
    return facts;
  }
  const Block& block = std::get<Block>(decoded);
  facts.instructions = static_cast<int>(block.instructions.size());
  add_memory_use(block, facts);
  const bool supported = add_instruction_sets(block, support, facts);
  set(facts.traits, CodeTrait::kUnsupported, !supported);
  set(facts.traits, CodeTrait::kInputDependent, block.traits.has(Trait::kInputDependent));
  set(facts.traits, CodeTrait::kX87Unbalanced, unbalances_x87_stack(block));
  // Without both a load and a store, no load can read what a store wrote.
  set(facts.traits, CodeTrait::kMayAlias, facts.memory == MemoryUse::kBoth && may_alias(block));
  return facts;
}

}  // namespace assay
