#pragma once

#include <string>
#include <string_view>

#include "profiler/codegen/initial_state.h"

namespace assay {

/// What a line of a corpus asks for as its block's initial state: a profile, and values in place of
/// the profile's.
struct StateRequest {
  std::string profile;       ///< a name for initial_state_named(); empty: the campaign's profile
  StateOverrides overrides;  ///< only registers and memory; neither init code nor frames

  /// Whether the request asks for nothing.
  bool empty() const {
    return profile.empty() && overrides.registers.empty() && !overrides.memory_word;
  }
};

/// The request as canonical text, "bhive rdx=0x0 mem=0x40": the profile first if there is one, then
/// the registers in the order of GeneralRegister, then what memory holds. Requests for the same
/// state have the same text; a request for nothing has the empty text. Init code and frames are
/// left out.
std::string to_text(const StateRequest& request);

/// Reads a request from words as in to_text(), separated by blanks, in any order, each at most
/// once; numbers as parse_number() takes them. Throws InputError, which names the word that is
/// wrong.
StateRequest state_request_from(std::string_view text);

}  // namespace assay
