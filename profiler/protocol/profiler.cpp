#include "profiler/protocol/profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "profiler/block/error.h"
#include "profiler/block/text.h"
#include "profiler/machine/identity.h"
#include "profiler/machine/limits.h"
#include "profiler/machine/processor.h"
#include "profiler/protocol/reference.h"

namespace assay {
namespace {

using std::chrono::nanoseconds;
using subject::Fault;

// Kernels lie in the code area one behind the other, each at a line's start. Were each to begin a
// page of its own, their first lines would share a few sets of the first-level instruction cache,
// and some would be missed in some series and not in others.
std::uint64_t next_line(std::uint64_t offset) {
  constexpr std::uint64_t kLine = 64;
  return (offset + kLine - 1) / kLine * kLine;
}

// A series is short against what disturbs a machine, and long against the stop that ends it. Of
// slow blocks it has fewer rounds, so as not to take much longer than this; two are needed for a
// scatter.
constexpr std::uint32_t kRoundsInSeries = 32;
constexpr std::uint32_t kFewestRounds = 2;
constexpr nanoseconds kLongestSeries = std::chrono::milliseconds(5);
// The scatter between series needs a few of them to show.
constexpr int kFewestSeries = 6;
// On a core that stayed disturbed for as long as the settings' patience, the blocks that follow are
// given up soon, until it is undisturbed again.
constexpr nanoseconds kShortPatience = std::chrono::milliseconds(20);

/// `pair`: how long one run of each of the block's kernels takes.
std::uint32_t rounds_in_series(nanoseconds pair) {
  const auto pairs =
      static_cast<std::int64_t>(std::ranges::count(kRound, Slot::kLarge, &Turn::slot));
  const std::int64_t fitting = kLongestSeries / std::max(pairs * pair, nanoseconds(1));
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(fitting, kFewestRounds, kRoundsInSeries));
}

void settle(Measurement& measurement, Reason reason, std::string detail) {
  measurement.verdict = info(reason).verdict;
  measurement.reason = reason;
  measurement.detail = std::move(detail);
}

constexpr std::array<std::string_view, 6> kStageNames = {"decode", "plan",     "prepare",
                                                         "sample", "estimate", "judge"};

void stop_here(Measurement& measurement, Stage stage) {
  settle(measurement, Reason::kStopped,
         fmt::format("after {}", kStageNames.at(static_cast<std::size_t>(stage))));
}

/// "in copy 3 at offset 5 (mov rax, qword ptr [rbx])"; empty for an address outside the copies.
std::string describe_place(const Kernel& kernel, const Block& block, std::uint64_t rip) {
  const auto place = kernel.locate(rip);
  if (!place) return "";
  const auto found = std::ranges::find(block.instructions, place->offset, &Instruction::offset);
  std::string text;
  if (found != block.instructions.end()) {
    const auto first = block.bytes.begin() + static_cast<std::ptrdiff_t>(found->offset);
    text = fmt::format(" ({})",
                       text_of(Bytes(first, first + static_cast<std::ptrdiff_t>(found->length))));
  }
  return fmt::format("in copy {} at offset {}{}", place->copy + 1, place->offset, text);
}

}  // namespace

std::optional<Stage> stage_named(std::string_view name) {
  const auto found = std::ranges::find(kStageNames, name);
  if (found == kStageNames.end()) return std::nullopt;
  return static_cast<Stage>(found - kStageNames.begin());
}

Profiler::Profiler(const Settings& settings, int processor)
    : settings_(settings), state_(bhive_initial_state()), cache_size_(instruction_cache_size()) {
  pin_to_processor(processor);
  // Pinned first: on hybrid machines the answer depends on the core.
  limits_ = limits_of(identify_machine().microarchitecture);
  if (limits_) canary_ = Canary(limits_->additions_per_cycle);
  clock_ = probe_tsc();
  add_companion(reference_chain(), kReferenceSmallCopies);
  add_companion(reference_chain(), kReferenceLargeCopies);
  add_companion(canary_block(), kCanarySmallCopies);
  add_companion(canary_block(), kCanaryLargeCopies);
  start_subject();
  if (!limits_) learn_canary();
}

/// What the canary does on this core, before anything is judged by it.
void Profiler::learn_canary() {
  constexpr auto kTime = std::chrono::milliseconds(100);
  const Kernels canaries{{companions_[2], companions_[3]}, false};
  Estimator estimator(Estimator::Sizes{}, canary_, settings_.round_slowdown);
  const auto end = std::chrono::steady_clock::now() + kTime;
  bool clean = false;
  while (std::chrono::steady_clock::now() < end) {
    sample_once(canaries, kRoundsInSeries, estimator, clean);
  }
}

void Profiler::add_companion(const Block& block, std::int64_t copies) {
  auto kernel =
      std::get<Kernel>(unroll(block, std::array{copies}, state_, subject::kCode + block_offset_));
  block_offset_ = next_line(block_offset_ + kernel.code.size());
  companions_.push_back(std::move(kernel));
}

