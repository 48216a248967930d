#include "tests/profiler/sampling/synthetic_machine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "profiler/sampling/canary.h"
#include "profiler/sampling/layout_limit.h"
#include "profiler/sampling/reference.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr double kTicksPerNanosecond = SyntheticMachine::kGigahertz / SyntheticMachine::kRatio;
constexpr double kOverhead = 84;             // of a run, in core cycles
constexpr double kBetweenRuns = 150;         // in nanoseconds
constexpr double kLongestInterrupt = 7'700;  // in nanoseconds
constexpr double kBetweenSeries = 15'000;    // in nanoseconds: a stop of the subject

}  // namespace

SyntheticMachine::SyntheticMachine(const Conditions& conditions, unsigned seed,
                                   const SizesInCopies& sizes)
    : conditions_(conditions), sizes_{sizes}, common_size_(sizes.back()), random_(seed) {
  begin_block();
  const Visitor& visitor = conditions_.visitor;
  next_change_ = visitor.away.count() > 0 ? exponential(visitor.away)
                                          : std::numeric_limits<double>::infinity();
}

Companions SyntheticMachine::companions(double tolerated_slowdown) const {
  const bool counts_cycles = conditions_.clock.counts_cycles;
  const auto ratio = counts_cycles ? std::optional(CyclesPerReading(1)) : std::nullopt;
  return {reading_step(), Canary(kNopsPerCycle), ClockRatio(ratio), tolerated_slowdown};
}

ReadingStep SyntheticMachine::reading_step() const {
  const Clock& clock = conditions_.clock;
  return clock.counts_cycles ? ReadingStep(Ticks(1)) : ReadingStep(clock.step, clock.stamps);
}

void SyntheticMachine::begin_block() {
  for (double& factor : alignment_factors_) {
    factor = 1 + conditions_.alignment_deviation * normal_(random_);
  }
  // The block's value is the mean over its alignments.
  const double mean = std::accumulate(alignment_factors_.begin(), alignment_factors_.end(), 0.0) /
                      static_cast<double>(alignment_factors_.size());
  for (double& factor : alignment_factors_) factor /= mean;
  block_ += 0x9e37'79b9;  // another one for each block, whatever is drawn besides
  begin_process();
}

void SyntheticMachine::begin_process() { draw_state(Lasts::kProcess); }

std::vector<std::uint32_t> SyntheticMachine::series(const Round& round, int rounds) {
  wait(std::chrono::nanoseconds(static_cast<std::int64_t>(kBetweenSeries)));
  series_factor_ = 1 + conditions_.series_deviation * normal_(random_);
  draw_state(Lasts::kSeries);
  const std::size_t runs = round.size() * static_cast<std::size_t>(rounds);
  std::vector<std::uint32_t> readings;
  std::size_t evicted = 0;
  std::uint32_t returns = 0;
  while (readings.size() < runs) {
    const KernelRun& run = round[readings.size() % round.size()];
    if (run.evict) {
      draw_state(Lasts::kAlignment);
      if (evicted != readings.size()) returns = 0;
      evicted = readings.size();
    }
    draw_state(Lasts::kRun);
    readings.push_back(time_of(run));
    const bool is_slow = run.tells_layout && layout_limit_ &&
                         cycles_per_reading() * Reading(readings.back()) > *layout_limit_;
    if (!is_slow || returns == kMostLayoutRetries) continue;
    ++returns;
    readings.resize(evicted);
  }
  return readings;
}

/// The reading of a run, which takes place now.
std::uint32_t SyntheticMachine::time_of(const KernelRun& run) {
  // What tells the layout is as warm as the runs that count, or nearly so.
  const double cold = run.counts || run.tells_layout ? 1 : 2;
  const double cycles = std::max(cold * nominal_cycles(run) + kOverhead, 0.0);
  if (now_ >= next_wander_) {
    wandered_ = conditions_.wander * normal_(random_);
    next_wander_ = now_ + static_cast<double>(conditions_.wander_time.count());
  }
  double nanoseconds = take(cycles / gigahertz(), slowed_by_visitor(run));
  if (uniform_(random_) < conditions_.interrupted_runs) {
    const double interrupt = kLongestInterrupt * uniform_(random_);
    now_ += interrupt;
    nanoseconds += interrupt;
  }
  const std::uint32_t reading = read(nanoseconds);
  conditions_.frequency *= 1 + conditions_.drift * (nanoseconds + kBetweenRuns) * 1e-9;
  now_ += kBetweenRuns;
  return reading;
}

void SyntheticMachine::meet(const Plan& plan) {
  layout_limit_.reset();
  const Round round = first_round(plan, kAlignments);
  if (const auto limit = layout_limit(round, series(round, 1), reading_step())) {
    layout_limit_ = cycles_per_reading() * *limit;
  }
}

