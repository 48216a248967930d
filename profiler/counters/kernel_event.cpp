#include "profiler/counters/kernel_event.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "profiler/counters/event_text.h"
#include "profiler/counters/near_names.h"
#include "profiler/support/blanks.h"
#include "profiler/support/error.h"
#include "profiler/support/number.h"

namespace assay {
namespace {

constexpr std::size_t kWords = 3;  ///< an Event has config, config1 and config2

// perf's terms for sampling (perf-list(1)). Its other terms concern only its own output.
constexpr std::array<std::string_view, 9> kPerfSampling = {
    "period",          "freq",     "time", "call-graph", "stack-size", "branch_type", "aux-output",
    "aux-sample-size", "max-stack"};

/// Builds an event from the parts of one specification.
class Assembly {
 public:
  Assembly(std::string_view specification, const CorePmu& pmu)
      : specification_(specification), pmu_(pmu) {}

  void add_terms(std::string_view terms);
  /// Sets the whole of a config word to the value.
  void set_word(std::size_t word, std::uint64_t value, std::string_view term);
  Event event() const;

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(fmt::format("event {}: {}", specification_, why));
  }
  /// Checks what stands behind an event: only the letter u is allowed.
  void check_modifiers(std::string_view letters) const;

 private:
  void add_term(std::string_view term);
  void add_bare_term(std::string_view name);
  void add_field(const PmuField& field, std::uint64_t value, std::string_view term);
  void set_bits(std::size_t word, std::uint64_t bits, std::uint64_t mask, std::string_view term);
  [[noreturn]] void refuse_unknown(std::string_view name) const;