void Profiler::start_subject() {
  replace_subject_ = false;
  subject_.reset();
  subject_ = std::make_unique<subject::Subject>();
  for (const Kernel& kernel : companions_) {
    subject_->load_code(kernel.start - subject::kCode, kernel.code);
  }
  ++subjects_started_;
}

Measurement Profiler::measure(const Bytes& bytes, Stage last) {
  const auto decoded = decode(bytes);
  if (const auto* refusal = std::get_if<Refusal>(&decoded)) {
    Measurement measurement;
    settle(measurement, refusal->reason, refusal->detail);
    measurement.instructions = static_cast<std::int64_t>(refusal->instructions);
    return measurement;
  }
  const Block& block = std::get<Block>(decoded);
  if (replace_subject_) start_subject();
  Measurement measurement = attempt(block, last);
  if (measurement.reason == Reason::kSubjectDamaged) {
    // Somebody else may have ended it (a user, the system short of memory): only a second time,
    // in a new one, is it the block's doing.
    start_subject();
    measurement = attempt(block, last);
    if (measurement.reason == Reason::kSubjectDamaged) start_subject();
  }
  return measurement;
}

Measurement Profiler::attempt(const Block& block, Stage last) {
  Measurement measurement;
  stop_here(measurement, last);
  measurement.instructions = static_cast<std::int64_t>(block.instructions.size());
  if (last == Stage::kDecode) return measurement;

  const auto planned = make_plan(block, settings_, cache_size_);
  if (const auto* refusal = std::get_if<Refusal>(&planned)) {
    settle(measurement, refusal->reason, refusal->detail);
    return measurement;
  }
  const Plan plan = std::get<Plan>(planned);
  measurement.copies = plan.small_copies;
  if (last == Stage::kPlan) return measurement;

  Kernels kernels;
  if (const auto refusal = load(block, plan, kernels)) {
    settle(measurement, refusal->reason, refusal->detail);
    return measurement;
  }
  const auto settle_fault = [&](const Fault& fault) {
    std::string place = describe_place(kernels.by_slot[1], block, fault.registers.rip);
    if (place.empty()) place = describe_place(kernels.by_slot[0], block, fault.registers.rip);
    const char* separator = place.empty() || fault.detail.empty() ? "" : ": ";
    settle(measurement, fault.reason, place + separator + fault.detail);
    measurement.pages = subject_->pages();
  };
  nanoseconds pair{};
  if (const auto fault = prepare(kernels, pair)) {
    settle_fault(*fault);
    return measurement;
  }
  measurement.pages = subject_->pages();
  if (last == Stage::kPrepare) return measurement;

  Estimator estimator(
      {static_cast<double>(plan.large_copies - plan.small_copies),
       static_cast<double>(kReferenceLargeCopies - kReferenceSmallCopies),
       static_cast<double>(kReferenceSmallCopies),
       static_cast<double>(kCanaryAdditions * (kCanaryLargeCopies - kCanarySmallCopies)),
       static_cast<double>(kCanaryAdditions * (kCanaryLargeCopies + kCanarySmallCopies)),
       clock_.granularity},
      canary_, settings_.round_slowdown);
  if (const auto fault = sample(kernels, pair, estimator)) {
    settle_fault(*fault);
    return measurement;
  }
  measurement.pages = subject_->pages();
  if (last == Stage::kSample) return measurement;

  conclude(block, estimator, measurement, last);
  return measurement;
}

void Profiler::conclude(const Block& block, const Estimator& estimator, Measurement& measurement,
                        Stage last) {
  if (estimator.series() < kFewestSeries) {  // only an exhausted patience ends sampling so early
    settle(measurement, Reason::kInterference,
           fmt::format("{} undisturbed series of {}", estimator.series(), kFewestSeries));
    return;
  }
  measurement.estimate = estimator.estimate();
  core_cycles_per_tick_ = estimator.core_cycles_per_tick();
  if (last != Stage::kJudge) return;
  const double floor = limits_ ? floor_of(block.demand, *limits_) : 0;
  judge(measurement, {estimator.slowdown(), floor}, settings_);
}

std::optional<Refusal> Profiler::load(const Block& block, const Plan& plan, Kernels& kernels) {
  kernels.write_memory = block.writes_memory;
  const std::array sizes = {plan.small_copies, plan.large_copies};
  std::uint64_t offset = block_offset_;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    auto made = unroll(block, std::array{sizes[i]}, state_, subject::kCode + offset);
    if (auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
    kernels.by_slot[i] = std::get<Kernel>(std::move(made));
    subject_->load_code(offset, kernels.by_slot[i].code);
    offset = next_line(offset + kernels.by_slot[i].code.size());
  }
  return std::nullopt;
}

subject::SeriesResult Profiler::run(std::span<const std::uint64_t> entries, std::uint32_t rounds,
                                    std::uint32_t refill_mask) {
  return subject_->run(
      {entries, rounds, refill_mask, state_.memory_word, state_.segment_base, phase_mask()},
      {settings_.page_limit, settings_.time_limit});
}

