#include <fmt/format.h>

#include <algorithm>

#include "profiler/block/text.h"
#include "profiler/protocol/judge.h"
#include "profiler/protocol/profiler.h"

// From a plan to a block that is loaded, traced and mapped.

namespace assay {
namespace {

using subject::Fault;

// A run at the full size need not be longer: the clock's noise is small against it then.
constexpr double kLongRun = 8'000;  ///< core cycles

/// "in copy 3 at offset 5 (mov rax, qword ptr [rbx])"; empty for an address outside the copies.
std::string describe_place(const std::optional<Kernel::Place>& place, const Block& block) {
  if (!place) return "";
  const auto found = std::ranges::find(block.instructions, place->offset, &Instruction::offset);
  std::string text;
  if (found != block.instructions.end()) {
    const auto first = block.bytes.begin() + static_cast<std::ptrdiff_t>(found->offset);
    text = fmt::format(" ({})",
                       text_of(Bytes(first, first + static_cast<std::ptrdiff_t>(found->length))));
  }
  return fmt::format("in copy {} at offset {}{}", place->copy + 1, place->offset, text);
}

template <typename AnyKernel>
void settle_fault(Measurement& measurement, const Fault& fault, const AnyKernel& kernel,
                  const Block& block) {
  const std::string place = describe_place(kernel.locate(fault.registers.rip), block);
  const char* separator = place.empty() || fault.outcome.detail.empty() ? "" : ": ";
  measurement.outcome = {fault.outcome.reason, place + separator + fault.outcome.detail};
}

}  // namespace

/// Loads the block, traces and prepares it. False if that settled the outcome.
bool Profiler::make_ready(LoadedBlock& loaded, Attempt& attempt) {
  if (const auto refusal = loaded.load(attempt.plan, 1)) {
    attempt.measurement.outcome = *refusal;
    return false;
  }
  if (!trace(loaded, attempt)) return false;
  const auto fault = prepare(loaded, attempt);
  if (fault) stop_at_fault(loaded, *fault, attempt.measurement);
  return !fault;
}

void Profiler::stop_at_fault(const LoadedBlock& loaded, const Fault& fault,
                             Measurement& measurement) {
  settle_fault(measurement, fault, loaded, loaded.block());
  measurement.pages = workbench_.subject().pages();
}

/// Runs the traced copies. False if that settled the outcome.
bool Profiler::trace(LoadedBlock& loaded, Attempt& attempt) {
  const TimeLedger::Entry entry(ledger_, Activity::kTrace);
  Measurement& measurement = attempt.measurement;
  const Block& block = loaded.block();
  const auto made = trace_kernel(block, loaded.state(), loaded.trace_address());
  if (const auto* refusal = std::get_if<Outcome>(&made)) {
    measurement.outcome = *refusal;
    return false;
  }
  const TracedKernel& kernel = std::get<TracedKernel>(made);
  TraceRun result = loaded.trace(kernel);
  measurement.pages = workbench_.subject().pages();
  if (result.fault) {
    settle_fault(measurement, *result.fault, kernel, block);
    return false;
  }
  attempt.trace = std::move(result.trace);
  attempt.trace_conditions = {0, data_tlb_entries_, loaded.state().frames, kernel.home,
                              block.bytes.size()};
  return true;
}

/// What the trace means, now that all pages are known. False if that settled the outcome.
bool Profiler::judge_trace(const Block& block, Attempt& attempt) {
  const TimeLedger::Entry entry(ledger_, Activity::kTrace);
  Measurement& measurement = attempt.measurement;
  attempt.trace_conditions.pages = workbench_.subject().pages();
  attempt.findings = analyse(attempt.trace, attempt.trace_conditions);
  const TraceFindings& findings = attempt.findings;
  measurement.traits = findings.traits | block.traits;
  if (findings.intrusion) {
    measurement.outcome = {findings.intrusion->reason, describe(*findings.intrusion, block)};
    return false;
  }
  for (int i = 0; i < kTraits; ++i) {
    const auto trait = static_cast<Trait>(i);
    if (!measurement.traits.has(trait) || !settings_.reject.has(trait)) continue;
    const auto found = std::ranges::find(findings.findings, trait, &Finding::trait);
    measurement.outcome = {
        reason_named(name(trait)).value(),
        found == findings.findings.end() ? "" : describe(*found, block, attempt.trace_conditions)};
    return false;
  }
  return true;
}

/// Maps the block's pages, and lets its runs be no longer than they have to be.
std::optional<Fault> Profiler::prepare(LoadedBlock& loaded, Attempt& attempt) {
  const TimeLedger::Entry entry(ledger_, Activity::kPrepare);
  LoadedBlock::Prepared prepared = loaded.prepare();
  const bool at_limit = prepared.fault ? prepared.fault->outcome.reason == Reason::kPageLimit
                                       : workbench_.subject().pages() > data_tlb_entries_;
  if (at_limit && loaded.foresaw_pages()) prepared = loaded.prepare_unforeseen();
  RunTimes& times = attempt.times;
  const auto note_times = [&] {
    times = {prepared.ticks.quarter * ratio_.cycles_per_tick(),
             prepared.ticks.full * ratio_.cycles_per_tick()};
  };
  if (!prepared.fault && attempt.plan.raised == 0 && !fixed_) {
    loaded.fit_to_frames(attempt.plan, prepared);
    note_times();
    if (!prepared.fault && times.full > kLongRun) {
      attempt.plan = shortened(attempt.plan, loaded.block(), kLongRun / times.full);
      loaded.load(attempt.plan, 1);
      prepared = loaded.prepare();
    }
  }
  note_times();
  return prepared.fault;
}

}  // namespace assay
