#include "profiler/counting/validation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace assay {
namespace {

bool is_explained(Reason reason, Traits traits) {
  switch (reason) {
    case Reason::kSplitAccess:
      return traits.has(Trait::kSplitLine) || traits.has(Trait::kSplitPage);
    case Reason::kDataTlbMiss:
      return traits.has(Trait::kTlbReach);
    case Reason::kDataCacheMiss:
      return traits.has(Trait::kPageAliasing);
    default:
      return false;
  }
}

std::optional<Outcome> validate_one(const Growth& growth, const InstructionRange& instructions,
                                    Notion notion) {
  if (growth.reason == Reason::kInstructionCount) {
    if (growth.events >= static_cast<double>(instructions.least) &&
        growth.events <= static_cast<double>(instructions.most)) {
      return std::nullopt;
    }
    return Outcome{growth.reason, fmt::format("{} more in the larger run, and {} were written ({})",
                                              growth.events, instructions.least, growth.name)};
  }
  // A predictor may foresee the end of a short loop and not that of a long one.
  const bool may_end_unforeseen = growth.reason == Reason::kBranchMiss && notion == Notion::kLooped;
  if (growth.events < (may_end_unforeseen ? 2 : 1)) return std::nullopt;
  return Outcome{growth.reason,
                 fmt::format("{} more in the larger run ({})", growth.events, growth.name)};
}

}  // namespace

std::vector<ValidationEvent> countable(CounterBackend& backend, int processor,
                                       std::span<const ValidationEvent> events) {
  std::vector<ValidationEvent> found;
  std::ranges::copy_if(events, std::back_inserter(found), [&](const ValidationEvent& event) {
    const std::string specification(event.specification);
    const EventRequest request{specification, specification, false};
    try {
      backend.open(gettid(), processor, {&request, 1});
      return true;
    } catch (const InputError&) {
      return false;
    }
  });
  return found;
}

std::span<const Bytes> steady_blocks() {
  static const std::array<Bytes, 2> blocks = {
      Bytes{0x01, 0xd8},                                 // add eax, ebx
      Bytes{0x48, 0x89, 0x4b, 0x40, 0x48, 0x8b, 0x03}};  // mov [rbx+64], rcx; mov rax, [rbx]
  return blocks;
}

InstructionRange added_instructions(const Block& block, const Plan& plan) {
  const std::int64_t iterations = (plan.sizes.back() - plan.sizes.front()).count();
  const auto own = static_cast<std::int64_t>(block.instructions.size()) * plan.body.count();
  if (plan.notion == Notion::kUnrolled) return {iterations * own, iterations * own};
  if (plan.loop.end == LoopEnd::kOwn) return {iterations * own, iterations * own};
  // DEC and JNZ stand where compare and branch did, or a jump.
  if (plan.loop.end == LoopEnd::kReplaced) return {iterations * own, iterations * (own + 1)};
  // Each iteration ends with DEC and a branch. If the block's own branch closes the loop, there may
  // be a JMP behind it as well.
  constexpr std::int64_t kEnd = 2;
  const std::int64_t jump = block.final_branch ? 1 : 0;
  return {iterations * (own + kEnd), iterations * (own + kEnd + jump)};
}

std::optional<Outcome> validate(std::span<const Growth> growths,
                                const InstructionRange& instructions, Traits traits,
                                Notion notion) {
  std::vector<Growth> ordered(growths.begin(), growths.end());
  std::ranges::stable_sort(ordered, {}, &Growth::reason);
  for (const Growth& growth : ordered) {
    if (is_explained(growth.reason, traits)) continue;
    if (auto failure = validate_one(growth, instructions, notion)) return failure;
  }
  return std::nullopt;
}

}  // namespace assay
