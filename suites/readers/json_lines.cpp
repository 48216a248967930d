#include "suites/readers/json_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "profiler/support/clipped.h"
#include "profiler/support/error.h"
#include "suites/readers/corpus_format.h"
#include "suites/readers/field.h"
#include "suites/readers/json_cursor.h"

namespace assay {
namespace {

/// The format of what `assay export` writes. It has weight, name and source in the block's
/// "sources".
constexpr std::string_view kExport = "assay-export";

/// In the order of kKeys. Those before kFormat say something of a block, and may not come twice.
enum Key { kHex, kName, kSource, kWeight, kState, kFormat, kVersionKey, kSources, kOther };
constexpr std::string_view kKeys[] = {"hex",   "name",   "source",  "weight",
                                      "state", "format", "version", "sources"};

Key key_named(std::string_view name) {
  return static_cast<Key>(std::ranges::find(kKeys, name) - std::begin(kKeys));
}

/// Reads the object of one line into an entry. Throws Problem.
class ObjectReader {
 public:
  ObjectReader(std::string_view line, CorpusEntry& entry) : cursor_(line), entry_(entry) {}

  void read() {
    cursor_.expect('{', "an object");
    if (!cursor_.take('}')) {
      do read_member();
      while (cursor_.take(','));
      cursor_.expect('}', "',' or '}'");
    }
    cursor_.end();
    if (!is_header() && entry_.bytes.empty()) throw Problem{1, "the key \"hex\" is missing"};
  }

  bool is_header() const { return format_ == kCorpusFormatName; }
  /// The value of "version" as it is written; empty if there is none.
  std::string_view version() const { return version_; }

 private:
  void read_member() {
    const std::size_t column = cursor_.column();
    const Key key = key_named(cursor_.string(scratch_).text);
    cursor_.expect(':', "':' after a key");
    if (key < kFormat && !is_header()) {
      if (seen_ & 1U << key) {
        throw Problem{column, fmt::format("the key {} comes twice", clipped(kKeys[key]))};
      }
      seen_ |= 1U << key;
      return read_known(key);
    }
    if (key == kFormat && cursor_.peek() == '"') {
      format_ = cursor_.string(scratch_).text;
    } else if (key == kVersionKey && begins_number()) {
      version_ = cursor_.number().text;
    } else if (key == kSources && format_ == kExport) {
      read_sources();
    } else {
      cursor_.skip();
    }
  }

  void read_sources() {
    cursor_.expect('[', "an array");
    if (cursor_.take(']')) return;
    bool first = true;
    do read_source(std::exchange(first, false));
    while (cursor_.take(','));
    cursor_.expect(']', "',' or ']'");
  }

  /// Reads one of an exported block's sources. The frequencies of all of them add up; name and
  /// source are those of the first.
  void read_source(bool first) {
    cursor_.expect('{', "an object");
    do {
      const std::string_view name = cursor_.string(scratch_).text;
      const bool is_frequency = name == "frequency";
      const Key key = key_named(name);
      cursor_.expect(':', "':' after a key");
      if (is_frequency && begins_number()) {
        std::optional<double> frequency;
        if (const Checked problem = read_number(cursor_.number(), frequency)) throw *problem;
        entry_.frequency = entry_.frequency.value_or(0) + frequency.value_or(0);
      } else if (first && ((key == kName && entry_.name.empty()) ||
                           (key == kSource && entry_.origin.empty()))) {
        read_known(key);
      } else {
        cursor_.skip();
      }
    } while (cursor_.take(','));
    cursor_.expect('}', "',' or '}'");
  }

  void read_known(Key key) {
    if (key != kHex && cursor_.peek() == 'n') return cursor_.skip();
    switch (key) {
      case kHex:
        return read_string([&](const Field& field) { return read_block(field, entry_.bytes); });
      case kName:
        return read_string([&](const Field& field) { return read_text(field, entry_.name); });
      case kSource:
        return read_string([&](const Field& field) { return read_text(field, entry_.origin); });
      case kState:
        return read_string([&](const Field& field) { return read_state(field, entry_.state); });
      default:
        if (!begins_number()) throw Problem{cursor_.column(), "expected a number"};
        if (const Checked problem = read_number(cursor_.number(), entry_.frequency)) throw *problem;
    }
  }

  template <typename Reader>
  void read_string(const Reader& reader) {
    if (cursor_.peek() != '"') throw Problem{cursor_.column(), "expected a string"};
    const Field field = cursor_.string(scratch_);
    Checked problem = reader(field);
    if (!problem) return;
    // In a string whose escapes were resolved, a problem's column is not one of the line: report
    // where the string starts.
    if (field.text.data() == scratch_.data()) problem->column = field.column;
    throw *problem;
  }

  bool begins_number() {
    const char first = cursor_.peek();
    return first == '-' || (first >= '0' && first <= '9');
  }

  JsonCursor cursor_;
  CorpusEntry& entry_;
  unsigned seen_ = 0;  ///< bit i: the i-th of Key has come
  std::string scratch_;
  std::string format_;
  std::string_view version_;
};

class JsonLines : public LineParser {
 public:
  explicit JsonLines(std::string file) : file_(std::move(file)) {}

  std::optional<CorpusItem> take(const Line& line) override {
    if (!holds_block(line)) return std::nullopt;
    if (line.too_long) return too_long(line);
    CorpusEntry entry;
    entry.line = line.number;
    ObjectReader object(line.text, entry);
    try {
      object.read();
    } catch (const Problem& problem) {
      return bad_line(line.number, line.text, problem);
    }
    if (!object.is_header()) return entry;
    check_version(object.version(), line.number);
    return std::nullopt;
  }

 private:
  void check_version(std::string_view version, std::int64_t line) const {
    if (version == kCorpusFormatVersion) return;
    throw InputError(fmt::format(
        "{}, line {}: a corpus of version {}, where this assay knows version {}: read it with the "
        "assay that wrote it",
        file_, line, version.empty() ? "unknown" : version, kCorpusFormatVersion));
  }

  std::string file_;
};

}  // namespace

std::unique_ptr<LineParser> json_lines(const std::string& file) {
  return std::make_unique<JsonLines>(file);
}

}  // namespace assay
