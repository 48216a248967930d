#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/generate/form.h"

namespace assay {

/// Which instruction forms the user asks for.
struct FormFilter {
  /// Patterns: a form is chosen if one of them fits it, or if there are none. "/TEXT/" is a regular
  /// expression (ECMAScript) that is looked for in the form's name; anything else is a glob (* and
  /// ?) for the whole name or for the mnemonic. Capitals do not matter.
  std::vector<std::string> patterns = {};
  /// Instruction sets: a form is chosen if it is of one of them, or if there are none. Each is
  /// Zydis's name of a set ("AVX512F_256"), of an extension ("AVX512EVEX"), of a set without what
  /// follows the last underscore ("AVX512F"), or what `feature_of` calls a set. Capitals do not
  /// matter.
  std::vector<std::string> extensions = {};
  /// The name by which users know a set, from Zydis's name of the set.
  std::function<std::string_view(std::string_view isa_set)> feature_of = {};
  /// The feature that a machine lacks for a set, from Zydis's name of the set; nothing if the
  /// machine can run it. If the function is empty, the machine counts as able to run everything.
  std::function<std::optional<std::string>(std::string_view isa_set)> missing_feature = {};
};

/// A form, a mnemonic or a block of a form for which nothing is made, and why.
struct Skipped {
  std::string name;    ///< "SYSCALL", "AAA", "ADD r64, r64; latency 2->1"
  std::string reason;  ///< one word: "missing_feature", a Reason's name, "not_encodable", ...
  std::string detail;  ///< "avx512_fp16"; may be empty
};

/// The forms that the filter asks for and that can be encoded and run, in the order of their names.
/// `skipped` is called with each form that the filter asks for and that cannot. Throws InputError
/// if a pattern is not a valid regular expression, or if a pattern or an instruction set fits no
/// form at all.
std::vector<const InstructionForm*> choose_forms(const FormFilter& filter,
                                                 const std::function<void(Skipped)>& skipped);

}  // namespace assay
