#include "suites/generate/form_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/support/clipped.h"
#include "profiler/support/error.h"
#include "suites/generate/form_encoder.h"
#include "suites/generate/form_table.h"

namespace assay {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Whether a glob fits the whole text: * stands for any number of characters, ? for one. Both must
/// be in lower case.
bool fits_glob(std::string_view glob, std::string_view text) {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      // Go back to the last * and let it stand for one character more.
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

std::regex regular_expression(std::string_view text) {
  try {
    return std::regex(std::string(text), std::regex::ECMAScript | std::regex::icase);
  } catch (const std::regex_error& error) {
    throw InputError(fmt::format("{} is no regular expression: {}", clipped(text), error.what()));
  }
}

class Pattern {
 public:
  explicit Pattern(const std::string& text) : text_(text) {
    if (text.size() > 1 && text.front() == '/' && text.back() == '/') {
      expression_ = regular_expression(std::string_view(text).substr(1, text.size() - 2));
    } else {
      glob_ = lower(text);
    }
  }

  bool fits(const InstructionForm& form) {
    const bool fits =
        expression_ ? std::regex_search(form.name, *expression_)
                    : fits_glob(glob_, lower(form.name)) || fits_glob(glob_, lower(form.mnemonic));
    used_ = used_ || fits;
    return fits;
  }

  void check() const {
    if (used_) return;
    throw InputError(
        fmt::format("no instruction form fits the filter {}: give a glob such as 'VADD*' or "
                    "'ADD r64, *', or a /regular expression/",
                    clipped(text_)));
  }

 private:
  std::string text_;
  std::string glob_;
  std::optional<std::regex> expression_;
  bool used_ = false;
};

class Extension {
 public:
  Extension(const std::string& text, const FormFilter& filter)
      : text_(text), name_(lower(text)), filter_(filter) {}

  bool fits(const InstructionForm& form) {
    const std::string set = lower(form.isa_set);
    const bool fits = name_ == set || name_ == lower(form.extension) ||
                      name_ == set.substr(0, set.rfind('_')) ||
                      (filter_.feature_of && name_ == lower(filter_.feature_of(form.isa_set)));
    used_ = used_ || fits;
    return fits;
  }

  void check() const {
    if (used_) return;
    throw InputError(
        fmt::format("no instruction form is of the extension {}; extensions are AVX2, BMI1 or "
                    "AVX512F, for example",
                    clipped(text_)));
  }

 private:
  std::string text_;
  std::string name_;
  const FormFilter& filter_;
  bool used_ = false;
};

template <typename Rules>
bool one_fits(Rules& rules, const InstructionForm& form) {
  bool fits = rules.empty();
  // Every rule is asked, even after one fits, because each keeps note of whether it ever fits.
  for (auto& rule : rules) fits = rule.fits(form) || fits;
  return fits;
}

/// Whether Zydis encodes the form, with registers other than RAX, which makes some instructions
/// another form.
bool is_encodable(const InstructionForm& form) {
  const auto decoded = decode_one(form.code);
  if (!decoded) return false;
  OperandChoice choice;
  int number = 1;
  for (const OperandUse& use : uses_of(*decoded)) {
    if (use.chosen) choice.registers[{use.operand, use.part}] = number++;
  }
  return encode_form(form, choice).has_value();
}

bool always_faults(const Decoded& decoded) {
  return decoded.instruction.mnemonic == ZYDIS_MNEMONIC_UD0 ||
         decoded.instruction.mnemonic == ZYDIS_MNEMONIC_UD1 ||
         decoded.instruction.mnemonic == ZYDIS_MNEMONIC_UD2;
}

/// Whether this is the opcode of PREFETCHW with a register: a NOP to Intel's CPUs, and refused by
/// AMD's. Of all NOPs with two registers Zydis's encoder makes this one.
bool is_prefetch_of_register(const Decoded& decoded) {
  return decoded.instruction.mnemonic == ZYDIS_MNEMONIC_NOP &&
         decoded.instruction.meta.isa_set == ZYDIS_ISA_SET_PREFETCH_NOP;
}

std::optional<Skipped> why_not(const InstructionForm& form, const FormFilter& filter) {
  const auto decoded = decode(form.code);
  if (const auto* refusal = std::get_if<Refusal>(&decoded)) {
    return Skipped{form.name, std::string(name(refusal->outcome.reason)), refusal->outcome.detail};
  }
  if (const auto example = decode_one(form.code)) {
    if (always_faults(*example)) return Skipped{form.name, "always_faults", "by its definition"};
    if (is_prefetch_of_register(*example)) {
      return Skipped{form.name, "not_encodable",
                     "by Zydis's encoder, but as PREFETCHW's opcode, which AMD's CPUs refuse"};
    }
  }
  if (!is_encodable(form)) return Skipped{form.name, "not_encodable", "by Zydis's encoder"};
  if (!filter.missing_feature) return std::nullopt;
  if (const auto feature = filter.missing_feature(form.isa_set)) {
    return Skipped{form.name, "missing_feature", *feature};
  }
  return std::nullopt;
}

}  // namespace

std::vector<const InstructionForm*> choose_forms(const FormFilter& filter,
                                                 const std::function<void(Skipped)>& skipped) {
  std::vector<Pattern> patterns(filter.patterns.begin(), filter.patterns.end());
  std::vector<Extension> extensions;
  for (const std::string& text : filter.extensions) extensions.emplace_back(text, filter);
  std::vector<const InstructionForm*> chosen;
  for (const InstructionForm& form : instruction_forms()) {
    const bool by_pattern = one_fits(patterns, form);
    const bool by_extension = one_fits(extensions, form);
    if (!by_pattern || !by_extension) continue;
    if (auto reason = why_not(form, filter)) {
      skipped(*std::move(reason));
    } else {
      chosen.push_back(&form);
    }
  }
  for (const Pattern& pattern : patterns) pattern.check();
  for (const Extension& extension : extensions) extension.check();
  return chosen;
}

}  // namespace assay
