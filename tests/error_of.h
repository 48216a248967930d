#pragma once

#include <string>

namespace assay {

/// The message of the error of this type that an action throws; empty if it throws none. Errors of
/// other types pass.
template <typename Expected, typename Action>
std::string error_of(const Action& action) {
  try {
    action();
    return "";
  } catch (const Expected& error) {
    return error.what();
  }
}

}  // namespace assay
