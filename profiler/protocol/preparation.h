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

/// What is known about a block once it was traced and its pages are mapped, and it can be sampled.
struct Preparation {
  Plan plan;
  Trace trace;
  TraceConditions conditions;
  bool pointers_meet = false;  ///< in the copies of the largest size (Footprint)
  RunTimes times;

  /// The preparation for another plan, if preparing the block under that plan would show nothing
  /// else, since it runs the same copies of code to the same end; otherwise nothing.
  std::optional<Preparation> under(const Plan& other) &&;
};

/// Makes blocks ready to be sampled.
class Preparer {
 public:
  /// All that the arguments refer to must outlive the preparer.
  Preparer(const Settings& settings, const Protocol& protocol, Workbench& workbench,
           const Companions& companions, TimeLedger& ledger);

  /// Loads the block under the preparation's plan, traces it and maps its pages. The plan may be
  /// changed to fit the block. Returns an outcome if the block cannot be sampled.
  std::optional<Outcome> prepare(LoadedBlock& loaded, Preparation& preparation) const;

  /// Judges the trace once all pages are known. Returns an outcome if the block must not be
  /// sampled: if it accesses assay's own memory, or has a trait that the settings reject.
  std::optional<Outcome> judge_trace(const LoadedBlock& loaded, Preparation& preparation,
                                     TraceFindings& findings) const;

 private:
  std::optional<Outcome> prepare_as_it_ends(LoadedBlock& loaded, Preparation& preparation) const;
  bool is_rejected_untimed(const Preparation& preparation) const;
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
