#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profiler/counting/validation.h"
#include "profiler/machine/limits.h"
#include "profiler/protocol/assay_judge.h"
#include "profiler/protocol/fixed_estimate.h"
#include "profiler/protocol/fixed_recipe.h"
#include "profiler/protocol/measured_limits.h"
#include "profiler/protocol/preparation.h"
#include "profiler/running/trace_analysis.h"
#include "profiler/sampling/layout_limit.h"
#include "profiler/sampling/series_plan.h"
#include "profiler/sampling/stamp_choice.h"
#include "profiler/subject/layout.h"
#include "tests/profiler/protocol/revision_texts.h"

namespace assay {
namespace {

using assay::text_of;

constexpr CyclesPerReading kRatio(1.42);

std::string text_of(const Round& round) {
  std::string text;
  for (const KernelRun& run : round) {
    text += fmt::format(" {}{}{}{}{}", static_cast<int>(run.code), run.size, run.alignment,
                        run.counts ? 'c' : 'w', run.evict ? "e" : "") +
            (run.tells_layout ? "t" : "");
  }
  return text;
}

/// What a series consists of: for each protocol and plan, for finer and coarser clocks, and for all
/// ways to read one.
void add_rounds(Texts& texts) {
  constexpr std::array kMethods = {ReadMethod::kTsc, ReadMethod::kRdpmc, ReadMethod::kAround};
  for (const ReadMethod method : kMethods) {
    const SeriesPlan series = calibration_series(method);
    texts["rounds/calibration"] += fmt::format("{}{}\n", series.rounds, text_of(series.round));
  }
  for_each_plan([&](const Settings& settings, const Protocol& protocol, const Block&,
                    const Plan& plan) {
    for (const ReadMethod method : kMethods) {
      for (const std::uint32_t step : {1, 26}) {
        for (const double cycles : {0.25, 41.7}) {
          Companions companions(ReadingStep(Ticks(step)), Canary(4), ClockRatio(kRatio),
                                settings.series_slowdown);
          const RunTimes times{Cycles(plan.fewest_copies().real() * cycles),
                               Cycles(plan.most_copies().real() * cycles)};
          const auto sampling = protocol.sampling({plan, times, method}, companions, 1);
          texts["rounds/" + settings.protocol] +=
              fmt::format("{}{}\n", sampling->series().rounds, text_of(sampling->series().round));
        }
      }
    }
  });
}

/// Which layouts of the data are good ones, among more and fewer bad ones.
void add_layouts(Texts& texts) {
  const Round round = first_round({.sizes = {Iterations(1), Iterations(2), Iterations(3)}}, 8);
  std::string& text = texts["layouts"];
  for (const std::uint32_t step : {1, 26}) {
    for (std::uint32_t spread = 0; spread < 300; spread += 5) {
      std::vector<std::uint32_t> readings;
      for (std::uint32_t i = 0; i < round.size(); ++i) readings.push_back(2000 + i * spread);
      const auto limit = layout_limit(round, readings, ReadingStep(Ticks(step), 5));
      text += limit ? text_of(limit->count()) + '\n' : "none\n";
    }
  }
}

/// The stamps that are chosen on clocks of several steps, where a stamp costs more or less.
void add_stamps(Texts& texts) {
  std::string& text = texts["stamps"];
  for (const double step : {1.0, 26.0, 37.0}) {
    for (const double cost : {3.0, 20.0, 67.0}) {
      const TimeStamps chosen = choose_stamps([&](const TimeStamps& stamps) {
        const double count = stamps.count;
        text += fmt::format(" {}/{}", stamps.count, stamps.spacing);
        return StampTrial{Ticks(180 + cost * (count - 1)),
                          2 + step * step / 6 / (count * (1 + (stamps.spacing * 7) % 5))};
      });
      text += fmt::format(": {}/{}\n", chosen.count, chosen.spacing);
    }
  }
}

/// The verdicts over finely graded estimates, one property after the other.
void add_verdicts(Texts& texts) {
  constexpr int kSteps = 400;
  constexpr double kStep = 0.0005;
  const Evaluation good = {{3, 0.001}, {900, 3}, Steadiness{3, 3, 0.001}, kRatio, 0};
  std::string& own = texts["verdicts/assay"];
  const Settings settings;
  const auto add = [&](const Evaluation& evaluation, double floor) {
    for (const bool can_be_raised : {false, true}) {
      own += text_of(judge_evaluation(evaluation, floor, settings, can_be_raised)) + '\n';
    }
  };
  for (int i = 0; i < kSteps; ++i) {
    const double share = i * kStep;
    add(good, 3 * (0.95 + share));
    Evaluation changed = good;
    changed.slowdown = share;
    add(changed, 0);
    for (const double cycles : {0.02, 3.0}) {
      changed = good;
      changed.estimate = {cycles, share * cycles};
      add(changed, 0);
    }
    changed = good;
    changed.steadiness->first_cycles = 3 * (1 + share);
    add(changed, 0);
  }
  const FixedScale scale{Copies(100), Copies(200), kRatio, 0.0001, Reading(1)};
  for (const FixedRecipe& recipe :
       {uica_recipe(), bhive_recipe(), nanobench_recipe(NanobenchOptions{})}) {
    std::string& text = texts[fmt::format("verdicts/{}", recipe.name)];
    for (int i = 0; i < kSteps; ++i) {
      const double share = i * kStep;
      const auto judged = [&](const FixedEstimate& found, const FixedScale& by, double floor) {
        text += text_of(judge_fixed(recipe, by, found, floor)) + '\n';
      };
      const FixedEstimate found = {{3, 0.001}, {200, 0}, 0.001, 0.001, 0.001};
      judged(found, scale, 3 * (0.95 + share));
      judged({{3, 3 * share}, {200, 0}, 3 * share, share, 0.001}, scale, 0);
      FixedScale coarse = scale;
      coarse.clock_step = Reading(100 * share);
      judged(found, coarse, 0);
    }
  }
}

/// Traces of few accesses, in all distances that matter.
void add_traits(Texts& texts) {
  std::string& text = texts["traits"];
  const auto add = [&](const Trace& trace, const TraceConditions& conditions) {
    const TraceFindings found = analyse(trace, conditions);
    text += to_string(found.traits);
    if (found.intrusion) text += fmt::format(" {}", name(found.intrusion->reason));
    text += '\n';
  };
  const auto access = [](std::size_t index, std::uint64_t address, std::uint64_t size, bool read) {
    return TracedAccess{0, index, address, size, size, read, !read};
  };
  TraceConditions conditions = {
      .pages = 1, .data_tlb_entries = 64, .home = 0x5ec7'2000'0000, .block_size = 16};
  for (std::size_t between = 0; between < 160; ++between) {
    Trace trace;
    trace.accesses.push_back(access(0, 0x1000, 8, false));
    for (std::size_t i = 1; i <= between; ++i) {
      trace.accesses.push_back(access(i, 0x1100, 8, false));
    }
    trace.accesses.push_back(access(between + 1, 0x1004, 8, true));
    add(trace, conditions);
  }
  for (std::uint64_t begin = 0x1f80; begin < 0x2080; begin += 3) {
    for (const std::uint64_t size : {1, 8, 64}) {
      add({{access(0, begin, size, true)}, {}}, conditions);
      add({{access(0, begin, size, true), access(1, begin + 0x2000, size, false)}, {}}, conditions);
    }
  }
  for (const std::uint64_t edge :
       {subject::kBase, subject::kBase + subject::kSpan, conditions.home, conditions.home + 16}) {
    for (std::uint64_t i = 0; i < 16; ++i)
      add({{access(0, edge - 8 + i, 4, true)}, {}}, conditions);
  }
  for (int bit = 0; bit < 16; ++bit) {
    const auto mask = static_cast<std::uint16_t>(1 << bit);
    add({{}, {{static_cast<std::uint32_t>(0x1f80 ^ mask), 0, 0}}}, conditions);
    add({{}, {{0x1f80, mask, 0}}}, conditions);
    add({{}, {{0x1f80, static_cast<std::uint16_t>(mask | 0x40), 0}}}, conditions);
  }
  for (const int pages : {63, 64, 65}) {
    conditions.pages = pages;
    for (const int frames : {1, 2, 3, 8}) {
      conditions.frames = frames;
      add({{access(0, 0x1000, 8, true), access(1, 0x4000, 8, true)}, {}}, conditions);
    }
  }
}

/// What validation makes of counted events.
void add_validation(Texts& texts) {
  std::string& text = texts["validation"];
  const InstructionRange instructions = {100, 110};
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    for (int i = static_cast<int>(Reason::kInstructionCount);
         i <= static_cast<int>(Reason::kBranchMiss); ++i) {
      const auto reason = static_cast<Reason>(i);
      // Visits find kSeveralStates when all events are counted.
      for (int trait = -1; trait < static_cast<int>(Trait::kSeveralStates); ++trait) {
        const Traits traits = trait < 0 ? Traits() : Traits{static_cast<Trait>(trait)};
        for (const double events : {0.0, 0.5, 0.9, 1.0, 1.5, 1.9, 2.0, 99.5, 100.0, 110.0, 110.5}) {
          const Growth growth = {reason, "event", events};
          const auto outcome = validate({&growth, 1}, instructions, traits, notion);
          text += outcome ? text_of(*outcome) : "good";
          text += '\n';
        }
      }
    }
  }
  for_each_plan([&](const Settings&, const Protocol&, const Block& block, const Plan& plan) {
    const InstructionRange added = added_instructions(block, plan);
    text += fmt::format("{} {}\n", added.least, added.most);
  });
}

/// What is known of a block under one plan, taken over to another.
void add_preparations(Texts& texts) {
  std::string& text = texts["preparations"];
  const auto plan = [](Notion notion, std::int64_t a, std::int64_t b, std::int64_t c) {
    return Plan{notion, Copies(1), {Iterations(a), Iterations(b), Iterations(c)}};
  };
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    for (const Plan& other :
         {plan(notion, 20, 30, 40), plan(notion, 30, 35, 40), plan(notion, 20, 40, 80)}) {
      const auto same =
          Preparation{plan(notion, 10, 20, 40), {}, {}, false, {Cycles(130), Cycles(410)}}.under(
              other);
      text += same ? fmt::format("{} {}\n", text_of(same->times.smallest.count()),
                                 text_of(same->times.largest.count()))
                   : "anew\n";
    }
  }
}

/// The limits that are measured on a core where each block takes a time of its own.
void add_measured_limits(Texts& texts) {
  std::string& text = texts["limits"];
  const MachineLimits limits = measure_limits([&](const Block& block, Notion notion) {
    text += fmt::format("{} {:02x}\n", name(notion), fmt::join(block.bytes, ""));
    return 1 + static_cast<double>(block.bytes.size()) / 64;
  });
  for (const double limit : {limits.operations_per_cycle, limits.loads_per_cycle,
                             limits.stores_per_cycle, limits.taken_branches_per_cycle}) {
    text += text_of(limit) + '\n';
  }
}

}  // namespace

void add_judgements(Texts& texts) {
  add_rounds(texts);
  add_layouts(texts);
  add_stamps(texts);
  add_verdicts(texts);
  add_traits(texts);
  add_validation(texts);
  add_preparations(texts);
  add_measured_limits(texts);
}

}  // namespace assay
