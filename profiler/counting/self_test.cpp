#include "profiler/counting/self_test.h"

#include <fmt/format.h>

#include <cmath>

#include "profiler/counting/pass_counting.h"
#include "profiler/sampling/reference.h"

namespace assay {
namespace {

std::optional<std::string> compare(const char* what, double counted, double expected) {
  if (std::abs(counted - expected) < 1) return std::nullopt;
  return fmt::format("of {} {} that ran it counted {}", expected, what, counted);
}

/// Counts cycles, instructions and branches, which must be in the workbench's group 1.
EventTally tally_of(Workbench& workbench, Notion notion) {
  constexpr std::size_t kGroup = 1;
  const Plan plan{
      notion, Copies(1), {of_one_copy(kReferenceSmallCopies), of_one_copy(kReferenceLargeCopies)}};
  const Block chain = reference_chain();
  const InitialState state = bhive_initial_state();
  LoadedBlock loaded(workbench, chain, state, {});
  if (const auto refusal = loaded.load(counting_plan(plan), 1, kGroup)) {
    throw CounterError(refusal->detail);
  }
  PassCounts counts = count_pass(loaded, workbench.group(kGroup), plan, 1);
  if (counts.fault) {
    throw CounterError("the processor refuses to read its counters: " +
                       counts.fault->outcome.detail);
  }
  if (!counts.complete) {
    throw CounterError("the core is never left alone for as long as a series of runs takes");
  }
  return std::move(counts.tally);
}

SelfTestCounts count(Workbench& workbench) {
  constexpr std::size_t kInstructions = 0;
  constexpr std::size_t kBranches = 1;
  SelfTestCounts counts;
  const EventTally chain = tally_of(workbench, Notion::kUnrolled);
  counts.chain_copies = kReferenceAddedCopies.real();
  counts.chain_instructions = chain.growth(kInstructions);
  counts.chain_branches = chain.growth(kBranches);
  counts.cycles = chain.cycles().per_copy;
  counts.cycles_half_width = chain.cycles().half_width;
  const EventTally loop = tally_of(workbench, Notion::kLooped);
  counts.loop_iterations = kReferenceAddedCopies.real();
  counts.loop_instructions = loop.growth(kInstructions);
  counts.loop_branches = loop.growth(kBranches);
  return counts;
}

}  // namespace

std::optional<std::string> find_wrong_count(const SelfTestCounts& counts) {
  constexpr double kInstructionsInIteration = 3;  // the addition, DEC and JNZ
  if (auto wrong = compare("instructions", counts.chain_instructions, counts.chain_copies)) {
    return wrong;
  }
  if (auto wrong = compare("branches", counts.chain_branches, 0)) return wrong;
  if (auto wrong = compare("instructions", counts.loop_instructions,
                           kInstructionsInIteration * counts.loop_iterations)) {
    return wrong;
  }
  if (auto wrong = compare("branches", counts.loop_branches, counts.loop_iterations)) return wrong;
  constexpr double kMost = 0.01;
  // The comparison is false for what is not a number.
  if (std::abs(counts.cycles - 1) <= kMost && counts.cycles_half_width <= kMost) {
    return std::nullopt;
  }
  return fmt::format("of an addition that takes one core cycle it counted {:.4f} +- {:.4f}",
                     counts.cycles, counts.cycles_half_width);
}

std::optional<std::string> self_test(CounterBackend& backend, int processor,
                                     const subject::Subject::RdpmcEmulator& emulator) {
  const std::vector<EventRequest> events = backend.test_events();
  if (events.empty()) return std::nullopt;
  Workbench workbench(backend.clock(), {backend, processor, events, emulator});
  if (workbench.groups() != 2) {
    return "it cannot count core cycles, instructions and branches at the same time";
  }
  constexpr int kMostTries = 3;
  std::optional<std::string> wrong;
  for (int i = 0; i < kMostTries; ++i) {
    wrong = find_wrong_count(count(workbench));
    if (!wrong) return std::nullopt;
  }
  return wrong;
}

}  // namespace assay
