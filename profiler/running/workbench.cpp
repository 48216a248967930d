#include "profiler/running/workbench.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

#include "profiler/running/code_pages.h"
#include "profiler/sampling/layout_limit.h"
#include "profiler/sampling/reference.h"
#include "profiler/sampling/samples.h"
#include "profiler/support/cache_line.h"
#include "profiler/support/error.h"
#include "profiler/support/rounding.h"

namespace assay {
namespace {

// An index that no counter's page ever shows: the first series finds out where the counters are.
constexpr std::uint32_t kUnknownIndex = ~0U;

/// Stops the counters. Unless their counts are needed, it does not matter if they have none to give
/// (the series ended in a fault, say); but they must stop.
std::vector<std::uint64_t> stop(CounterGroup& counters, bool needed) {
  try {
    return counters.stop();
  } catch (const CounterError&) {
    if (needed) throw;
    return {};
  }
}

std::uint32_t rounded(Reading reading) {
  return static_cast<std::uint32_t>(std::lround(std::max(reading.count(), 0.0)));
}

}  // namespace

Workbench::Workbench(const Clock& clock, Counting counting)
    : clock_(clock), counting_(std::move(counting)) {
  start_subject();
  if (group(0).method() == ReadMethod::kTsc && !counting_.single_stamps) {
    stamps_ = choose_stamps([this](const TimeStamps& stamps) { return try_stamps(stamps); });
  }
  choose_code_pages();
}

Reads Workbench::reads(std::size_t number) const {
  if (group(number).method() == ReadMethod::kTsc) return stamps_;
  return CounterIndices(groups_.at(number).reads);
}

/// Tries a way to read time stamps on chains of additions, at lengths that differ by fractions of
/// any clock's step.
StampTrial Workbench::try_stamps(const TimeStamps& stamps) {
  constexpr std::int64_t kShortest = 256;
  constexpr std::int64_t kStep = 5;
  std::array<Iterations, 8> lengths;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    lengths[i] = Iterations(kShortest + static_cast<std::int64_t>(i) * kStep);
  }
  constexpr std::uint32_t kRounds =
      5;                            // the first one warms up: new code takes another time (Zen 5)
  constexpr std::size_t kRuns = 5;  // in a row, as those of a block; the first one warms up
  const InitialState state = bhive_initial_state();
  const Block block = reference_chain();
  const auto result = outlive_kills([&] {
    const auto kernel = std::get<Kernel>(unroll(block, lengths, state, block_address_, stamps));
    load(kernel);
    std::vector<std::uint64_t> entries;
    for (const std::uint64_t entry : kernel.entries) entries.insert(entries.end(), kRuns, entry);
    return run_own_code(entries, kRounds);
  });
  if (result.fault)
    throw EnvironmentError("the clock's reference faults: " + result.fault->outcome.detail);
  StampTrial trial;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    Readings readings;
    for (std::size_t j = 0; j < result.readings.size(); ++j) {
      const bool warms_up = j % kRuns == 0 || j < kRuns * lengths.size();
      if (!warms_up && j / kRuns % lengths.size() == i) readings.push_back(result.readings[j]);
    }
    const SampleMean mean = robust_mean(readings, ReadingStep(clock_.step, stamps.count).whole);
    const double share = 1.0 / lengths.size();
    trial.mean = trial.mean + of_one_stamp(mean.mean, stamps.count) * share;
    const double stamps_squared = double{1} * stamps.count * stamps.count;
    trial.variance += mean.variance * static_cast<double>(mean.kept) / stamps_squared * share;
  }
  return trial;
}

/// Runs entries of kernels that are assay's own and use no memory.
subject::SeriesResult Workbench::run_own_code(std::span<const std::uint64_t> entries,
                                              std::uint32_t rounds) {
  const InitialState state = bhive_initial_state();
  subject::Series series = series_of(state, entries);
  series.refill_mask = 0;
  series.rounds = rounds;
  return subject_->run(series, {});
}

void Workbench::restart() {
  start_subject();
  choose_code_pages();
}

void Workbench::start_subject() {
  if (subject_) {
    ended_ticks_ = series_ticks();
    ended_stops_ = stops();
  }
  subject_.reset();
  subject_ =
      std::make_unique<subject::Subject>([this](pid_t process) { return open_counters(process); });
  subject_->emulate_rdpmc(counting_.emulator);
  first_code_ = block_address_ = subject::kCode;
  ++subjects_started_;
  subject_since_ = std::chrono::steady_clock::now();
}

