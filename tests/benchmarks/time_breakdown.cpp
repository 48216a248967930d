// Where the time of a campaign's worker goes. `assay_time_breakdown BLOCKS CORPUS...` measures the
// first BLOCKS blocks of each corpus (in the format bhive-frequency or hex) and prints, for each
// corpus, blocks per second, and microseconds per block by activity.

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>
#include <variant>

#include "profiler/machine/processor.h"
#include "profiler/protocol/profiler.h"
#include "tests/benchmarks/bench_corpus.h"

namespace assay {
namespace {

double microseconds(std::chrono::nanoseconds time, std::int64_t blocks) {
  return static_cast<double>(time.count()) / 1e3 / static_cast<double>(blocks);
}

void print(const std::string& corpus, const TimeSpent& spent) {
  if (spent.blocks == 0) return;
  const auto outside = spent.in[static_cast<std::size_t>(Activity::kOther)];
  const auto total = spent.total() - outside;
  fmt::print("{}: {} blocks, {:.0f} blocks/s, {:.1f} us a block\n", corpus, spent.blocks,
             1e6 / microseconds(total, spent.blocks), microseconds(total, spent.blocks));
  for (std::size_t i = 1; i < kActivities; ++i) {
    const auto share =
        static_cast<double>(spent.in[i].count()) / static_cast<double>(total.count());
    fmt::print("  {:<10}{:>8.1f} us{:>7.1f} %\n", name(static_cast<Activity>(i)),
               microseconds(spent.in[i], spent.blocks), 100 * share);
  }
  const auto share = static_cast<double>(spent.series.count()) / static_cast<double>(total.count());
  fmt::print("  in series of kernels {:.1f} us, {:.1f} % of all; {:.1f} stops a block\n",
             microseconds(spent.series, spent.blocks), 100 * share,
             static_cast<double>(spent.stops) / static_cast<double>(spent.blocks));
}

void measure(const std::string& corpus, std::int64_t blocks) {
  CorpusReader reader = open_bench_corpus(corpus);
  Profiler profiler(Settings{}, allowed_processors().back());
  for (std::int64_t measured = 0; measured < blocks;) {
    const auto item = reader.next();
    if (!item) break;
    const auto* entry = std::get_if<CorpusEntry>(&*item);
    if (entry == nullptr) continue;
    profiler.measure(*entry);
    ++measured;
  }
  print(reader.name(), profiler.time_spent());
}

}  // namespace
}  // namespace assay

int main(int count, char** arguments) {
  if (count < 3) {
    fmt::print(stderr, "assay_time_breakdown BLOCKS CORPUS...\n");
    return 2;
  }
  try {
    for (int i = 2; i < count; ++i) assay::measure(arguments[i], std::atoll(arguments[1]));
  } catch (const std::exception& error) {
    fmt::print(stderr, "assay_time_breakdown: {}\n", error.what());
    return 1;
  }
  return 0;
}
