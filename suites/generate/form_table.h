#pragma once

#include <string_view>
#include <vector>

#include "suites/generate/form.h"

namespace assay {

/// A mnemonic of Zydis's that no form has.
struct AbsentMnemonic {
  std::string_view name;    ///< in capitals
  std::string_view reason;  ///< "not in 64-bit mode", "only on Knights Corner"; empty: not known
};

/// Every instruction form of x86-64 that Zydis knows, in the order of their names. Made at the
/// first call, in about a second, and kept.
const std::vector<InstructionForm>& instruction_forms();

/// The form of that name; nullptr if there is none.
const InstructionForm* form_named(std::string_view name);

/// All mnemonics that no form has, in the order of their names. Takes as long again.
std::vector<AbsentMnemonic> absent_mnemonics();

}  // namespace assay