/// Lets code begin where the pages that most blocks take are fed evenly.
void Workbench::choose_code_pages() {
  // Eight alignments of code of some 12 KiB (Features::fed_bytes), with what stands around the
  // copies, and the companions.
  constexpr std::size_t kWanted = 36;
  constexpr std::size_t kTried = 64;
  auto readings = try_code_pages(kTried);
  while (!readings) {
    count_kill();
    start_subject();
    readings = try_code_pages(kTried);
  }
  first_code_ = subject::kCode;
  // The first of the pages that are tried holds what stands before the copies.
  if (!readings->empty()) {
    const auto turn = static_cast<std::uint32_t>(subjects_started_);
    const std::size_t page = first_even_page(*readings, kWanted, step(), turn);
    first_code_ += subject::kPageSize * (1 + page);
  }
  write_companions();
}

/// The shortest time that the same code takes in each of so many pages and the pages behind it, in
/// readings. There are none where far JMPs lead to code, since the decoders feed it then, which
/// keep nothing. Nothing is returned if somebody killed the subject.
std::optional<std::vector<std::uint32_t>> Workbench::try_code_pages(std::size_t count) {
  constexpr std::size_t kApart = kPagesTogether + 1;  // the next page holds the code around it
  constexpr std::size_t kRuns = 5;                    // in a row; the first ones warm up
  const Block block = roomy_block();
  const InitialState state = bhive_initial_state();
  const std::array copies = {Iterations(
      static_cast<std::int64_t>(kPagesTogether * subject::kPageSize / block.bytes.size()))};
  const Kernel kernel = std::get<Kernel>(unroll(block, copies, state, subject::kCode, stamps_));
  std::vector<std::uint32_t> least;
  if (kernel.jumps.empty()) return least;
  least.assign(count, ~0U);
  const std::uint64_t lead = kernel.first_copy - kernel.start;
  for (std::size_t phase = 0; phase < kApart; ++phase) {
    std::vector<std::uint64_t> entries;
    for (std::size_t page = phase; page < count; page += kApart) {
      const Kernel moved = kernel.moved_to(subject::kCode + (page + 1) * subject::kPageSize - lead);
      load(moved);
      entries.insert(entries.end(), kRuns, moved.entries.front());
    }
    const subject::SeriesResult result = run_own_code(entries, 2);
    if (subject_->was_killed()) return std::nullopt;
    if (result.fault) {
      throw EnvironmentError("code that does nothing faults: " + result.fault->outcome.detail);
    }
    for (std::size_t i = 0; i < result.readings.size(); ++i) {
      std::uint32_t& reading = least[phase + i % entries.size() / kRuns * kApart];
      reading = std::min(reading, result.readings[i]);
    }
  }
  return least;
}

/// Notes that the subject was killed. Throws EnvironmentError if too many in a row did not live
/// long, whatever they were of use for meanwhile.
void Workbench::count_kill() {
  constexpr int kMostKills = 8;
  constexpr std::chrono::milliseconds kLongLife{100};
  if (std::chrono::steady_clock::now() - subject_since_ >= kLongLife) kills_ = 0;
  if (++kills_ < kMostKills) return;
  throw EnvironmentError(
      "somebody ends the processes that blocks run in, one after the other (SIGKILL): is the "
      "system, or the container, short of memory, or does a limit on processor time end them?");
}

std::vector<int> Workbench::open_counters(pid_t process) {
  groups_.clear();
  std::vector<int> pages;
  for (auto& counters : counting_.backend.open(process, counting_.processor, counting_.events)) {
    const auto first = static_cast<std::uint32_t>(pages.size());
    pages.insert(pages.end(), counters->pages().begin(), counters->pages().end());
    std::vector<std::uint32_t> indices(counters->pages().size(), kUnknownIndex);
    groups_.push_back({std::move(counters), first, indices, indices});
  }
  return pages;
}

void Workbench::write_companions() {
  block_address_ = first_code_;
  constexpr std::array kReference = {kReferenceSmallCopies, kReferenceMiddleCopies,
                                     kReferenceLargeCopies};
  reference_entries_ = add_companion(reference_chain(), kReference, kMostReferenceBend);
  constexpr std::array kCanary = {kCanarySmallCopies, kCanaryMiddleCopies, kCanaryLargeCopies};
  canary_entries_ = add_companion(canary_block(counting_.nop_bytes), kCanary, kMostCanaryBend);
}

