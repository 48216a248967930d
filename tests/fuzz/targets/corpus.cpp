// A corpus: the first byte chooses the format, the others are the file.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <variant>

#include "profiler/block/assembler.h"
#include "profiler/codegen/state_text.h"
#include "profiler/support/error.h"
#include "suites/readers/corpus_reader.h"
#include "suites/readers/utf8.h"
#include "tests/fuzz/targets/target.h"

namespace assay::fuzz {
namespace {

/// The formats by the first byte. Their order must stay, because seeds begin with their numbers.
constexpr std::array<std::optional<CorpusFormat>, 12> kFormats = {
    std::nullopt,
    CorpusFormat::kHex,
    CorpusFormat::kBhiveFrequency,
    CorpusFormat::kBhiveThroughput,
    CorpusFormat::kBhiveCategory,
    CorpusFormat::kCsv,
    CorpusFormat::kJsonLines,
    CorpusFormat::kAsm,
    CorpusFormat::kAtt,
    CorpusFormat::kAsmLine,
    CorpusFormat::kAttLine,
    CorpusFormat::kRaw,
};

void check_number(const std::optional<double>& number) {
  require(!number || (std::isfinite(*number) && *number >= 0), "a number is out of its range");
}

void check_entry(const CorpusEntry& entry, CorpusFormat format) {
  require(!entry.bytes.empty(), "an entry has no bytes");
  require(entry.frequency || format != CorpusFormat::kBhiveFrequency, "a frequency is missing");
  require(!entry.frequency || format == CorpusFormat::kBhiveFrequency ||
              format == CorpusFormat::kCsv || format == CorpusFormat::kJsonLines,
          "a frequency of nowhere");
  require(entry.reference_cycles.has_value() == (format == CorpusFormat::kBhiveThroughput),
          "another tool's cycles are missing, or there are some too many");
  for (const std::string& text : {entry.name, entry.origin, entry.state}) {
    require(utf8_length(text) == text.size(), "a text is no UTF-8");
  }
  require(to_text(state_request_from(entry.state)) == entry.state, "a state is not canonical");
  check_number(entry.frequency);
  check_number(entry.reference_cycles);
}

void check_bad_line(const BadLine& bad) {
  require(std::ranges::all_of(bad.problem, [](char c) { return c >= 0x20 && c < 0x7f; }),
          "a problem is not printable");
  require(!bad.problem.empty() && bad.problem.size() < 400, "a problem is of an odd length");
}

void read(const std::string& path, std::optional<CorpusFormat> format) {
  CorpusReader reader = CorpusReader::open(path, format);
  require(!format || reader.format() == *format, "the format is another");
  std::int64_t line = 0;
  while (const auto item = reader.next()) {
    const auto* const bad = std::get_if<BadLine>(&*item);
    const std::int64_t next = bad != nullptr ? bad->line : std::get<CorpusEntry>(*item).line;
    require(next > line, "lines are not in order");
    line = next;
    bad != nullptr ? check_bad_line(*bad)
                   : check_entry(std::get<CorpusEntry>(*item), reader.format());
  }
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const assay::fuzz::FileInMemory file(assay::fuzz::text_from(data + 1, size - 1));
  try {
    assay::fuzz::read(file.path(),
                      assay::fuzz::kFormats.at(data[0] % assay::fuzz::kFormats.size()));
  } catch (const assay::InputError&) {
  } catch (const assay::EnvironmentError&) {
    assay::fuzz::require(!assay::can_assemble(), "the environment is blamed for a corpus");
  }
  return 0;
}
