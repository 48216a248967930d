#pragma once

#include <string_view>
#include <vector>

#include "suites/generate/form.h"

namespace assay {

/// A mnemonic that Zydis knows and no form has.
struct AbsentMnemonic {
  std::string_view name;    ///< in capitals
  std::string_view reason;  ///< "not in 64-bit mode", "only on Knights Corner"; empty: not known
};

/// Every instruction form of x86-64 that Zydis knows, in the order of their names. The first call
/// makes them, in about a second, and keeps them.
const std::vector<InstructionForm>& instruction_forms();

/// The form with this name; nullptr if there is none.
const InstructionForm* form_named(std::string_view name);

/// All mnemonics that no form has, in the order of their names. Takes about as long as the first
/// call of instruction_forms(), each time.
std::vector<AbsentMnemonic> absent_mnemonics();

}  // namespace assay
