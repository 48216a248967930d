#include "profiler/block/verdict.h"

#include <algorithm>

#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr Verdict kRejected = Verdict::kRejected;
constexpr Verdict kFailed = Verdict::kFailed;

constexpr ReasonInfo kReasons[] = {
    {Reason::kNone, Verdict::kMeasured, "none", "The block was measured."},
    {Reason::kEmptyBlock, kRejected, "empty_block", "The block holds no instruction."},
    {Reason::kTooLarge, kRejected, "too_large",
     "Its copies would not fit the first-level instruction cache."},
    {Reason::kInvalidInstruction, kRejected, "invalid_instruction",
     "Some of its bytes are no x86-64 instruction."},
    {Reason::kControlFlow, kRejected, "control_flow",
     "It can leave: a branch before its end, or a final one that is no direct jump."},
    {Reason::kSystemCall, kRejected, "system_call",
     "It holds an instruction that enters the operating system or the hypervisor."},
    {Reason::kPrivilegedInstruction, kRejected, "privileged_instruction",
     "It holds an instruction that user programs may not execute."},
    {Reason::kProcessorState, kRejected, "processor_state",
     "It changes state that outlives the block: segment bases, protection keys, saved states."},
    {Reason::kVirtualizedInstruction, kRejected, "virtualized_instruction",
     "It holds an instruction that a hypervisor or the kernel may emulate or hold up: "
     "its time would not be the core's."},
    {Reason::kRipRelativeRange, kRejected, "rip_relative_range",
     "A RIP-relative operand cannot reach its target from every copy."},
    {Reason::kRipRelativeCode, kRejected, "rip_relative_code",
     "A RIP-relative operand reads or writes the block's own instructions."},
    {Reason::kNoFreeRegister, kRejected, "no_free_register",
     "It leaves no register free to hold the clock's first reading."},
    {Reason::kLoopEnd, kRejected, "loop_end", "Its loop cannot end as --loop-end asks for."},
    {Reason::kUnsupportedInstruction, kRejected, "unsupported_instruction",
     "This CPU lacks one of its instructions: it faults on it, or would run another one."},
    {Reason::kPageLimit, kRejected, "page_limit", "It touches more pages than the page limit."},
    {Reason::kTimeLimit, kRejected, "time_limit", "A run took longer than the time limit."},
    {Reason::kUnstable, kRejected, "unstable",
     "Its samples scatter too much for a number, its later copies take a little longer or shorter "
     "than the first, or visits found values that do not agree."},
    {Reason::kNoSteadyState, kRejected, "no_steady_state",
     "Its copies took another time further on: as many as fit do not reach a steady state."},
    {Reason::kInterference, kRejected, "interference",
     "Somebody else used the core for as long as assay was willing to wait."},
    {Reason::kBelowLimit, kRejected, "below_limit",
     "The estimate is below what this core can do at best."},
    {Reason::kNoSingleState, kRejected, "no_single_state",
     "Visits found it in several steady states, none of which is usual enough to be its value."},
    {Reason::kClockTooCoarse, kRejected, "clock_too_coarse",
     "The clock's step is too coarse for the protocol's rule to mean anything."},
    {Reason::kSplitLine, kRejected, "split_line", "An access crosses a cache line."},
    {Reason::kSplitPage, kRejected, "split_page", "An access crosses a page."},
    {Reason::kCacheReach, kRejected, "cache_reach",
     "Its copies leave the first-level data cache or its TLB, or may leave them."},
    {Reason::kTlbReach, kRejected, "tlb_reach",
     "It touches more pages than the first-level data TLB holds."},
    {Reason::kPageAliasing, kRejected, "page_aliasing",
     "It accesses one line of memory through two pages, which a program's pages would not share."},
    {Reason::kMemoryDependence, kRejected, "memory_dependence",
     "A load reads what an earlier store of the block wrote."},
    {Reason::kX87Stack, kRejected, "x87_stack", "The x87 stack overflows or underflows."},
    {Reason::kSubnormal, kRejected, "subnormal",
     "Its operands or results would be subnormal if they were not flushed to zero."},
    {Reason::kInputDependent, kRejected, "input_dependent",
     "The time of one of its instructions depends on the values of its operands."},
    {Reason::kSeveralStates, kRejected, "several_states",
     "Visits found it in several steady states, one of which is the usual one."},
    {Reason::kInstructionCount, kRejected, "instruction_count",
     "The counters saw another number of instructions retire than were written."},
    {Reason::kDataCacheMiss, kRejected, "data_cache_miss",
     "The counters saw first-level data cache misses."},
    {Reason::kInstructionCacheMiss, kRejected, "instruction_cache_miss",
     "The counters saw first-level instruction cache misses."},
    {Reason::kDataTlbMiss, kRejected, "data_tlb_miss", "The counters saw data TLB misses."},
    {Reason::kInstructionTlbMiss, kRejected, "instruction_tlb_miss",
     "The counters saw instruction TLB misses."},
    {Reason::kSplitAccess, kRejected, "split_access",
     "The counters saw accesses that cross a boundary, which the trace did not."},
    {Reason::kBranchMiss, kRejected, "branch_miss",
     "The counters saw branches that were not predicted."},
    {Reason::kNullPage, kFailed, "null_page",
     "It accesses the lowest addresses, which the system does not let a process map."},
    {Reason::kKernelAddress, kFailed, "kernel_address",
     "It accesses an address in the kernel's half."},
    {Reason::kNoncanonicalAddress, kFailed, "noncanonical_address",
     "It accesses an address that is not canonical."},
    {Reason::kMisalignedAccess, kFailed, "misaligned_access",
     "An instruction that needs an aligned operand got another."},
    {Reason::kGeneralProtection, kFailed, "general_protection",
     "A general-protection fault with no cause that assay can name."},
    {Reason::kSubjectMemory, kFailed, "subject_memory",
     "It accesses the memory of assay's own code in the subject."},
    {Reason::kBusError, kFailed, "bus_error", "A bus error (SIGBUS)."},
    {Reason::kArithmeticFault, kFailed, "arithmetic_fault",
     "A division error or an unmasked floating-point exception (SIGFPE)."},
    {Reason::kTrap, kFailed, "trap", "A breakpoint or single-step trap (SIGTRAP)."},
    {Reason::kDeniedSystemCall, kFailed, "denied_system_call",
     "It reached a system call, which the filter denied."},
    {Reason::kUnexpectedSignal, kFailed, "unexpected_signal",
     "It raised a signal that no other reason names."},
    {Reason::kSubjectDamaged, kFailed, "subject_damaged",
     "It damaged or ended the process that it ran in; that process was replaced."},
    {Reason::kHarnessFault, kFailed, "harness_fault",
     "assay itself broke down at it twice, which is assay's fault: please report it."},
    {Reason::kStopped, Verdict::kUnfinished, "stopped",
     "The measurement was asked to stop after an earlier stage."},
};

