#include <gmock/gmock.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/kernel.h"
#include "profiler/codegen/traced_kernel.h"
#include "profiler/counting/event_tally.h"
#include "profiler/machine/features.h"
#include "profiler/machine/limits.h"
#include "profiler/measurement/settings.h"
#include "profiler/protocol/protocols.h"
#include "profiler/sampling/canary.h"
#include "profiler/sampling/reference.h"
#include "profiler/sampling/sampler.h"
#include "profiler/subject/layout.h"
#include "tests/profiler/protocol/revision_texts.h"

// A campaign is identified by its settings, whose `revision` stands for how a value comes about:
// which code is run, at which sizes, and how its readings become a value. The parts of this that
// can be computed without a machine are computed here for fixed blocks and made-up readings, and
// their digests must be those that revisions.txt records for the revision.

namespace assay {
namespace {

using assay::text_of;
using std::chrono::steady_clock;

/// Begins the names of parts that are sources. Such a part may change without changing a value, so
/// that it may have several digests under one revision: each line says that someone made sure.
constexpr std::string_view kSource = "source/";
constexpr std::string_view kRecord = ASSAY_SOURCE_FOLDER "/tests/profiler/protocol/revisions.txt";

/// The digest of a text: FNV-1a with 64 bits (Fowler, Noll and Vo), which is enough since nobody
/// attacks it.
std::uint64_t digest(std::string_view text) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const char character : text) {
    hash = (hash ^ static_cast<unsigned char>(character)) * 0x100'0000'01b3;
  }
  return hash;
}

std::string text_of(const Bytes& code) { return fmt::format("{:02x}", fmt::join(code, "")); }

std::string text_of(const std::variant<Kernel, Outcome>& made) {
  if (const auto* const outcome = std::get_if<Outcome>(&made)) return text_of(*outcome);
  const Kernel& kernel = std::get<Kernel>(made);
  return fmt::format("{} {::x}", text_of(kernel.code), kernel.entries);
}

