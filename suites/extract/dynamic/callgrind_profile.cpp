#include "suites/extract/dynamic/callgrind_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/support/blanks.h"
#include "profiler/support/clipped.h"
#include "profiler/support/error.h"
#include "suites/readers/line_reader.h"

namespace assay {
namespace {

constexpr std::string_view kFirstLine = "# callgrind format";

/// Lines that are passed over because they do not say what ran where: lines of the header, and
/// those that name functions and source files. Functions get their names from the objects' own
/// symbols (Image), so that the names are the same whether blocks ran or were only decoded.
constexpr std::string_view kPassedOver[] = {
    "version:", "creator:", "pid:", "cmd:", "part:", "desc:", "summary:", "fl=",
    "fi=",      "fe=",      "fn=",  "cfi=", "cfl=",  "jfi=",  "jfn="};

/// What is wrong with a line; ProfileReader::read() adds the file and the line's number.
class Problem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Takes the next word, with the blanks around it, from the front of the text.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text = trimmed(text.substr(word.size()));
  return word;
}

std::optional<std::uint64_t> parsed(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, base);
  if (digits.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

/// Parses a number, decimal or hexadecimal: "12" or "0x1f".
std::uint64_t number(std::string_view word) {
  const bool hexadecimal = word.starts_with("0x");
  const auto value = hexadecimal ? parsed(word.substr(2), 16) : parsed(word, 10);
  if (!value) throw Problem(fmt::format("{} is no number", clipped(word)));
  return *value;
}

/// Parses an address, which may be given relative to the last one: "*", "+3", "-49".
std::uint64_t address(std::string_view word, std::uint64_t last) {
  if (word == "*") return last;
  if (word.empty() || (word.front() != '+' && word.front() != '-')) return number(word);
  const std::uint64_t distance = number(word.substr(1));
  const bool up = word.front() == '+';
  if (distance > (up ? ~last : last)) throw Problem("an address is beyond 64 bits");
  return up ? last + distance : last - distance;
}

class ProfileReader {
 public:
  ProfileReader(InputFile file, ExecutedCode& code) : lines_(std::move(file)), code_(code) {}

  void read();

 private:
  /// What must come next after the line before.
  enum class Expected { kAnything, kJumpSource, kCallCost };

  void take(const Line& line);
  void take_key(std::string_view text, bool too_long);
  void take_setting(std::string_view text);
  /// Takes a line with an address and how many instructions ran there.
  void take_cost(std::string_view text);
  void take_call(std::string_view text);
  void take_jump(std::string_view text);
  void take_jump_source(std::string_view text);
  void take_totals(std::string_view text);
  ExecutedObject& object_named(std::string_view name);
  ExecutedObject& current() const;

  LineReader lines_;
  ExecutedCode& code_;
  std::map<std::uint64_t, ExecutedObject*> objects_;  ///< by the numbers that stand for names
  ExecutedObject* object_ = nullptr;                  ///< the object that costs are of
  ExecutedObject* named_ = nullptr;   ///< named by the last "cob=", for the next "cfn="
  ExecutedObject* called_ = nullptr;  ///< the next call's; null: the call stays in its object
  Expected expected_ = Expected::kAnything;
  std::uint64_t last_ = 0;  ///< address of the last cost line, to which others are relative
  AddressCount jump_;       ///< target and count of the last jump, whose source comes next
  std::uint64_t sum_ = 0;   ///< of all costs
  bool has_positions_ = false;
  bool has_events_ = false;
  bool ended_ = false;
};

void ProfileReader::read() {
  const std::string name = lines_.name();
  std::int64_t number = 0;
  try {
    while (const auto line = lines_.next()) {
      number = line->number;
      take(*line);
    }
    ++number;
    if (!ended_) throw Problem("the file ends early: a profile ends with its totals");
  } catch (const Problem& problem) {
    throw InputError(fmt::format("{}:{}: no callgrind profile that can be read: {}", name, number,
                                 problem.what()));
  }
}

void ProfileReader::take(const Line& line) {
  if (line.number == 1) {
    if (line.text != kFirstLine) throw Problem(fmt::format("it must start \"{}\"", kFirstLine));
    return;
  }
  const std::string_view text = trimmed(line.text);
  if (text.empty() && expected_ == Expected::kAnything) return;
  if (ended_) throw Problem("something follows the totals");
  const bool is_position = !text.empty() && std::string_view("0123456789+-*").find(text.front()) !=
                                                std::string_view::npos;
  if (!is_position && expected_ != Expected::kAnything) {
    throw Problem(fmt::format("a position must follow a call or a jump, not {}", clipped(text)));
  }
  if (!is_position) return take_key(text, line.too_long);
  switch (std::exchange(expected_, Expected::kAnything)) {
    case Expected::kJumpSource:
      return take_jump_source(text);
    case Expected::kCallCost:
      // The cost of the call with all that it called: those instructions are counted where they
      // ran.
      return;
    case Expected::kAnything:
      return take_cost(text);
  }
}

void ProfileReader::take_key(std::string_view text, bool too_long) {
  const std::size_t length = std::min(text.find_first_of(":="), text.size() - 1) + 1;
  const std::string_view key = text.substr(0, length);
  if (std::ranges::find(kPassedOver, key) != std::end(kPassedOver)) return;
  const std::string_view value = trimmed(text.substr(length));
  if (too_long && key != "cfn=")
    throw Problem(fmt::format("the line is too long: {}", clipped(text)));
  if (key == "ob=") {
    object_ = &object_named(value);
    last_ = 0;
  } else if (key == "cob=") {
    named_ = &object_named(value);
  } else if (key == "cfn=") {
    // Callgrind names the callee of a call that cost nothing, but writes no call: this name
    // replaces that of a call that did not come.
    called_ = std::exchange(named_, nullptr);
  } else if (key == "calls=") {
    take_call(value);
  } else if (key == "jump=" || key == "jcnd=") {
    take_jump(value);
  } else if (key == "positions:" || key == "events:") {
    take_setting(text);
  } else if (key == "totals:") {
    take_totals(value);
  } else {
    throw Problem(fmt::format("a line that is not understood: {}", clipped(text)));
  }
}

void ProfileReader::take_setting(std::string_view text) {
  if (text == "positions: instr") {
    has_positions_ = true;
  } else if (text == "events: Ir") {
    has_events_ = true;
  } else {
    throw Problem(
        fmt::format("{} instead of \"positions: instr\" and \"events: Ir\"", clipped(text)));
  }
}

void ProfileReader::take_cost(std::string_view text) {
  if (!has_positions_ || !has_events_) throw Problem("costs stand before their description");
  last_ = address(take_word(text), last_);
  if (text.empty()) return;
  const std::uint64_t cost = number(text);
  current().instructions.add(last_, cost);
  sum_ += cost;
}

void ProfileReader::take_call(std::string_view text) {
  const std::uint64_t count = number(take_word(text));
  ExecutedObject* const other = std::exchange(called_, nullptr);
  ExecutedObject& callee = other != nullptr ? *other : current();
  callee.targets.add(address(text, last_), count);
  expected_ = Expected::kCallCost;
}

void ProfileReader::take_jump(std::string_view text) {
  std::string_view counts = take_word(text);
  // "jcnd=124/125": taken 124 times in 125 executions.
  const std::size_t slash = counts.find('/');
  if (slash != std::string_view::npos) number(counts.substr(slash + 1));  // checked, not used
  jump_ = {address(text, last_), number(counts.substr(0, slash))};
  expected_ = Expected::kJumpSource;
}

void ProfileReader::take_jump_source(std::string_view text) {
  ExecutedObject& object = current();
  object.targets.add(jump_.address, jump_.count);
  if (address(text, last_) == jump_.address) object.repeats.add(jump_.address, jump_.count);
}

void ProfileReader::take_totals(std::string_view text) {
  const std::uint64_t total = number(text);
  if (total != sum_) {
    throw Problem(
        fmt::format("its instructions add up to {}, not to its total of {}", sum_, total));
  }
  ended_ = true;
}

/// The object that the text names: "(7) /usr/lib/libz.so.1", which makes 7 stand for the name from
/// then on, "(7)", or a name alone.
ExecutedObject& ProfileReader::object_named(std::string_view name) {
  if (name.empty()) throw Problem("an object has no name");
  const std::size_t close = name.find(')');
  if (!name.starts_with('(') || close == std::string_view::npos) return code_[std::string(name)];
  const std::uint64_t id = number(name.substr(1, close - 1));
  const std::string_view own = trimmed(name.substr(close + 1));
  if (!own.empty()) return *(objects_[id] = &code_[std::string(own)]);
  const auto found = objects_.find(id);
  if (found == objects_.end()) throw Problem(fmt::format("object {} has not been named", id));
  return *found->second;
}

ExecutedObject& ProfileReader::current() const {
  if (object_ == nullptr) throw Problem("no object has been named yet");
  return *object_;
}

}  // namespace

void read_callgrind_profile(InputFile file, ExecutedCode& code) {
  ProfileReader(std::move(file), code).read();
}

}  // namespace assay
