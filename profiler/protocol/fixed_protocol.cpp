#include "profiler/protocol/fixed_protocol.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"assay", "uica", "bhive", "nanobench"};

// The first run behind other code takes up to twice as long as those that follow (interleaved_round
// in sample.h). The tools do without as many because nothing else runs between two of their runs.
constexpr int kWarmUps = 2;

constexpr std::string_view kUseAssay =
    "the protocol assay averages over the phases of the clock's step";

/// Abel and Reineke, "uiCA: Accurate Throughput Prediction of Basic Blocks on Recent Intel
/// Microarchitectures", ICS 2022, on how they measured BHive's blocks anew: r copies make 500
/// instructions; 100 runs; the highest and the lowest fifth of them left out; the median; blocks
/// whose readings differ by more than 0.02 cycles left out. Here the readings are those of one
/// size, divided by r.
FixedProtocol uica() {
  FixedProtocol protocol;
  protocol.name = "uica";
  protocol.target_instructions = 500;
  protocol.warm_ups = kWarmUps;
  protocol.runs = 100;
  protocol.trim = 0.2;
  protocol.aggregate = Aggregate::kMedian;
  protocol.stability = StabilityRule::kSpread;
  protocol.bound = 0.02;
  protocol.advice = kUseAssay;
  return protocol;
}

/// Chen et al., "BHive: A Benchmark Suite and Measurement Framework for Validating x86-64 Basic
/// Block Performance Models", IISWC 2019, and its profiler: blocks are run 100 and 200 times (its
/// README), larger ones 50 and 100 or 16 and 32 times, so that the copies fit the first-level
/// instruction cache; 16 runs of each (HARNESS_ITERS in its harness.h); the minimum. Its sources
/// leave open where one pair ends and the next begins: the caller of the profiler chooses.
FixedProtocol bhive() {
  FixedProtocol protocol;
  protocol.name = "bhive";
  protocol.copies = {100, 50, 16};
  protocol.warm_ups = kWarmUps;
  protocol.runs = 16;
  protocol.repetitions = 5;
  protocol.aggregate = Aggregate::kMinimum;
  protocol.stability = StabilityRule::kVariation;
  protocol.bound = 0.1;
  protocol.advice = kUseAssay;
  return protocol;
}

/// Abel and Reineke, "nanoBench: A Low-Overhead Tool for Running Microbenchmarks on x86 Systems",
/// ISPASS 2020, and its README. Its average leaves out the highest and the lowest fifth. It prints
/// two decimals, and judges nothing.
FixedProtocol nanobench(const NanobenchOptions& options) {
  FixedProtocol protocol;
  protocol.name = "nanobench";
  protocol.copies = {options.unroll};
  protocol.turns = options.loop;
  protocol.warm_ups = options.warm_up;
  protocol.runs = options.runs;
  protocol.trim = options.aggregate == Aggregate::kMean ? 0.2 : 0;
  protocol.aggregate = options.aggregate;
  protocol.bound = 0.01;
  protocol.advice = "more copies, by --unroll or --loop, resolve more";
  return protocol;
}

/// The candidates for the smaller number of copies.
std::vector<std::int64_t> candidates(const FixedProtocol& protocol, std::int64_t instructions) {
  if (protocol.target_instructions == 0) return protocol.copies;
  return {copies_making(protocol.target_instructions, instructions)};
}

}  // namespace

std::span<const std::string_view> protocol_names() { return kNames; }

std::optional<FixedProtocol> fixed_protocol(const Settings& settings) {
  if (settings.protocol == "assay") return std::nullopt;
  if (settings.protocol == "uica") return uica();
  if (settings.protocol == "bhive") return bhive();
  if (settings.protocol == "nanobench") return nanobench(settings.nanobench);
  throw InputError(fmt::format("no protocol '{}'; there are: {}", settings.protocol,
                               fmt::join(protocol_names(), ", ")));
}

Settings default_settings(std::string_view protocol) {
  Settings settings;
  settings.protocol = protocol;
  if (protocol == "bhive") {
    settings.initial_state = "bhive";
    settings.state_overrides.frames = 1;
    settings.reject.add(Trait::kSplitLine);
  }
  return settings;
}

std::variant<Plan, Outcome> plan_fixed(const FixedProtocol& protocol, const Block& block,
                                       Notion notion, const Settings& settings,
                                       std::size_t cache_size) {
  const auto instructions = static_cast<std::int64_t>(block.instructions.size());
  const auto choices = candidates(protocol, instructions);
  Plan plan;
  if (notion == Notion::kLooped) {
    plan.notion = Notion::kLooped;
    const bool own_loop = protocol.turns > 0;
    const std::int64_t turns = own_loop ? protocol.turns : choices.front();
    plan.body_copies =
        own_loop ? choices.front()
                 : copies_making(std::max(settings.loop_min_instructions, 1), instructions);
    plan.sizes = {turns, 2 * turns};
    if (auto refusal = no_room(block, plan.body_copies, cache_size)) return *refusal;
    return plan;
  }
  for (const std::int64_t copies : choices) {
    if (no_room(block, 2 * copies, cache_size)) continue;
    plan.sizes = {copies, 2 * copies};
    return plan;
  }
  return no_room(block, 2 * choices.back(), cache_size).value();
}

}  // namespace assay
