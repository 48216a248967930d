#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/block/traits.h"
#include "profiler/counters/backend.h"
#include "profiler/counters/validation_events.h"
#include "profiler/measurement/measurement.h"
#include "profiler/measurement/plan.h"
#include "profiler/measurement/settings.h"
#include "profiler/running/loaded_block.h"
#include "profiler/running/workbench.h"

namespace assay {

/// The events that are counted beside the clock: those that the settings ask for, and those that a
/// block in steady state must not cause, as far as they can be counted here.
class EventCounting {
 public:
  /// `validation` gives the events by which blocks are judged; without it, those of this machine
  /// are used. Throws what CounterBackend::open() throws.
  EventCounting(const Settings& settings, CounterBackend& backend, int processor,
                std::optional<std::span<const ValidationEvent>> validation);

  /// The events that a workbench must count, in this order. The other members take such a
  /// workbench.
  std::vector<EventRequest> requests() const;

  /// Throws InputError if two events have the same name: their counts could not be told apart.
  static void check_names(const Workbench& workbench);

  /// Makes the plan for a block that does not belong to any campaign.
  using MakePlan = std::function<Plan(const Block&, Notion)>;
  /// Stops using validation events that are caused by blocks that surely miss nothing. Events have
  /// to be tested because their codes come from lists, and most have not been tested on any CPU. An
  /// event is given three tries, since the core may be busy.
  void test_validation(Workbench& workbench, const subject::Limits& limits,
                       const MakePlan& make_plan);

  /// The validation events that are used, and those that test_validation() has found wrong.
  std::span<const ValidationEvent> validation() const { return validation_; }
  std::span<const std::string> distrusted() const { return distrusted_; }

  /// What was counted for a block.
  struct Counts {
    std::optional<subject::Fault> fault;  ///< the fault that a run ended in, if any
    std::vector<EventCount> events;
    std::string left_out;  ///< why some passes were not counted; empty if none
    /// Why a block that would otherwise be measured is not: an event that it must not cause, or
    /// kInterference if a pass was disturbed in every try.
    std::optional<Outcome> outcome;
  };
  /// Counts the events of a prepared block, pass by pass. This happens after the timed runs and not
  /// during them, because reading counters takes time. A pass whose cycles are not those of
  /// `estimate` did not see the block as it was timed.
  Counts count(const Workbench& workbench, LoadedBlock& loaded, const Plan& plan,
               const Estimate& estimate, Traits traits) const;

 private:
  struct Request {
    EventRequest event;
    std::string validates;  ///< specification of the validation event that it stands for; or empty
  };
  struct Pass;

  static Pass run_pass(const Workbench& workbench, LoadedBlock& loaded, const Plan& plan,
                       const Estimate& estimate, std::size_t group);
  const ValidationEvent* validation_of(std::size_t request) const;
  std::vector<std::string> caused_events(Workbench& workbench, const subject::Limits& limits,
                                         const Block& block, const Plan& plan) const;

  std::size_t asked_for_ = 0;  ///< how many of requests_, from the first on, the settings ask for
  std::vector<ValidationEvent> validation_;
  std::vector<Request> requests_;
  std::vector<std::string> distrusted_;
};

}  // namespace assay