/// Adds a companion behind what there is, in one of the next few pages where it bends by less than
/// `most`. Returns its entries at the smallest and the largest of the three sizes.
std::vector<std::uint64_t> Workbench::add_companion(const Block& block,
                                                    std::span<const Copies> sizes, double most) {
  constexpr std::size_t kPages = 6;
  const std::uint64_t behind_others = block_address_;
  const auto add_in = [&](std::size_t page) {
    block_address_ = behind_others + page * subject::kPageSize;
    return add_own_code(block, sizes);
  };
  // Counters count cycles themselves, so that no value is scaled by a companion.
  const std::size_t tried = group(0).method() == ReadMethod::kTsc ? kPages : 0;
  const auto entries =
      add_in(straight_place(tried, most, [&](std::size_t page) { return bend_of(add_in(page)); }));
  return {entries.front(), entries.back()};
}

/// How code with entries for three sizes bends; 0 if the subject is killed meanwhile, as its next
/// series will show.
double Workbench::bend_of(std::span<const std::uint64_t> entries) {
  std::vector<std::uint64_t> runs;
  for (const std::uint64_t entry : entries) runs.insert(runs.end(), kBendRuns, entry);
  const subject::SeriesResult result = run_own_code(runs, kBendRounds);
  return result.fault ? 0 : bend(result.readings, step().whole);
}

std::vector<std::uint64_t> Workbench::add_own_code(const Block& block,
                                                   std::span<const Copies> sizes) {
  std::vector<Iterations> iterations;
  std::ranges::transform(sizes, std::back_inserter(iterations), of_one_copy);
  auto kernel =
      std::get<Kernel>(unroll(block, iterations, bhive_initial_state(), block_address_, reads(0)));
  kernel = within_one_page(std::move(kernel));
  load(kernel);
  block_address_ = behind(kernel);
  return std::move(kernel.entries);
}

Kernel Workbench::within_one_page(Kernel kernel) {
  const std::uint64_t size = static_cast<std::uint64_t>(kernel.copies) * kernel.block_size;
  const std::uint64_t page_end = rounded_up(kernel.first_copy + 1, subject::kPageSize);
  if (size > subject::kPageSize || kernel.first_copy + size <= page_end) return kernel;
  const std::uint64_t shift = kernel.first_copy % kCacheLine;
  const bool fits_shifted = shift + size <= subject::kPageSize;
  kernel.move_to(kernel.start + (page_end - kernel.first_copy) + (fits_shifted ? shift : 0));
  return kernel;
}

std::uint64_t Workbench::behind(const Kernel& kernel) {
  return rounded_up(kernel.start + kernel.code.size(), kCacheLine);
}

void Workbench::load(const Kernel& kernel) {
  subject_->load_code(kernel.start - subject::kCode, kernel.code);
}

void Workbench::load_entries(const Kernel& kernel) {
  subject_->load_code(kernel.entries.front() - subject::kCode, kernel.entry_code());
}

/// A mask for delays of up to two steps of the clock, in iterations of about one core cycle, which
/// is about one tick. Delays need not be a multiple of the step: they add up, and their sum modulo
/// the step soon takes all values with equal probability.
std::uint32_t Workbench::phase_mask() const {
  constexpr std::uint32_t kLeast = 32;
  const auto step = static_cast<std::uint32_t>(clock_.step.count());
  return std::bit_ceil(std::max(kLeast, 2 * step)) - 1;
}

std::uint64_t Workbench::entry_of(const Job& job, const KernelRun& run) const {
  switch (run.code) {
    case Code::kBlock:
      return job.kernels[run.alignment].entries.at(run.size);
    case Code::kReference:
      return reference_entries_.at(run.size);
    case Code::kCanary:
      return canary_entries_.at(run.size);
  }
  throw Error("a run of code outside its enumeration");
}

subject::Fault Workbench::run_guarded(const Job& job, const subject::Limits& limits) {
  const std::array entries = {job.kernels.front().entries.back()};
  // The kernel reads its counters as ever, so they have to count, though nobody uses the readings.
  CounterGroup& counters = *groups_.at(job.group).counters;
  counters.start();
  subject::Fault fault =
      subject_->run_guarded(entries.front(), series_of(job.state, entries), limits);
  stop(counters, false);
  return fault;
}

