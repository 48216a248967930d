#include "results/findings/comparison.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <optional>
#include <set>
#include <tuple>

#include "profiler/support/statistics.h"

namespace assay {
namespace {

/// The tolerance for rounding, relative to the values compared: far below what any measurement
/// resolves, and far above the error of a double.
constexpr double kRounding = 1e-12;

/// Whether a relative difference is within the limit; one that is 0.01 except for its last bits is
/// within 0.01.
bool is_within(double difference, double limit) {
  return std::abs(difference) <= limit + kRounding;
}

/// What identifies the block.
const BlockSpec& spec(const auto& of_block) { return of_block.block; }

void add_measured(ComparisonTally& tally, const ComparedBlock& block) {
  tally.differences.push_back(block.difference);
  tally.meeting += intervals_meet(block.a, block.b) ? 1 : 0;
  for (std::size_t i = 0; i < tally.within.size(); ++i) {
    tally.within[i] += is_within(block.difference, ComparisonTally::kWithin[i]) ? 1 : 0;
  }
}

/// Keeps the blocks that differ most. Blocks that differ equally are ordered by their content, so
/// that the list does not depend on chance.
class Worst {
 public:
  explicit Worst(std::size_t count) : count_(count) {}

  void add(const ComparedBlock& block) {
    if (count_ == 0 || (heap_.size() == count_ && !is_worse(block, heap_.front()))) return;
    if (heap_.size() == count_) {
      std::ranges::pop_heap(heap_, is_worse);
      heap_.pop_back();
    }
    heap_.push_back(block);
    std::ranges::push_heap(heap_, is_worse);
  }

  std::vector<ComparedBlock> sorted() && {
    std::ranges::sort(heap_, is_worse);
    return std::move(heap_);
  }

 private:
  static bool is_worse(const ComparedBlock& x, const ComparedBlock& y) {
    const double in_x = std::abs(x.difference), in_y = std::abs(y.difference);
    if (in_x != in_y) return in_x > in_y;
    return std::tie(spec(x), x.notion) < std::tie(spec(y), y.notion);
  }

  std::size_t count_;
  std::vector<ComparedBlock> heap_;  ///< a heap; the block that differs least is in front
};

/// Sums up the comparison from pairs of outcomes of the same block under the same notion.
class Join {
 public:
  explicit Join(std::size_t worst) : worst_(worst) {}

  void add(StoredOutcome& a, StoredOutcome& b) {
    const auto tallies = tallies_of(a, b);
    for (ComparisonTally* tally : tallies) ++tally->in_both;
    if (a.measurement.outcome.reason != b.measurement.outcome.reason) {
      ++comparison_.other_reasons[{a.measurement.outcome.reason, b.measurement.outcome.reason}];
    }
    if (!is_measured(a) || !is_measured(b)) return;
    ComparedBlock block{.block = std::move(a.block),
                        .notion = a.measurement.notion,
                        .a = *a.measurement.estimate,
                        .b = *b.measurement.estimate,
                        .sources = std::move(a.sources.empty() ? b.sources : a.sources)};
    block.difference = (block.b.cycles - block.a.cycles) / block.a.cycles;
    for (ComparisonTally* tally : tallies) add_measured(*tally, block);
    worst_.add(block);
  }
  void add_only_in_a() { ++comparison_.only_in_a; }
  void add_only_in_b() { ++comparison_.only_in_b; }

  Comparison result() && {
    comparison_.worst = std::move(worst_).sorted();
    return std::move(comparison_);
  }

 private:
  static bool is_measured(const StoredOutcome& outcome) {
    return outcome.measurement.outcome.verdict() == Verdict::kMeasured &&
           outcome.measurement.estimate;
  }

  std::vector<ComparisonTally*> tallies_of(const StoredOutcome& a, const StoredOutcome& b) {
    std::set<std::string_view> corpora;
    for (const SourceRecord& source : a.sources) corpora.insert(source.corpus);
    for (const SourceRecord& source : b.sources) corpora.insert(source.corpus);
    std::vector<ComparisonTally*> tallies = {&comparison_.all};
    for (const auto corpus : corpora) {
      tallies.push_back(&comparison_.by_corpus[std::string(corpus)]);
    }
    return tallies;
  }

  Comparison comparison_;
  Worst worst_;
};

/// The order in which OutcomeReader gives outcomes.
std::weak_ordering order(const StoredOutcome& a, const StoredOutcome& b) {
  if (const auto block = spec(a) <=> spec(b); block != 0) return block;
  // Stores have notions as text, and SQLite orders them by it.
  return name(a.measurement.notion) <=> name(b.measurement.notion);
}

}  // namespace

bool intervals_meet(const Estimate& a, const Estimate& b) {
  const double rounding = kRounding * std::max(a.cycles, b.cycles);
  return std::abs(a.cycles - b.cycles) <= a.half_width + b.half_width + rounding;
}

DifferenceStatistics ComparisonTally::statistics() const {
  if (differences.empty()) return {};
  std::vector<double> absolute;
  absolute.reserve(differences.size());
  for (const double difference : differences) absolute.push_back(std::abs(difference));
  return {.median = median(differences),
          .median_absolute = median(absolute),
          .mean_absolute = mean(absolute)};
}

Comparison compare(OutcomeReader& a, OutcomeReader& b, std::size_t worst) {
  Join join(worst);
  auto from_a = a.next(), from_b = b.next();
  while (from_a && from_b) {
    const auto which = order(*from_a, *from_b);
    if (which == 0) join.add(*from_a, *from_b);
    if (which < 0) join.add_only_in_a();
    if (which > 0) join.add_only_in_b();
    if (which <= 0) from_a = a.next();
    if (which >= 0) from_b = b.next();
  }
  for (; from_a; from_a = a.next()) join.add_only_in_a();
  for (; from_b; from_b = b.next()) join.add_only_in_b();
  return std::move(join).result();
}

}  // namespace assay