/// Delays of up to three steps of the clock, in turns of at most a core cycle each; a core cycle is
/// never longer than four ticks.
std::uint32_t Profiler::phase_mask() const {
  constexpr std::uint32_t kLeast = 128;
  return std::bit_ceil(std::max(kLeast, 12 * clock_.granularity)) - 1;
}

/// Runs both kernels until they run without missing a page; `pair` is how long they took together.
std::optional<Fault> Profiler::prepare(const Kernels& kernels, nanoseconds& pair) {
  subject_->unmap_all();
  const std::array entries = {kernels.by_slot[1].entries[0], kernels.by_slot[0].entries[0]};
  for (;;) {  // every turn but the last maps pages, of which there is a limit
    const auto start = std::chrono::steady_clock::now();
    const auto result = run(entries, 1, ~0U);
    if (result.fault) return result.fault;
    pair = std::chrono::steady_clock::now() - start;
    if (result.pages_mapped == 0) return std::nullopt;
  }
}

/// Runs series until enough of them were undisturbed, or the budget or the patience is spent.
std::optional<Fault> Profiler::sample(const Kernels& kernels, nanoseconds pair,
                                      Estimator& estimator) {
  const std::uint32_t rounds = rounds_in_series(pair);
  nanoseconds spent{};
  nanoseconds waited{};
  const nanoseconds patience = patient_ ? nanoseconds(settings_.patience) : kShortPatience;
  while (waited < patience && !enough(estimator)) {
    if (spent >= settings_.sampling_budget && estimator.series() >= kFewestSeries) break;
    bool clean = false;
    const auto start = std::chrono::steady_clock::now();
    if (auto fault = sample_once(kernels, rounds, estimator, clean)) return fault;
    (clean ? spent : waited) += std::chrono::steady_clock::now() - start;
    if (clean) patient_ = true;
  }
  if (waited >= patience && patient_) {
    patient_ = false;
    // It may be the process and not a neighbour: one whose code lies badly in the caches stays
    // slow.
    replace_subject_ = true;
  }
  return std::nullopt;
}

bool Profiler::enough(const Estimator& estimator) const {
  return estimator.series() >= kFewestSeries && estimator.slowdown() <= settings_.accept_slowdown &&
         is_narrow(estimator.estimate(), settings_.target_relative, settings_.target_cycles);
}

std::optional<Fault> Profiler::sample_once(const Kernels& kernels, std::uint32_t rounds,
                                           Estimator& estimator, bool& clean) {
  std::array<std::uint64_t, std::size(kRound)> entries{};
  std::uint32_t refill_mask = 0;
  for (std::size_t i = 0; i < std::size(kRound); ++i) {
    const auto slot = static_cast<std::size_t>(kRound[i].slot);
    const bool companion = slot >= kBlockSlots;
    entries[i] =
        companion ? companions_[slot - kBlockSlots].entries[0] : kernels.by_slot[slot].entries[0];
    if (!companion && kernels.write_memory) refill_mask |= 1U << i;
  }
  for (;;) {  // a block may touch a page that it did not touch before: bounded by the page limit
    const auto result = run(entries, rounds, refill_mask);
    if (result.fault) return result.fault;
    if (result.pages_mapped > 0) continue;
    clean = estimator.add_series(result.readings);
    ++series_;
    if (!clean) ++disturbed_series_;
    return std::nullopt;
  }
}

bool is_narrow(const Estimate& estimate, double relative, double cycles) {
  return estimate.half_width <= std::max(relative * estimate.cycles, cycles);
}

void judge(Measurement& measurement, const Circumstances& circumstances, const Settings& settings) {
  const Estimate& estimate = measurement.estimate.value();
  if (!(circumstances.slowdown <= settings.accept_slowdown)) {
    settle(measurement, Reason::kInterference,
           fmt::format("the canary was {:.1f} % slower than on an undisturbed core",
                       100 * circumstances.slowdown));
    return;
  }
  constexpr double kMargin = 0.01;
  if (circumstances.floor > 0 &&
      estimate.cycles + estimate.half_width < (1 - kMargin) * circumstances.floor) {
    settle(measurement, Reason::kBelowLimit,
           fmt::format("{:.3f} +- {:.3f} cycles, and at least {:.3f} are needed", estimate.cycles,
                       estimate.half_width, circumstances.floor));
    return;
  }
  // A comparison with a value that is not a number is false: such an estimate is unstable too.
  const bool sure = estimate.cycles > estimate.half_width &&
                    is_narrow(estimate, settings.accept_relative, settings.accept_cycles);
  if (sure) {
    settle(measurement, Reason::kNone, "");
  } else {
    settle(measurement, Reason::kUnstable,
           fmt::format("{:.3f} +- {:.3f} cycles after {} runs", estimate.cycles,
                       estimate.half_width, estimate.runs));
  }
}

}  // namespace assay
