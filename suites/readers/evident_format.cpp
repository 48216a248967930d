#include "suites/readers/evident_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "profiler/support/blanks.h"
#include "profiler/support/clipped.h"
#include "profiler/support/error.h"
#include "suites/readers/csv_lines.h"

namespace assay {
namespace {

[[noreturn]] void refuse(const Line& first, const std::string& file, std::string_view why) {
  throw InputError(fmt::format("{} is ambiguous: its first block line, line {}, {}. The line: {}",
                               file, first.number, why, clipped(trimmed(first.text))));
}

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

}  // namespace

CorpusFormat evident_format(const Line& first, const std::string& file) {
  const std::string_view text = trimmed(first.text);
  if (text.starts_with('{')) return CorpusFormat::kJsonLines;
  if (names_csv_columns(first.text)) return CorpusFormat::kCsv;
  // Blanks, ';' and '%' (AT&T registers) only occur in assembly text, not in hexadecimal digits.
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos && text.find_first_of(" \t;%") == std::string_view::npos) {
    return CorpusFormat::kHex;
  }
  if (comma != std::string_view::npos && is_hex(trimmed(text.substr(0, comma)))) {
    refuse(first, file,
           "has more than one column, and nothing tells what the second one means; say "
           "--corpus-format bhive-frequency (how often the block was seen), --corpus-format "
           "bhive-throughput (cycles per 100 iterations) or --corpus-format bhive-category (a "
           "word)");
  }
  refuse(first, file,
         "has no hexadecimal digits, and nothing tells where blocks of assembly text end; say "
         "--corpus-format asm or att (an empty line ends a block; Intel or AT&T syntax), "
         "--corpus-format asm-line or att-line (one block per line), or another format");
}

}  // namespace assay
