// How many blocks a second the readers give, for each format and compression; for assembly text,
// with the time that the assembler takes.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "profiler/block/assembler.h"
#include "suites/readers/corpus_reader.h"
#include "tests/suites/readers/compressed.h"
#include "tests/suites/readers/temporary_file.h"

namespace assay {
namespace {

enum class Packing { kPlain, kGzip, kZstd };

/// A line in the format. Lines with different numbers have different blocks, as in real corpora.
/// Blocks have 20 bytes, the median length of BHive's.
std::string line(CorpusFormat format, int number) {
  const std::string hex = fmt::format("488b442408488b4c24104889c8{:08x}4801d8",
                                      static_cast<std::uint32_t>(number) * 2654435761U);
  switch (format) {
    case CorpusFormat::kHex:
      return hex + "\n";
    case CorpusFormat::kBhiveFrequency:
      return fmt::format("{},0.{:08}\n", hex, number);
    case CorpusFormat::kCsv:
      return fmt::format("{},\"mov rax, [rsp+8]\",{}\n", hex, number);
    case CorpusFormat::kJsonLines:
      return fmt::format(
          R"({{"hex":"{}","name":"block {}","source":"sqlite3:sqlite3VdbeExec","weight":{}}})"
          "\n",
          hex, number, number);
    case CorpusFormat::kAsmLine:
      return fmt::format("add rax, {}; imul rcx, rdx; mov rbx, [rsp + 8]\n", number % 4096);
    default:
      return fmt::format("add rax, {}\nimul rcx, rdx\nmov rbx, [rsp + 8]\n\n", number % 4096);
  }
}

std::string corpus(CorpusFormat format, int lines) {
  std::string text = format == CorpusFormat::kCsv ? "hex,asm,weight\n" : "";
  for (int i = 0; i < lines; ++i) text += line(format, i);
  return text;
}

std::string packed(const std::string& text, Packing packing) {
  switch (packing) {
    case Packing::kGzip:
      return gzip_of(text);
    case Packing::kZstd:
      return zstd_of(text);
    default:
      return text;
  }
}

void read_corpus(benchmark::State& state, CorpusFormat format, Packing packing, int lines) {
  if (format >= CorpusFormat::kAsm && !can_assemble()) return state.SkipWithError("no assembler");
  const std::string text = corpus(format, lines);
  const TemporaryFile file(packed(text, packing));
  for (auto _ : state) {
    CorpusReader reader = CorpusReader::open(file.path(), format);
    int entries = 0;
    while (const auto item = reader.next()) entries += std::holds_alternative<CorpusEntry>(*item);
    if (entries != lines) state.SkipWithError("not every line is a block");
  }
  state.SetItemsProcessed(state.iterations() * lines);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

constexpr int kLines = 200'000;
constexpr int kAssembledLines = 2'000;

#define ASSAY_READER_BENCHMARKS(name, format, lines)                         \
  BENCHMARK_CAPTURE(read_corpus, name, format, Packing::kPlain, lines)       \
      ->Unit(benchmark::kMillisecond);                                       \
  BENCHMARK_CAPTURE(read_corpus, name##_gzip, format, Packing::kGzip, lines) \
      ->Unit(benchmark::kMillisecond);                                       \
  BENCHMARK_CAPTURE(read_corpus, name##_zstd, format, Packing::kZstd, lines) \
      ->Unit(benchmark::kMillisecond)

ASSAY_READER_BENCHMARKS(hex, CorpusFormat::kHex, kLines);
ASSAY_READER_BENCHMARKS(bhive_frequency, CorpusFormat::kBhiveFrequency, kLines);
ASSAY_READER_BENCHMARKS(csv, CorpusFormat::kCsv, kLines);
ASSAY_READER_BENCHMARKS(jsonl, CorpusFormat::kJsonLines, kLines);
ASSAY_READER_BENCHMARKS(asm_line, CorpusFormat::kAsmLine, kAssembledLines);
ASSAY_READER_BENCHMARKS(asm_blocks, CorpusFormat::kAsm, kAssembledLines);

}  // namespace
}  // namespace assay