constexpr bool table_is_in_enum_order() {
  for (std::size_t i = 0; i < std::size(kReasons); ++i) {
    if (kReasons[i].reason != static_cast<Reason>(i)) return false;
  }
  return true;
}
static_assert(table_is_in_enum_order());
static_assert(std::size(kReasons) == static_cast<std::size_t>(Reason::kStopped) + 1);

}  // namespace

std::span<const ReasonInfo> all_reasons() { return kReasons; }

const ReasonInfo& info(Reason reason) { return kReasons[static_cast<std::size_t>(reason)]; }

bool may_pass(Reason reason) {
  return reason == Reason::kUnstable || reason == Reason::kNoSteadyState ||
         reason == Reason::kInterference || reason == Reason::kBelowLimit ||
         reason == Reason::kNoSingleState || reason == Reason::kHarnessFault;
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kMeasured:
      return "measured";
    case Verdict::kRejected:
      return "rejected";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kUnfinished:
      return "unfinished";
  }
  throw Error("a verdict outside its enumeration");
}

std::string_view name(Reason reason) { return info(reason).name; }

template <>
std::optional<Reason> named<Reason>(std::string_view name) {
  const auto found = std::ranges::find(kReasons, name, &ReasonInfo::name);
  if (found == std::end(kReasons)) return std::nullopt;
  return found->reason;
}

template <>
std::optional<Verdict> named<Verdict>(std::string_view wanted) {
  for (const Verdict verdict : {Verdict::kMeasured, kRejected, kFailed, Verdict::kUnfinished}) {
    if (name(verdict) == wanted) return verdict;
  }
  return std::nullopt;
}

}  // namespace assay
