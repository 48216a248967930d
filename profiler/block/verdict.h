#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profiler/support/named.h"

namespace assay {

/// What became of a block.
enum class Verdict {
  kMeasured,    ///< it ran to its end and assay stands behind the number
  kRejected,    ///< assay declines: by a rule, by a limit, or because no number would be sure
  kFailed,      ///< it was run and did not get to its end: a fault in the block
  kUnfinished,  ///< the measurement was asked to stop before a verdict; never stored
};

/// Why a block has no number. This list is closed. The names are the same in the store, in JSON and
/// in every summary; docs/verdicts.md explains them all.
enum class Reason {
  kNone,  ///< the block was measured

  // Rejected when it was decoded: the block never ran.
  kEmptyBlock,
  kTooLarge,
  kInvalidInstruction,
  kControlFlow,
  kSystemCall,
  kPrivilegedInstruction,
  kProcessorState,
  kVirtualizedInstruction,
  kRipRelativeRange,
  kRipRelativeCode,
  kNoFreeRegister,
  kLoopEnd,

  // Rejected when it was run: for a limit that an option sets, or for what this CPU lacks.
  kUnsupportedInstruction,
  kPageLimit,
  kTimeLimit,

  // Rejected after sampling.
  kUnstable,
  kNoSteadyState,
  kInterference,
  kBelowLimit,
  kNoSingleState,
  kClockTooCoarse,

  // Rejected for the trait (traits.h) of the same name, if the settings say so.
  kSplitLine,
  kSplitPage,
  kCacheReach,
  kTlbReach,
  kPageAliasing,
  kMemoryDependence,
  kX87Stack,
  kSubnormal,
  kInputDependent,
  kSeveralStates,

  // Rejected for what the machine's counters saw (counters/validation.h).
  kInstructionCount,
  kDataCacheMiss,
  kInstructionCacheMiss,
  kDataTlbMiss,
  kInstructionTlbMiss,
  kSplitAccess,
  kBranchMiss,

  // Failed: the block faults under its initial state.
  kNullPage,
  kKernelAddress,
  kNoncanonicalAddress,
  kMisalignedAccess,
  kGeneralProtection,
  kSubjectMemory,
  kBusError,
  kArithmeticFault,
  kTrap,
  kDeniedSystemCall,
  kUnexpectedSignal,
  kSubjectDamaged,
  kHarnessFault,

  // The measurement was asked to stop before there was a verdict.
  kStopped,
};

struct ReasonInfo {
  Reason reason;
  Verdict verdict;            ///< the verdict that this reason goes with
  std::string_view name;      ///< lower_snake_case, as stored
  std::string_view sentence;  ///< one sentence for people
};

/// All reasons, in the order of the enumeration.
std::span<const ReasonInfo> all_reasons();
const ReasonInfo& info(Reason reason);
/// Whether a block may have got this reason for the moment at which it was met instead of by its
/// nature: kUnstable, kNoSteadyState, kInterference, kBelowLimit, kNoSingleState and
/// kHarnessFault.
bool may_pass(Reason reason);
std::string_view name(Verdict verdict);
std::string_view name(Reason reason);
template <>
std::optional<Reason> named<Reason>(std::string_view word);
template <>
std::optional<Verdict> named<Verdict>(std::string_view word);

/// What happened to a block, and why. Whatever finds it out reports it: the decoder, a limit, a
/// fault, the judge. A measurement carries it to the store and to all outputs.
struct Outcome {
  Reason reason = Reason::kStopped;
  std::string detail;  ///< where and what exactly, for people; empty if there is nothing to add

  Verdict verdict() const { return info(reason).verdict; }
  bool measured() const { return reason == Reason::kNone; }
  bool operator==(const Outcome&) const = default;
};
BOOST_DESCRIBE_STRUCT(Outcome, (), (verdict, reason, detail))

}  // namespace assay