/// Adds for each initial state the kernels of all blocks as they are on a machine with the vector
/// registers of `set`: set-up code clears those that there are.
void add_kernels(std::string_view set, Texts& texts) {
  const std::vector<std::uint32_t> counters = {0, 1, 0x4000'0001};
  const std::array<Reads, 4> all_reads = {Reads{}, Reads{TimeStamps{1, 0}}, Reads{TimeStamps{5, 3}},
                                          Reads{counters}};
  constexpr std::array<Iterations, 4> kSizes = {Iterations(0), Iterations(3), Iterations(6),
                                                Iterations(12)};
  std::string text;
  const auto add = [&](const Block& block, const InitialState& state) {
    for (const Reads& reads : all_reads) {
      text += text_of(unroll(block, kSizes, state, subject::kCode, reads)) + '\n';
      text += text_of(unroll(block, kSizes, state, subject::kCode, reads, true)) + '\n';
      text += text_of(loop(block, Copies(2), kSizes, state, subject::kCode + 0x4000, reads)) + '\n';
    }
    const auto traced = trace_kernel(block, state, subject::kCode);
    const auto* const kernel = std::get_if<TracedKernel>(&traced);
    text += (kernel != nullptr ? text_of(kernel->code) : text_of(std::get<Outcome>(traced))) + '\n';
  };
  for (const std::string_view name : initial_state_names()) {
    InitialState state = *initial_state_named(name);
    text.clear();
    for (const std::string_view hex : kBlocks) {
      const auto block = fixed_block(hex);
      if (const auto* const decoded = std::get_if<Block>(&block)) add(*decoded, state);
    }
    add(reference_chain(), state);
    for (const int nop_bytes : {3, 4, 5, 6}) add(canary_block(nop_bytes), state);
    state.code = bytes_from_hex("48c7c007000000");  // mov rax, 7
    add(reference_chain(), state);
    texts[fmt::format("kernels/{}/{}", set, name)] = text;
  }
}

std::string text_of(const Plan& plan) {
  std::string text = fmt::format("{} {}:", name(plan.notion), plan.body.count());
  for (const Iterations& size : plan.sizes) text += fmt::format(" {}", size.count());
  if (plan.first_stores == FirstStores::kMayBeHeld) text += " may be held";
  if (plan.first_stores == FirstStores::kHeld) text += " held";
  return text + fmt::format(" -{} x{}", plan.stagger.count(), plan.warm_ups);
}

/// Adds the plans of all blocks by a CPU with the present features.
void add_plans_here(Texts& texts) {
  for_each_block([&](const Settings& settings, const Protocol& protocol, const Block& block,
                     Notion notion) {
    std::string& text = texts["plans/" + settings.protocol];
    const auto planned = protocol.plan(block, notion);
    const auto* const plan = std::get_if<Plan>(&planned);
    text += fmt::format("{} {} ", protocol.alignments(), protocol.reads_clock_once());
    if (plan == nullptr) {
      text += text_of(std::get<Outcome>(planned)) + '\n';
      return;
    }
    text += text_of(*plan);
    std::optional<Plan> larger = protocol.longer(*plan);
    for (; larger; larger = protocol.raised(*larger, Reason::kNoSteadyState)) {
      text += "; " + text_of(*larger);
    }
    for (const Reason reason : {Reason::kNoSteadyState, Reason::kBelowLimit, Reason::kUnstable}) {
      if (const auto raised = protocol.raised(*plan, reason)) text += ", " + text_of(*raised);
    }
    text += '\n';
    if (settings.protocol != "assay") return;
    for (const MachineLimits& limits : all_limits()) {
      texts[fmt::format("floors/{}", limits.microarchitecture)] +=
          text_of(floor_of(*plan, block, limits)) + '\n';
    }
  });
}

void add_plans(Texts& texts) {
  for (const Features& features : {AssumedFeatures::near_jumps(), AssumedFeatures::far_jumps(),
                                   AssumedFeatures::micro_op_cache(), AssumedFeatures::drained()}) {
    const AssumedFeatures assumed(features);
    add_plans_here(texts);
  }
}

/// Gives readings of a made-up core at 1.42 cycles a tick, whose clock steps by 26 ticks. Its
/// numbers are computed from integers with single roundings, so that they are the same with every
/// compiler.
class MadeUpCore {
 public:
  /// `step`: step of the clock, in ticks. `cycles`: cycles of a copy. `slow_start`: number of
  /// copies at the start of a run that take three times as long.
  MadeUpCore(const Plan& plan, std::uint32_t step, double cycles, double slow_start)
      : plan_(plan), step_(step), cycles_(cycles), slow_start_(slow_start) {}

  std::span<const std::uint32_t> series(const SeriesPlan& series) {
    readings_.clear();
    pass_ = series.pass;
    for (std::uint32_t round = 0; round < series.rounds; ++round) {
      for (const KernelRun& run : series.round) readings_.push_back(read(run));
    }
    return readings_;
  }

 private:
  /// A random number below `below`, from the upper bits of a linear congruential generator (Knuth's
  /// MMIX).
  std::uint32_t random(std::uint32_t below) {
    state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return static_cast<std::uint32_t>((state_ >> 33U) % below);
  }

  double cycles_of(const KernelRun& run) const {
    const bool large = run.size > 0;
    switch (run.code) {
      case Code::kReference:
        return (large ? kReferenceLargeCopies : kReferenceSmallCopies).real();
      case Code::kCanary:
        return (large ? kCanaryLargeCopies : kCanarySmallCopies).real() * kCanaryNops / 4;
      case Code::kBlock:
        break;
    }
    const double copies = plan_.copies_at(run.alignment, run.size, pass_).real();
    return (copies + 2 * std::min(copies, slow_start_)) * cycles_;
  }

  std::uint32_t read(const KernelRun& run) {
    constexpr double kOverhead = 84;
    auto ticks = static_cast<std::uint32_t>((cycles_of(run) + kOverhead) / 1.42);
    if (!run.counts) ticks += ticks / 4;
    ticks += random(10) + random(10);
    if (random(50) == 0) ticks += random(9000);  // an interrupt
    if (random(20) == 0) ticks += random(200);   // about as far out as is still kept
    return (ticks + random(step_)) / step_ * step_;
  }

  const Plan& plan_;
  std::uint32_t step_;
  double cycles_;
  double slow_start_;
  std::uint32_t pass_ = 0;
  std::uint64_t state_ = 20'261'122;
  std::vector<std::uint32_t> readings_;
};

std::string text_of(const SeriesPoint& point) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {}", name(point.fate), point.alignment,
                     text_of(point.cycles), text_of(point.variance), text_of(point.first_cycles),
                     text_of(point.cycles_per_nop), text_of(point.ratio.value()), point.kept,
                     point.dropped, point.retried);
}