subject::Series Workbench::series_of(const InitialState& state,
                                     std::span<const std::uint64_t> entries) const {
  subject::Series series;
  series.kernels = entries;
  series.fill_word = state.memory_word;
  series.segment_base = state.segment_base;
  series.phase_mask = phase_mask();
  series.frames = state.frames;
  return series;
}

Workbench::JobResult Workbench::run(const Job& job, const Round& round, std::uint32_t rounds,
                                    const subject::Limits& limits) {
  return group(job.group).method() == ReadMethod::kAround
             ? run_read_around(job, round, rounds, limits)
             : run_read_inside(job, round, rounds, limits);
}

Workbench::JobResult Workbench::run_read_inside(const Job& job, const Round& round,
                                                std::uint32_t rounds,
                                                const subject::Limits& limits) {
  Group& group = groups_.at(job.group);
  std::vector<std::uint64_t> entries;
  subject::Series series = series_of(job.state, {});
  series.refill_mask = 0;
  std::vector<std::uint32_t> longest;
  for (const KernelRun& run : round) {
    if (run.evict) series.eviction_mask.set(entries.size());
    if (job.layout_limit) {
      longest.push_back(run.tells_layout ? rounded(*job.layout_limit) : ~0U);
    }
    if (run.code == Code::kBlock && job.writes_memory) series.refill_mask.set(entries.size());
    entries.push_back(entry_of(job, run));
  }
  series.kernels = entries;
  series.retries = {longest, kMostLayoutRetries};
  series.rounds = rounds;
  series.counters = static_cast<std::uint32_t>(job.kernels.front().counts);
  series.watch = {group.first_page, group.indices};
  group.counters->start();
  const subject::SeriesResult result = subject_->run(series, limits);
  stop(*group.counters, !result.fault);
  if (result.fault || !result.counters_moved || std::ranges::equal(result.indices, group.indices)) {
    return {result};
  }
  follow(group, result.indices);
  if (job.group == 0) write_companions();
  return {result, true};
}

void Workbench::follow(Group& group, std::span<const std::uint32_t> indices) {
  if (std::ranges::find(indices, 0U) != indices.end()) {
    throw CounterError(
        "the system does not let the process read its own counters (RDPMC): a "
        "counter was taken away, or is shared with another profiler");
  }
  group.indices.assign(indices.begin(), indices.end());
  group.reads = group.indices;
  for (std::uint32_t& read : group.reads) --read;
}

/// Runs a job with counters that are read around series. A stop, and all that the system does
/// meanwhile, leaves a core's caches cold for the first runs, and a count around a series includes
/// those. So each reading takes two series, one of a few runs and one of many more, and the
/// difference is that of warm runs.
Workbench::JobResult Workbench::run_read_around(const Job& job, const Round& round,
                                                std::uint32_t rounds,
                                                const subject::Limits& limits) {
  constexpr std::uint32_t kFewRuns = 4;
  constexpr std::uint32_t kMoreRuns = 32;
  CounterGroup& counters = *groups_.at(job.group).counters;
  const std::size_t width = counters.names().size();
  around_.assign(round.size() * rounds * width, 0);
  JobResult result;
  const auto count = [&](const KernelRun& run, std::uint32_t times) {
    const std::array entries = {entry_of(job, run)};
    subject::Series series = series_of(job.state, entries);
    series.rounds = times;
    series.phase_mask = 0;  // delays would be counted too
    series.refill_mask = run.code == Code::kBlock && job.writes_memory ? 1 : 0;
    counters.start();
    subject::SeriesResult one = subject_->run(series, limits);
    std::vector<std::uint64_t> counts = stop(counters, !one.fault);
    subject::SeriesResult& all = result.series;
    all.fault = std::move(one.fault);
    all.pages_mapped += one.pages_mapped;
    all.preempted |= one.preempted;
    all.stale |= one.stale;
    return counts;
  };
  for (std::size_t number = 0; number < round.size() * rounds; ++number) {
    const KernelRun& run = round[number % round.size()];
    if (!run.counts) continue;
    const auto few = count(run, kFewRuns);
    if (result.series.fault) return result;
    const auto many = count(run, kFewRuns + kMoreRuns);
    if (result.series.fault) return result;
    for (std::size_t i = 0; i < width; ++i) {
      const double mean = (static_cast<double>(many[i]) - static_cast<double>(few[i])) / kMoreRuns;
      around_[number * width + i] = static_cast<std::uint32_t>(std::max(0.0, std::round(mean)));
    }
  }
  result.series.readings = around_;
  return result;
}

}  // namespace assay
