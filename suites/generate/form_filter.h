#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/generate/form.h"

namespace assay {

/// Which forms are meant.
struct FormFilter {
  /// Patterns: a form is meant if one fits it, or if there is none. "/TEXT/" is a regular
  /// expression (ECMAScript) that is found in the form's name; anything else is a glob (* and ?)
  /// for the whole name or for the mnemonic. Capitals do not matter.
  std::vector<std::string> patterns = {};
  /// Instruction sets: a form is meant if it is of one of them, or if there is none. Zydis's names
  /// of sets ("AVX512F_256"), of extensions ("AVX512EVEX"), of sets without what follows the last
  /// underscore ("AVX512F"), or what `feature_of` calls a set. Capitals do not matter.
  std::vector<std::string> extensions = {};
  /// What users call a set, by Zydis's name of it.
  std::function<std::string_view(std::string_view isa_set)> feature_of = {};
  /// What a machine lacks of a set, by Zydis's name of it; nothing if it can run. Empty: it can run
  /// everything.
  std::function<std::optional<std::string>(std::string_view isa_set)> missing_feature = {};
};

/// A form, or a mnemonic, or a block of a form, that is not made.
struct Skipped {
  std::string name;    ///< "SYSCALL", "AAA", "ADD r64, r64; latency 2->1"
  std::string reason;  ///< one word: "missing_feature", a Reason's name, "not_encodable", ...
  std::string detail;  ///< "avx512_fp16"; may be empty
};

/// The forms that are meant and can be made and run, in the order of their names. `skipped` takes
/// those that are meant and cannot. Throws InputError if a pattern is no regular expression, or if
/// a pattern or an instruction set fits no form at all.
std::vector<const InstructionForm*> choose_forms(const FormFilter& filter,
                                                 const std::function<void(Skipped)>& skipped);

}  // namespace assay
