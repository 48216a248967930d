// Whether what the trace of a few copies lets foresee holds for all of them. `assay_walk_reach
// BLOCKS CORPUS...` measures the first BLOCKS blocks of each corpus (in the format bhive-frequency
// or hex), unrolled and looped, and then traces all copies of the largest size at which each
// measured one was run, untimed; of loops with many turns, as many copies as can be traced. It
// prints how many of them access more lines of a set than the first-level data cache has ways, or
// store to more pages than its TLB holds, and how many load what an earlier copy has stored and do
// not say so. It judges nothing.

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "profiler/codegen/state_text.h"
#include "profiler/machine/processor.h"
#include "profiler/machine/tlb.h"
#include "profiler/protocol/profiler.h"
#include "profiler/subject/subject.h"
#include "profiler/support/cache_line.h"
#include "tests/benchmarks/bench_corpus.h"

namespace assay {
namespace {

struct Tally {
  int blocks = 0, measured = 0, walks = 0, cut = 0, untraced = 0;
  int lines = 0, pages = 0, dependences = 0;
};

InitialState state_of(const std::string& text) {
  const StateRequest request = state_request_from(text);
  return with_overrides(initial_state_named(request.profile).value(), request.overrides);
}

/// The most lines that any set of the cache gets.
std::size_t most_in_a_set(const Trace& trace) {
  std::map<std::uint64_t, std::set<std::uint64_t>> in_set;
  const auto sets = static_cast<std::uint64_t>(data_cache().sets);
  for (const TracedAccess& access : trace.accesses) {
    const std::uint64_t last = (access.address + access.size - 1) / kCacheLine;
    for (std::uint64_t line = access.address / kCacheLine; line <= last; ++line) {
      in_set[line % sets].insert(line);
    }
  }
  std::size_t most = 0;
  for (const auto& [set, lines] : in_set) most = std::max(most, lines.size());
  return most;
}

std::size_t stored_pages(const Trace& trace) {
  std::set<std::uint64_t> pages;
  for (const TracedAccess& access : trace.accesses) {
    if (access.write) pages.insert(access.address / subject::kPageSize);
  }
  return pages.size();
}

class WalkReach {
 public:
  void look_at(const BlockSpec& spec) {
    for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) look_at(spec, notion);
  }
  const Tally& tally(Notion notion) const { return tallies_.at(static_cast<std::size_t>(notion)); }

 private:
  void look_at(const BlockSpec& spec, Notion notion) {
    Tally& tally = tallies_.at(static_cast<std::size_t>(notion));
    ++tally.blocks;
    std::vector<Attempt> attempts;
    const Measurement measurement = profiler_.measure(spec, notion, {.attempts = &attempts});
    if (!measurement.outcome.measured()) return;
    ++tally.measured;
    const auto decoded = decode(spec.bytes);
    trace(std::get<Block>(decoded), measurement, attempts.back().prepared.plan, tally);
  }

  void trace(const Block& block, const Measurement& measurement, const Plan& plan, Tally& tally) {
    const InitialState state = state_of(measurement.initial_state);
    const auto made = trace_kernel(block, state, subject::kCode, std::nullopt, plan.most_copies());
    const auto* const kernel = std::get_if<TracedKernel>(&made);
    subject_.unmap_all();
    if (kernel == nullptr) {
      ++tally.untraced;
      return;
    }
    if (kernel->copies < plan.most_copies()) ++tally.cut;
    const TraceRun run = run_trace(subject_, *kernel, block, state, {});
    if (run.fault) {
      ++tally.untraced;
      return;
    }
    count(block, measurement, run.trace, tally);
  }

  static void count(const Block& block, const Measurement& measurement, const Trace& trace,
                    Tally& tally) {
    const bool too_many_lines = most_in_a_set(trace) > static_cast<std::size_t>(data_cache().ways);
    const bool too_many_pages =
        stored_pages(trace) > static_cast<std::size_t>(stored_tlb_entries());
    const TraceFindings found =
        analyse(trace, {.pages = 1, .data_tlb_entries = data_tlb_entries()});
    const bool unsaid = found.traits.has(Trait::kMemoryDependence) &&
                        !measurement.traits.has(Trait::kMemoryDependence);
    tally.walks += measurement.pages > 1 ? 1 : 0;
    tally.lines += too_many_lines ? 1 : 0;
    tally.pages += too_many_pages ? 1 : 0;
    tally.dependences += unsaid ? 1 : 0;
    if (!too_many_lines && !too_many_pages && !unsaid) return;
    fmt::print("    {} {}{}{}: {}\n", name(measurement.notion), too_many_lines ? "lines " : "",
               too_many_pages ? "pages " : "", unsaid ? "dependence" : "",
               hex_from_bytes(block.bytes));
  }

  Profiler profiler_{Settings{}, allowed_processors().back()};
  subject::Subject subject_{[](pid_t) { return std::vector<int>(); }};
  std::array<Tally, 2> tallies_;  ///< by notion
};

void run(std::size_t most, const std::string& corpus) {
  CorpusReader reader = open_bench_corpus(corpus);
  WalkReach reach;
  fmt::print("{}\n", corpus);
  for (std::size_t i = 0; i < most;) {
    const auto item = reader.next();
    if (!item) break;
    if (const auto* entry = std::get_if<CorpusEntry>(&*item)) {
      reach.look_at(*entry);
      ++i;
    }
  }
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    const Tally& tally = reach.tally(notion);
    fmt::print(
        "  {}: of {} blocks {} measured, {} of them on several pages; {} not traced, {} in part\n",
        name(notion), tally.blocks, tally.measured, tally.walks, tally.untraced, tally.cut);
    fmt::print(
        "    {} leave the cache, {} the TLB for stores; {} have a dependence that is not told\n",
        tally.lines, tally.pages, tally.dependences);
  }
}

}  // namespace
}  // namespace assay

int main(int count, char** arguments) {
  if (count < 3) {
    fmt::print(stderr, "assay_walk_reach BLOCKS CORPUS...\n");
    return 2;
  }
  try {
    for (int i = 2; i < count; ++i) {
      assay::run(std::strtoull(arguments[1], nullptr, 10), arguments[i]);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "assay_walk_reach: {}\n", error.what());
    return 1;
  }
  return 0;
}
