// Whether a block's values agree, whatever the moment. `assay_repeatability REPETITIONS BLOCKS
// CORPUS...` measures the first BLOCKS blocks of each corpus (in the format bhive-frequency or hex)
// so many times: each several times in a row; all of them again and again; and so by a new profiler
// each time, with a subject and a calibration of its own. What is stated of the uncertainty should
// hold in all three cases alike; where it does not, the first line that differs shows whether the
// error lasts for a block, for a moment or for a process. It judges nothing.

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "profiler/machine/processor.h"
#include "profiler/protocol/profiler.h"
#include "tests/benchmarks/agreement_tally.h"
#include "tests/benchmarks/bench_corpus.h"

namespace assay {
namespace {

std::vector<BlockSpec> read_blocks(const std::string& corpus, std::size_t most) {
  CorpusReader reader = open_bench_corpus(corpus);
  std::vector<BlockSpec> blocks;
  while (blocks.size() < most) {
    const auto item = reader.next();
    if (!item) break;
    if (const auto* entry = std::get_if<CorpusEntry>(&*item)) blocks.push_back(*entry);
  }
  return blocks;
}

/// The repeated measurements of some blocks under one notion.
class Repeated {
 public:
  Repeated(const std::vector<BlockSpec>& blocks, Notion notion)
      : blocks_(blocks), notion_(notion), estimates_(blocks.size()) {}

  void measure(std::size_t block) {
    const Measurement measurement = profiler_->measure(blocks_[block], notion_);
    ++tries_;
    if (measurement.estimate) estimates_[block].push_back(*measurement.estimate);
  }
  void measure_all() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) measure(i);
  }
  void replace_profiler() {
    profiler_.reset();
    profiler_ = std::make_unique<Profiler>(Settings{}, allowed_processors().back());
  }

  void print(const char* what) const {
    AgreementTally tally;
    std::size_t values = 0;
    for (const std::vector<Estimate>& estimates : estimates_) {
      tally.add_pairs(estimates);
      values += estimates.size();
    }
    fmt::print("  {:<10}{:<28}{:>9.1f} %{:>9}{:>10.2f} %{:>10.2f} %{:>10.3f} %\n", name(notion_),
               what, 100 * static_cast<double>(values) / static_cast<double>(tries_), tally.pairs(),
               tally.within_1_percent(), tally.within_intervals(), tally.off_by_5_percent());
  }

 private:
  const std::vector<BlockSpec>& blocks_;
  Notion notion_;
  std::unique_ptr<Profiler> profiler_ =
      std::make_unique<Profiler>(Settings{}, allowed_processors().back());
  std::int64_t tries_ = 0;
  std::vector<std::vector<Estimate>> estimates_;
};

void compare(const std::vector<BlockSpec>& blocks, Notion notion, int repetitions) {
  Repeated in_a_row(blocks, notion);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (int j = 0; j < repetitions; ++j) in_a_row.measure(i);
  }
  in_a_row.print("in a row");
  Repeated in_turn(blocks, notion);
  for (int i = 0; i < repetitions; ++i) in_turn.measure_all();
  in_turn.print("in turn");
  Repeated anew(blocks, notion);
  for (int i = 0; i < repetitions; ++i) {
    anew.replace_profiler();
    anew.measure_all();
  }
  anew.print("each time by a new profiler");
}

void run(int repetitions, std::size_t most, const std::string& corpus) {
  const std::vector<BlockSpec> blocks = read_blocks(corpus, most);
  fmt::print("{}: {} blocks, {} times each\n", corpus, blocks.size(), repetitions);
  fmt::print("  {:<38}{:>11}{:>9}{:>12}{:>12}{:>12}\n", "", "measured", "pairs", "within 1 %",
             "intervals", "off by 5 %");
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    compare(blocks, notion, repetitions);
  }
}

}  // namespace
}  // namespace assay

int main(int count, char** arguments) {
  if (count < 4) {
    fmt::print(stderr, "assay_repeatability REPETITIONS BLOCKS CORPUS...\n");
    return 2;
  }
  try {
    for (int i = 3; i < count; ++i) {
      assay::run(std::atoi(arguments[1]), std::strtoull(arguments[2], nullptr, 10), arguments[i]);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "assay_repeatability: {}\n", error.what());
    return 1;
  }
  return 0;
}
