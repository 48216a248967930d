#pragma once

#include <vector>

#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/state_text.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// The initial states that blocks are tried under: the settings', a block's own, and those that may
/// help a block which fails. Each is called by the text of all that makes it (StateRequest).
class InitialStates {
 public:
  /// Throws InputError if the settings' does not exist. `settings` must outlive it.
  explicit InitialStates(const Settings& settings);

  /// The settings'.
  const InitialState& usual() const { return usual_; }
  /// The profile that is asked for, or else the settings', with the settings' values and then those
  /// that are asked for in place of its own. Throws InputError if it does not exist.
  InitialState with(const StateRequest& request) const;
  /// Those to be tried in turn, for a block that came to `reason` under the usual one.
  std::vector<InitialState> after(Reason reason) const;

 private:
  const Settings& settings_;
  InitialState usual_;
};

}  // namespace assay
