#pragma once

#include <string>
#include <string_view>

#include "profiler/codegen/initial_state.h"

namespace assay {

/// What a line of a corpus asks for its own block: a profile, and values in place of the profile's.
struct StateRequest {
  std::string profile;       ///< a name that initial_state_named() knows; empty: the campaign's
  StateOverrides overrides;  ///< of registers and of memory; neither init code nor frames

  /// Whether it asks for nothing.
  bool empty() const {
    return profile.empty() && overrides.registers.empty() && !overrides.memory_word;
  }
};

/// The canonical text: "bhive rdx=0x0 mem=0x40", the profile first if there is one, then the
/// registers in the order of GeneralRegister, then what memory holds. Requests that ask for the
/// same have the same text; one for nothing has the empty one. Init code and frames are left out.
std::string to_text(const StateRequest& request);

/// What a text asks for: such words, with blanks between, in any order, each once at most; numbers
/// as parse_number() takes them. Throws InputError that names the word that is wrong.
StateRequest state_request_from(std::string_view text);

}  // namespace assay
