#pragma once

#include <optional>
#include <vector>

#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/state_text.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// The initial states that blocks are tried under: the settings' own, a block's own, and those that
/// may help if a block fails. The name of each is the text of everything that defines it
/// (StateRequest).
class InitialStates {
 public:
  /// `settings` must outlive the object. Throws InputError if the initial state in them does not
  /// exist.
  explicit InitialStates(const Settings& settings);

  /// The initial state that the settings choose.
  const InitialState& usual() const { return usual_; }
  /// The profile that the request asks for, or else the settings' profile. Its values are
  /// overridden first by the settings and then by the request. Throws InputError if the profile
  /// does not exist.
  InitialState with(const StateRequest& request) const;
  /// A state in which pointers have more room to walk than in the usual one; nothing if no other
  /// state may be tried, or if the usual one is not `distinct`.
  std::optional<InitialState> with_room() const;
  /// The states to be tried in turn for a block that ended with `reason` under the usual state.
  std::vector<InitialState> after(Reason reason) const;

 private:
  const Settings& settings_;
  InitialState usual_;
};

}  // namespace assay
