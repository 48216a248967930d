#include "profiler/running/loaded_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "profiler/running/fault_outcome.h"
#include "profiler/sampling/layout_limit.h"

namespace assay {
namespace {

using subject::Fault;

// The distance from a block's kernels to its traced kernel: more than the former take.
constexpr std::uint64_t kTraceDistance = 0x8'0000;

/// The least reading of one run of a round, over all rounds. `runs` is the number of runs in a
/// round.
Reading least_of(std::span<const std::uint32_t> readings, std::size_t runs, std::size_t run) {
  std::uint32_t least = readings[run];
  for (std::size_t i = run; i < readings.size(); i += runs) least = std::min(least, readings[i]);
  return Reading(least);
}

/// Runs a job, and tries again for a while if counters were lost: somebody else may have wanted
/// them for a moment, and a campaign should not end for that. After that it is an error.
Workbench::JobResult run_counted(Workbench& workbench, const Workbench::Job& job,
                                 const Round& round, std::uint32_t rounds,
                                 const subject::Limits& limits) {
  constexpr int kTries = 20;
  constexpr auto kPause = std::chrono::milliseconds(50);
  for (int i = 1;; ++i) {
    try {
      return workbench.run(job, round, rounds, limits);
    } catch (const CounterError&) {
      if (i == kTries) throw;
      std::this_thread::sleep_for(kPause);
    }
  }
}

}  // namespace

std::uint64_t shift_of_alignment(const Plan& plan, const Block& block, std::size_t alignment) {
  constexpr std::size_t kPiece = 32;
  constexpr std::size_t kApart = 8;
  if (plan.notion == Notion::kLooped) return 0;
  if (plan.copy_bytes > 0) {
    const auto ahead = static_cast<std::size_t>(plan.fewer_at(alignment, 0).count()) *
                       static_cast<std::size_t>(plan.copy_bytes);
    return (plan.place_at(alignment, 0) - ahead) % Plan::kPiece;
  }
  const auto n = static_cast<std::size_t>(plan.fewest_copies().count());
  const bool alike = n * block.bytes.size() % kPiece == 0;
  return alike ? 0 : alignment * kApart % kPiece;
}

void LoadedBlock::fill_memory_with(std::uint64_t word) {
  if (word == state_.memory_word) return;
  state_ = given_state_;
  if (word != state_.memory_word) {
    state_.memory_word = word;
    state_.name += fmt::format(" mem={:#x}", word);
  }
  workbench_.subject().unmap_all();
}

std::optional<Outcome> LoadedBlock::load(const Plan& plan, std::size_t alignments,
                                         std::size_t group) {
  const bool loaded = !kernels_.empty() && plan == plan_ && group == group_;
  plan_ = plan;
  alignments_ = alignments;
  group_ = group;
  if (loaded) begin_pass(0, 0);
  passes_.assign(alignments, 0);
  if (!loaded) return load_again();
  // The first kernel is still loaded, and moving it to other addresses is all that is needed.
  kernels_.resize(1);
  load_at_other_alignments();
  return std::nullopt;
}

std::optional<Outcome> LoadedBlock::load_again() {
  const std::uint64_t address = workbench_.block_address();
  const Reads reads = workbench_.reads(group_);
  std::vector<Iterations> sizes = plan_.sizes;
  if (plan_.stagger > Copies()) sizes.push_back(sizes.back());  // Plan::common_size()
  auto made =
      plan_.notion == Notion::kLooped
          ? loop(block_, plan_.body, sizes, state_, address, reads, plan_.loop)
          : unroll(block_, sizes, state_, address, reads, plan_.first_stores == FirstStores::kHeld);
  kernels_.clear();
  if (auto* refusal = std::get_if<Outcome>(&made)) return *refusal;
  kernels_.push_back(Workbench::within_one_page(std::get<Kernel>(std::move(made))));
  make_entries(0);
  workbench_.load(kernels_.back());
  load_at_other_alignments();
  return std::nullopt;
}

void LoadedBlock::load_at_other_alignments() {
  while (kernels_.size() < alignments_) {
    const std::size_t alignment = kernels_.size();
    kernels_.push_back(Workbench::within_one_page(kernels_.front().moved_to(
        Workbench::behind(kernels_.back()) + shift_of_alignment(plan_, block_, alignment))));
    make_entries(alignment);
    workbench_.load(kernels_.back());
  }
}

/// Gives the entries of an alignment's kernel the sizes and the lead that they have in its pass.
void LoadedBlock::make_entries(std::size_t alignment) {
  Kernel& kernel = kernels_[alignment];
  const std::uint32_t pass = passes_[alignment];
  kernel.set_lead(Plan::lead_at(alignment, pass));
  if (plan_.stagger == Copies()) return;
  for (std::size_t size = 0; size < plan_.sizes.size(); ++size) {
    kernel.set_size(size, of_one_copy(plan_.copies_at(alignment, size, pass)));
  }
}

/// Has an alignment's kernel entered for that pass from now on. Code that is written to is fetched
/// anew: entries that are alike in all passes stay.
void LoadedBlock::begin_pass(std::size_t alignment, std::uint32_t pass) {
  if (passes_[alignment] == pass || kernels_[alignment].jumps.empty()) return;
  passes_[alignment] = pass;
  make_entries(alignment);
  workbench_.load_entries(kernels_[alignment]);
}

std::optional<Kernel::Location> LoadedBlock::locate(std::uint64_t address) const {
  for (const Kernel& kernel : kernels_) {
    if (const auto location = kernel.locate(address)) return location;
  }
  return std::nullopt;
}

Outcome LoadedBlock::outcome_of(const subject::Fault& fault) const {
  return assay::outcome_of(fault, locate(fault.registers.rip), block_);
}

std::uint64_t LoadedBlock::trace_address() const {
  return workbench_.block_address() + kTraceDistance;
}

std::optional<std::vector<std::int64_t>> LoadedBlock::count_turns(
    const LoopShape& shape, std::span<const Iterations> sizes) {
  if (workbench_.group(0).method() == ReadMethod::kAround) return std::nullopt;
  auto made = loop_that_counts(block_, sizes, state_, workbench_.block_address(), shape);
  auto* const kernel = std::get_if<Kernel>(&made);
  if (kernel == nullptr) return std::nullopt;
  kernels_ = {std::move(*kernel)};
  workbench_.load(kernels_.back());
  Round all_sizes;
  for (std::size_t size = 0; size < sizes.size(); ++size) all_sizes.push_back({.size = size});
  std::optional<std::vector<std::int64_t>> turns;
  for (bool complete = false; !complete;) {
    const Workbench::Job job = {
        kernels_, state_,
        block_.writes_memory || !state_.code.empty() || shape.sentinel.has_value()};
    const auto [series, moved] = run_counted(workbench_, job, all_sizes, 1, limits_);
    // A page that was missed, or a counter that was moved, changes no turns; but then memory may
    // hold what an earlier run left.
    complete = series.fault || (!moved && series.pages_mapped == 0 && !series.stale);
    if (!complete || series.fault || series.readings.size() != sizes.size()) continue;
    turns.emplace(series.readings.begin(), series.readings.end());
  }
  kernels_.clear();
  return turns;
}

TraceRun LoadedBlock::trace(const TracedKernel& kernel, const InitialState& state) {
  subject::Subject& subject = workbench_.subject();
  const std::vector<std::uint64_t> guesses = first_addresses(kernel, block_, state);
  for (const std::uint64_t guess : guesses) subject.expect(guess, limits_);
  TraceRun result = run_trace(subject, kernel, block_, state, limits_);
  if (result.fault && result.fault->outcome.reason == Reason::kPageLimit && !guesses.empty()) {
    subject.unmap_all();  // a wrong guess may have been one page too many
    result = run_trace(subject, kernel, block_, state, limits_);
  }
  footprint_ = Footprint(result.trace.accesses, kernel.copies);
  writes_.clear();
  for (const TracedAccess& access : result.trace.accesses) {
    if (access.write) writes_.push_back({access.address, access.size});
  }
  if (!result.fault) drop_wrong(guesses, result.trace.accesses);
  expect_pages();
  return result;
}

/// Unmaps guessed pages that no copy accessed: they are not the block's.
void LoadedBlock::drop_wrong(std::span<const std::uint64_t> guesses,
                             std::span<const TracedAccess> accesses) {
  const auto page_of = [](std::uint64_t address) { return address / subject::kPageSize; };
  std::vector<std::uint64_t> wrong;
  for (const std::uint64_t guess : guesses) {
    const bool right = std::ranges::any_of(accesses, [&](const TracedAccess& access) {
      return page_of(access.address) <= page_of(guess) &&
             page_of(guess) <= page_of(access.address + access.size - 1);
    });
    if (!right) wrong.push_back(page_of(guess));
  }
  if (wrong.empty()) return;
  workbench_.subject().keep_only([&](std::uint64_t address) {
    return std::ranges::find(wrong, page_of(address)) == wrong.end();
  });
}

/// Maps the pages that copies of the plan's largest size are foreseen to access.
void LoadedBlock::expect_pages() {
  // Several accesses may each go to all pages that a plan stays on. What goes on to more is not run
  // in any case: it exceeds any page limit.
  constexpr std::int64_t kMostForeseen = 512;
  footprint_.for_each_page(plan_.most_copies(), kMostForeseen, [&](std::uint64_t address) {
    workbench_.subject().expect(address, limits_);
  });
  expected_pages_ = pages();
}

LoadedBlock::Prepared LoadedBlock::prepare() {
  // The largest size comes last, so that all that it writes to is seen then.
  Round all_sizes;
  for (std::size_t size = 0; size < plan_.sizes.size(); ++size) all_sizes.push_back({.size = size});
  // Each size runs three times, so that a single interrupt does not decide the plan.
  constexpr std::uint32_t kTimes = 3;
  // So few runs are rarely lost with the core, even if others use it.
  constexpr int kMostLost = 100;
  for (int lost = 0; lost < kMostLost; ++lost) {
    const subject::SeriesResult result = run(all_sizes, kTimes);
    if (result.fault) return {result.fault, {}, {}};
    if (result.readings.empty()) continue;
    std::vector<subject::MemoryRange> writes = writes_;
    if (const auto& sentinel = plan_.loop.sentinel) {
      for (const Iterations size : plan_.sizes) {
        writes.push_back({sentinel->address(size), static_cast<std::uint64_t>(sentinel->size)});
      }
    }
    workbench_.subject().narrow_refills(writes);
    return {std::nullopt, least_of(result.readings, all_sizes.size(), 0),
            least_of(result.readings, all_sizes.size(), all_sizes.size() - 1)};
  }
  return {Fault{{Reason::kInterference, "the core was never left alone for a few runs"}}, {}, {}};
}

LoadedBlock::Prepared LoadedBlock::prepare_unforeseen() {
  footprint_.forget_foreseen();
  workbench_.subject().unmap_all();
  expect_pages();
  return prepare();
}

void LoadedBlock::reload(const Plan& plan, bool anew) {
  load(plan, 1);
  if (anew) workbench_.subject().unmap_all();
  expect_pages();
}

subject::SeriesResult LoadedBlock::run(const Round& round, std::uint32_t rounds,
                                       std::optional<Reading> layout_limit) {
  // The system moves counters when other users of them come and go, which is not all of the time.
  constexpr int kMostMoves = 100;
  int moves = 0;
  // The loop runs again if a block touches a page that it did not touch before, so that the page
  // limit bounds it.
  for (;;) {
    const Workbench::Job job = {kernels_, state_, writes_memory(), group_, layout_limit};
    auto [series, moved] = run_counted(workbench_, job, round, rounds, limits_);
    if (series.fault) return series;
    if (moved) {
      if (++moves > kMostMoves) {
        throw CounterError(
            "the system gives the counters other places all the time: end other "
            "profilers");
      }
      load_again();
    } else if (series.pages_mapped == 0 && !series.stale) {
      if (series.counters_moved) series.readings = {};
      return series;
    }
  }
}

LoadedBlock::Met LoadedBlock::meet() {
  if (workbench_.group(group_).method() == ReadMethod::kAround) return {};
  const Round round = first_round(plan_, alignments_);
  subject::SeriesResult result = run(round, 1);
  if (result.fault) return {std::move(result.fault), {}};
  return {{}, layout_limit(round, result.readings, workbench_.step())};
}

std::optional<Fault> LoadedBlock::guard() {
  if (!state_.code.empty()) return std::nullopt;
  Fault fault = workbench_.run_guarded({kernels_, state_, writes_memory(), group_}, limits_);
  const bool is_end =
      subject::Subject::ends_at_counts(fault) && !locate(fault.registers.rip).has_value();
  return is_end ? std::nullopt : std::optional(std::move(fault));
}

SampledSeries LoadedBlock::run(const SeriesPlan& plan, std::optional<Reading> layout_limit) {
  for (const KernelRun& run : plan.round) {
    if (run.code == Code::kBlock) begin_pass(run.alignment, plan.pass);
  }
  subject::SeriesResult result = run(plan.round, plan.rounds, layout_limit);
  return {std::move(result.fault), result.readings, result.preempted, result.retried};
}

}  // namespace assay