std::string text_of(const Evaluation& evaluation) {
  return fmt::format("{} +- {}, {} runs, {} dropped, slowdown {}",
                     text_of(evaluation.estimate.cycles), text_of(evaluation.estimate.half_width),
                     evaluation.timed.runs, evaluation.timed.dropped, text_of(evaluation.slowdown));
}

/// Shows the companions an undisturbed core, as is done before any block is measured.
void calibrate(Companions& companions, std::uint32_t step) {
  const Plan plan{Notion::kUnrolled, Copies(1), {Iterations(1), Iterations(2), Iterations(4)}};
  MadeUpCore core(plan, step, 1, 0);
  const SeriesPlan series = calibration_series(ReadMethod::kTsc);
  for (int i = 0; i < 20; ++i) {
    companions.judge(samples_of(series.round, core.series(series)), false);
  }
}

std::string sampled(const Settings& settings, const Protocol& protocol, const Plan& plan,
                    std::uint32_t step, double cycles, double slow_start, double floor) {
  constexpr auto kTimeOfSeries = std::chrono::microseconds(100);
  Companions companions(ReadingStep(Ticks(step)), Canary(std::nullopt), ClockRatio(),
                        settings.series_slowdown);
  const RunTimes times{Cycles(plan.fewest_copies().real() * cycles),
                       Cycles(plan.most_copies().real() * cycles)};
  calibrate(companions, step);
  MadeUpCore core(plan, step, cycles, slow_start);
  const auto sampling = protocol.sampling({plan, times, ReadMethod::kTsc, floor}, companions, 1);
  steady_clock::time_point now{};
  int count = 0;
  const SamplingResult result =
      sample(*sampling,
             {[&] {
                now += kTimeOfSeries;
                const bool preempted = ++count % 7 == 3;
                return SampledSeries{std::nullopt, core.series(sampling->series()), preempted};
              },
              [&] { return now; }, [](std::chrono::nanoseconds) {}},
             settings.visit_patience);
  std::string text = fmt::format("{} {}\n", static_cast<int>(result.end), count);
  for (const SeriesPoint& point : sampling->points()) text += text_of(point) + '\n';
  const auto evaluation = sampling->evaluate();
  if (!evaluation) return text + text_of(sampling->judge_too_few()) + '\n';
  return text + text_of(*evaluation) + '\n' + text_of(sampling->judge(*evaluation)) + '\n';
}

void add_estimates(Texts& texts) {
  for_each_plan(
      [&](const Settings& settings, const Protocol& protocol, const Block&, const Plan& plan) {
        for (const double cycles : {0.25, 3.0, 41.7}) {
          for (const double slow_start : {0.0, 300.0}) {
            for (const std::uint32_t step : {1, 26}) {
              for (const double floor : {0.0, cycles / 2, 1.02 * cycles, 1.1 * cycles}) {
                texts["estimates/" + settings.protocol] +=
                    sampled(settings, protocol, plan, step, cycles, slow_start, floor);
              }
            }
          }
        }
      });
}

std::string event_counts() {
  const Round round = counting_round(4);
  std::string text;
  for (const ReadMethod method : {ReadMethod::kRdpmc, ReadMethod::kAround}) {
    EventTally tally({"cycles", "instructions"}, method, Copies(300), 1);
    for (std::uint32_t series = 0; series < 9; ++series) {
      std::vector<std::uint32_t> readings;
      for (std::size_t run = 0; run < round.size(); ++run) {
        const auto size = static_cast<std::uint32_t>(round[run].size);
        readings.push_back(500 + 650 * size + 13 * series);
        readings.push_back(40 + 300 * size + (series + static_cast<std::uint32_t>(run)) % 3);
      }
      tally.add_series(round, readings);
    }
    for (const EventCount& count : tally.counts()) {
      text += fmt::format("{} {} {} {} {} {}\n", count.name, text_of(count.per_copy),
                          text_of(count.half_width), text_of(count.overhead), count.pass,
                          text_of(tally.growth(0)));
    }
  }
  return text;
}

/// The text of a file without comments, and with a single blank in place of several.
std::string tokens_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  std::string tokens;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest.starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (rest.starts_with("/*")) {
      i = std::min(text.find("*/", i), text.size() - 2) + 2;
    } else if (std::string_view(" \t\n").find(text[i]) != std::string_view::npos) {
      if (!tokens.empty() && tokens.back() != ' ') tokens += ' ';
      ++i;
    } else {
      tokens += text[i++];
    }
  }
  return tokens;
}

