#pragma once

#include <optional>

#include "profiler/measurement/settings.h"
#include "profiler/protocol/protocol.h"
#include "profiler/protocol/time_spent.h"
#include "profiler/running/loaded_block.h"
#include "profiler/running/trace.h"
#include "profiler/running/trace_analysis.h"
#include "profiler/running/workbench.h"
#include "profiler/sampling/companions.h"
#include "profiler/sampling/series_plan.h"

namespace assay {

/// What is known of a block once it was traced and its pages are mapped: it can be sampled then.
struct Preparation {
  Plan plan;
  Trace trace;
  TraceConditions conditions;
  RunTimes times;

  /// The same under another plan, if preparing the block under that would show nothing else: it
  /// runs the same copies of code, to the same end.
  std::optional<Preparation> under(const Plan& other) &&;
};

/// Makes blocks ready to be sampled.
class Preparer {
 public:
  /// All that it refers to must outlive it.
  Preparer(const Settings& settings, const Protocol& protocol, Workbench& workbench,
           const Companions& companions, TimeLedger& ledger);

  /// Loads the block under the preparation's plan, which may be changed to fit it, traces it and
  /// maps its pages. What that came to if the block cannot be sampled then.
  std::optional<Outcome> prepare(LoadedBlock& loaded, Preparation& preparation) const;

  /// What the trace means, now that all pages are known. What it came to if the block is not to be
  /// sampled for that: it accesses memory of assay's own, or has a trait that is to be rejected.
  std::optional<Outcome> judge_trace(const LoadedBlock& loaded, Preparation& preparation,
                                     TraceFindings& findings) const;

 private:
  std::optional<Outcome> trace(LoadedBlock& loaded, Preparation& preparation) const;
  std::optional<Outcome> map_pages(LoadedBlock& loaded, Preparation& preparation) const;

  const Settings& settings_;
  const Protocol& protocol_;
  Workbench& workbench_;
  const Companions& companions_;
  TimeLedger& ledger_;
  int data_tlb_entries_;
};

}  // namespace assay