  // taken_ has the bits that were set by some part, to 0 or 1, so that no other part may set them.
  std::string_view specification_;
  const CorePmu& pmu_;
  std::string name_;
  std::array<std::uint64_t, kWords> bits_{};
  std::array<std::uint64_t, kWords> taken_{};
};

void Assembly::add_terms(std::string_view terms) {
  for (const std::string_view term : split(terms, ',')) add_term(trimmed(term));
}

void Assembly::add_term(std::string_view term) {
  const std::size_t equals = term.find('=');
  if (equals == std::string_view::npos) return add_bare_term(term);
  const std::string_view name = term.substr(0, equals);
  const std::string_view text = term.substr(equals + 1);
  if (name == "name") {
    if (text.empty() || !name_.empty()) refuse("name= needs one name");
    name_ = text;
    return;
  }
  if (std::ranges::find(kPerfSampling, name) != kPerfSampling.end()) {
    refuse(fmt::format("\"{}\" is for sampling; assay only counts", term));
  }
  const PmuField* const field = pmu_.field(name);
  const bool is_word = name == "config" || name == "config1" || name == "config2";
  if (field == nullptr && !is_word) refuse_unknown(name);
  const std::optional<std::uint64_t> value = parse_number(text);
  if (!value) refuse(fmt::format("\"{}\": no number of up to 64 bits", term));
  if (field != nullptr) return add_field(*field, *value, term);
  set_word(name == "config" ? 0 : static_cast<std::size_t>(name.back() - '0'), *value, term);
}

/// Adds a name without a value: a field of one bit, which is set, or an alias. The recursion ends
/// because aliases consist of fields.
void Assembly::add_bare_term(std::string_view name) {
  if (const PmuField* const field = pmu_.field(name)) return add_field(*field, 1, name);
  const auto alias = pmu_.events.find(std::string(name));
  if (alias == pmu_.events.end()) refuse_unknown(name);
  for (const std::string_view term : split(alias->second, ',')) {
    if (term.find('=') == std::string_view::npos && pmu_.field(term) == nullptr) {
      refuse(fmt::format("\"{}\" stands for \"{}\", which assay does not understand", name,
                         alias->second));
    }
    add_term(term);
  }
}

void Assembly::add_field(const PmuField& field, std::uint64_t value, std::string_view term) {
  if (field.word >= static_cast<int>(kWords)) {
    refuse(fmt::format("\"{}\" lies in {}, which assay does not set", term, field.layout()));
  }
  if (field.width() < 64 && value >> field.width() != 0) {
    refuse(fmt::format("\"{}\" does not fit: the field has {} bits ({})", term, field.width(),
                       field.layout()));
  }
  set_bits(static_cast<std::size_t>(field.word), field.placed(value), field.mask(), term);
}

void Assembly::set_word(std::size_t word, std::uint64_t value, std::string_view term) {
  std::uint64_t known = 0;
  for (const PmuField& field : pmu_.fields) {
    if (field.word == static_cast<int>(word)) known |= field.mask();
  }
  if ((value & ~known) != 0) {
    refuse(fmt::format("\"{}\": the bits {:#x} belong to none of the fields of {}", term,
                       value & ~known, pmu_.name));
  }
  set_bits(word, value, ~std::uint64_t{0}, term);
}

void Assembly::set_bits(std::size_t word, std::uint64_t bits, std::uint64_t mask,
                        std::string_view term) {
  if ((taken_[word] & mask) != 0) {
    refuse(fmt::format("\"{}\" sets what another part has set already", term));
  }
  taken_[word] |= mask;
  bits_[word] |= bits;
}

void Assembly::refuse_unknown(std::string_view name) const {
  std::vector<std::string> all;
  for (const PmuField& field : pmu_.fields) all.push_back(field.name);
  for (const auto& [alias, terms] : pmu_.events) all.push_back(alias);
  const std::vector<std::string> near = near_names(name, all, kMostSuggested);
  refuse(fmt::format("{} has no \"{}\"{}; it has {}", pmu_.name, name,
                     near.empty() ? "" : "; near it: " + listed(near, kMostSuggested),
                     all.empty() ? "nothing" : listed(all, kMostListed)));
}

void Assembly::check_modifiers(std::string_view letters) const {
  for (const char letter : letters) {
    if (letter == 'u') continue;
    refuse(letter == 'k' || letter == 'h' || letter == 'G' || letter == 'H'
               ? fmt::format("\"{}\": assay counts in user mode only", letter)
               : fmt::format("\"{}\" is no modifier of counting", letter));
  }
}

Event Assembly::event() const { return {name_, pmu_.type, bits_[0], bits_[1], bits_[2]}; }

std::optional<Event> encode_raw(std::string_view specification, const CorePmu& pmu) {
  const std::size_t colon = specification.find(':');
  const std::string_view code = specification.substr(0, colon);
  if (code.size() < 2 || code[0] != 'r' ||
      code.find_first_not_of("0123456789abcdefABCDEF", 1) != std::string_view::npos) {
    return std::nullopt;
  }
  Assembly assembly(specification, pmu);
  if (colon != std::string_view::npos) assembly.check_modifiers(specification.substr(colon + 1));
  const std::optional<std::uint64_t> config = parse_hexadecimal(code.substr(1));
  if (!config) assembly.refuse("it has more than 64 bits");
  assembly.set_word(0, *config, code);
  return assembly.event();
}

}  // namespace

std::optional<Event> encode_kernel_event(std::string_view specification, const CorePmu& pmu) {
  const std::size_t first = specification.find('/');
  if (first == std::string_view::npos) return encode_raw(specification, pmu);
  Assembly assembly(specification, pmu);
  const std::size_t last = specification.rfind('/');
  if (last == first) assembly.refuse("the second slash is missing");
  const std::string_view name = specification.substr(0, first);
  if (name != "cpu" && name != pmu.name) {
    assembly.refuse(
        fmt::format("\"{}\" is not the PMU of the core that is used, which is {}", name, pmu.name));
  }
  assembly.check_modifiers(specification.substr(last + 1));
  assembly.add_terms(specification.substr(first + 1, last - first - 1));
  return assembly.event();
}

}  // namespace assay