/// The sources of what only shows its effect with a subject, on a real core: the program that runs
/// kernels inside it, whose code surrounds every timed run, and the files that prepare and time
/// runs.
void add_sources(Texts& texts) {
  const std::filesystem::path profiler = ASSAY_SOURCE_FOLDER "/profiler";
  texts["subject"] = tokens_of(profiler / "subject/program/program.cpp") +
                     tokens_of(profiler / "subject/program/program.S") +
                     tokens_of(profiler / "subject/layout.h");
  for (const char* const file :
       {"counting/event_counting", "counting/pass_counting", "protocol/assay_protocol",
        "protocol/block_trials", "protocol/calibration", "protocol/initial_states",
        "protocol/preparation", "protocol/profiler", "protocol/trial", "protocol/visits",
        "protocol/control", "running/code_pages", "running/loaded_block", "running/workbench",
        "machine/features", "subject/subject_pages"}) {
    texts[fmt::format("{}{}", kSource, file)] = tokens_of(profiler / fmt::format("{}.cpp", file));
  }
}

Texts computed() {
  Texts texts = {{"events", event_counts()}};
  add_sources(texts);
  add_plans(texts);
  add_estimates(texts);
  add_judgements(texts);
  const Features here = features();
  for (const auto& [set, assumed] : std::initializer_list<std::pair<const char*, Features>>{
           {"sse", {.avx = false}},
           {"avx", {.avx = true}},
           {"avx512", {.avx = true, .avx512 = true}},
           {"far", {.avx = true, .avx512 = true, .code_segment = 0x33}},
           {"drained", {.avx = true, .avx512 = true, .returns_drain = true}}}) {
    assume_features(assumed);
    add_kernels(set, texts);
  }
  assume_features(here);
  return texts;
}

/// The recorded digests of each revision, by part. Only a source may have several.
std::map<int, std::map<std::string, std::set<std::string>>> recorded() {
  std::map<int, std::map<std::string, std::set<std::string>>> revisions;
  std::ifstream file{std::string(kRecord)};
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words(line);
    int revision = 0;
    std::string part;
    std::string value;
    words >> revision >> part >> value;
    EXPECT_TRUE(words) << kRecord << ": " << line;
    std::set<std::string>& values = revisions[revision][part];
    EXPECT_TRUE(values.insert(value).second && (values.size() == 1 || part.starts_with(kSource)))
        << kRecord << ", twice: " << line;
  }
  return revisions;
}

/// Leaves the text of a part where it can be compared with that of another commit.
std::string kept_text(const std::string& part, const std::string& text) {
  std::string name = "revision-" + part;
  std::ranges::replace(name, '/', '-');
  const std::string path = testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

TEST(Revision, IsRaisedWithEveryChangeOfHowAValueComesAbout) {
  auto revisions = recorded();
  ASSERT_FALSE(revisions.empty()) << kRecord;
  const int current = Settings{}.revision;
  EXPECT_EQ(revisions.rbegin()->first, current) << "the latest in " << kRecord;
  const Texts texts = computed();
  for (const auto& [part, values] : revisions[current]) {
    EXPECT_TRUE(texts.contains(part)) << "The part " << part << " of revision " << current
                                      << " is not computed any more, so that nothing guards it.";
  }
  for (const auto& [part, text] : texts) {
    const std::string now = fmt::format("{:016x}", digest(text));
    const std::set<std::string>& before = revisions[current][part];
    if (before.contains(now)) continue;
    if (before.empty()) {
      ADD_FAILURE() << "Record this part, which is new, in " << kRecord << ":\n"
                    << current << ' ' << part << ' ' << now;
      continue;
    }
    const std::string compare =
        "\nIts text, to compare with that of the commit before, is in " + kept_text(part, text);
    if (part.starts_with(kSource)) {
      ADD_FAILURE() << "The source " << part << " is not what revision " << current
                    << " recorded. If values may come about in another way, raise "
                    << "Settings::revision and record every part under the new number in "
                    << kRecord << ". If they surely cannot, add this line:\n"
                    << current << ' ' << part << ' ' << now << compare;
      continue;
    }
    ADD_FAILURE() << "The part " << part << " is not what revision " << current
                  << " recorded: values come about in another way. Undo that, or raise "
                  << "Settings::revision and record every part under the new number in " << kRecord
                  << ", this one as:\n"
                  << current + 1 << ' ' << part << ' ' << now << compare;
  }
}

}  // namespace
}  // namespace assay
