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
#include "profiler/counting/event_tally.h"
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
  /// `validation`: events to judge blocks by; if not given, those of this machine. Throws what
  /// CounterBackend::open() throws.
  EventCounting(const Settings& settings, CounterBackend& backend, int processor,
                std::optional<std::span<const ValidationEvent>> validation);

  /// What a workbench has to count, in this order. Other members take one that does.
  std::vector<EventRequest> requests() const;

  /// Throws InputError if two events have one name: their counts could not be told apart.
  static void check_names(const Workbench& workbench);

  /// How a block is to be run that is no campaign's.
  using MakePlan = std::function<Plan(const Block&, Notion)>;
  /// Distrusts the validation events that blocks cause which surely do not miss anything: their
  /// codes are from lists, and most have been tested on no CPU. A busy core is given three tries.
  void test_validation(Workbench& workbench, const subject::Limits& limits,
                       const MakePlan& make_plan);

  /// Validation events that are used, and those that are not since test_validation().
  std::span<const ValidationEvent> validation() const { return validation_; }
  std::span<const std::string> distrusted() const { return distrusted_; }

  /// What was counted of a block.
  struct Counts {
    std::optional<subject::Fault> fault;  ///< that it ended in
    std::vector<EventCount> events;
    std::string left_out;  ///< why some passes were not counted; empty if none
    /// Why a block that would be measured is not: an event that it must not cause, or
    /// kInterference if a pass was disturbed each time.
    std::optional<Outcome> outcome;
  };
  /// Counts the events of a prepared block, pass by pass, behind the timed runs and not in them:
  /// reading counters takes time. `estimate`: by which a pass is known that saw another block than
  /// was timed.
  Counts count(const Workbench& workbench, LoadedBlock& loaded, const Plan& plan,
               const Estimate& estimate, Traits traits) const;

 private:
  struct Request {
    EventRequest event;
    std::string validates;  ///< specification of the validation event that it serves for; or none
  };
  struct Pass;

  static Pass run_pass(const Workbench& workbench, LoadedBlock& loaded, const Plan& plan,
                       const Estimate& estimate, std::size_t group);
  const ValidationEvent* validation_of(std::size_t request) const;
  std::vector<std::string> caused_events(Workbench& workbench, const subject::Limits& limits,
                                         const Block& block, const Plan& plan) const;

  std::size_t asked_for_ = 0;  ///< of the requests, which are the first
  std::vector<ValidationEvent> validation_;
  std::vector<Request> requests_;
  std::vector<std::string> distrusted_;
};

}  // namespace assay