CyclesPerReading SyntheticMachine::cycles_per_reading() const {
  const Clock& clock = conditions_.clock;
  const double cycles_per_tick = gigahertz() / kTicksPerNanosecond;
  return CyclesPerReading(clock.counts_cycles ? 1 : cycles_per_tick / clock.stamps);
}

std::chrono::steady_clock::time_point SyntheticMachine::now() const {
  return std::chrono::steady_clock::time_point(
      std::chrono::nanoseconds(static_cast<std::int64_t>(now_)));
}

void SyntheticMachine::wait(std::chrono::nanoseconds time) {
  take(static_cast<double>(time.count()), 1);
}

double SyntheticMachine::nominal_cycles(const KernelRun& run) const {
  constexpr std::array kReferenceOfSize = {kReferenceSmallCopies, kReferenceLargeCopies};
  constexpr std::array kCanaryOfSize = {kCanarySmallCopies, kCanaryLargeCopies};
  switch (run.code) {
    case Code::kBlock: {
      const Copies all = copies_of(run);
      const double copies = all.real();
      const double slow = std::min(copies, conditions_.slow_copies) * (conditions_.slow_factor - 1);
      return (copies + slow) * conditions_.cycles_per_copy * conditions_.neighbour *
                 series_factor_ * state_factor_ * alignment_factors_.at(run.alignment) *
                 conditions_.lead_factors.at(Plan::lead_at(run.alignment, pass_) - 1) *
                 conditions_.place_factors.at(places_.at(run.alignment) / 8) +
             off_line(all);
    }
    case Code::kReference:
      return kReferenceOfSize.at(run.size).real();
    case Code::kCanary:
      return (kCanaryOfSize.at(run.size) * kCanaryNops).real() / kNopsPerCycle *
             conditions_.neighbour;
  }
  throw Error("a run of code outside its enumeration");
}

Copies SyntheticMachine::copies_of(const KernelRun& run) const {
  if (run.size == kMostSizes) return common_size_;
  return sizes_.at(std::min(run.alignment, sizes_.size() - 1)).at(run.size);
}

/// By how many cycles a run of so many copies is off a straight line.
double SyntheticMachine::off_line(Copies copies) const {
  if (conditions_.size_deviation == 0) return 0;
  std::mt19937 of_size(block_ + static_cast<std::uint32_t>(copies.count()));
  return conditions_.size_deviation * std::normal_distribution<double>()(of_size);
}

double SyntheticMachine::slowed_by_visitor(const KernelRun& run) const {
  switch (run.code) {
    case Code::kBlock:
      return conditions_.visitor.block;
    case Code::kReference:
      return 1;
    case Code::kCanary:
      return conditions_.visitor.canary;
  }
  throw Error("a run of code outside its enumeration");
}

void SyntheticMachine::draw_state(Lasts lasts) {
  const State& state = conditions_.state;
  if (state.lasts != lasts) return;
  state_factor_ = uniform_(random_) < state.share ? state.factor : 1;
}

double SyntheticMachine::gigahertz() const {
  return kGigahertz * conditions_.frequency * (1 + wandered_);
}

/// Lets something run that takes so long where nobody disturbs it, and `slowed` times as long while
/// the visitor is there. Returns how long it took.
double SyntheticMachine::take(double nanoseconds, double slowed) {
  const double start = now_;
  for (;;) {
    const double factor = visited_ ? slowed : 1;
    if (now_ + nanoseconds * factor <= next_change_) break;
    nanoseconds -= (next_change_ - now_) / factor;
    now_ = next_change_;
    visited_ = !visited_;
    next_change_ += exponential(visited_ ? conditions_.visitor.stay : conditions_.visitor.away);
  }
  now_ += nanoseconds * (visited_ ? slowed : 1);
  return now_ - start;
}

std::uint32_t SyntheticMachine::read(double nanoseconds) {
  const Clock& clock = conditions_.clock;
  const double scatter = conditions_.run_deviation * normal_(random_);
  if (clock.counts_cycles) {
    const double cycles = nanoseconds * gigahertz() + scatter;
    return static_cast<std::uint32_t>(std::lround(std::max(cycles, 0.0)));
  }
  const double ticks = std::max(nanoseconds * kTicksPerNanosecond + scatter / kRatio, 0.0);
  const double step = clock.step.count();
  const double phase = step * uniform_(random_);
  const auto read_at = [&](double time) { return std::floor(time / step) * step; };
  double sum = 0;
  for (int i = 0; i < clock.stamps; ++i) {
    // The stamps before the copies come in a row, and so do those behind them.
    const double before = phase + i * clock.distance.count();
    sum += read_at(before + ticks) - read_at(before);
  }
  return static_cast<std::uint32_t>(sum);
}

double SyntheticMachine::exponential(std::chrono::nanoseconds mean) {
  return -std::log(1 - uniform_(random_)) * static_cast<double>(mean.count());
}

}  // namespace assay
