#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "results/store/block_record.h"
#include "results/store/outcome_reader.h"

namespace assay {

/// Whether the two intervals (cycles plus and minus half_width) have a value in common. A
/// difference that is no more than rounding decides nothing: so does not that of 1.1 and 1.0 from
/// 0.05 + 0.05.
bool intervals_meet(const Estimate& a, const Estimate& b);

/// A block that was measured in both, under one notion.
struct ComparedBlock {
  BlockRecord block;
  Notion notion = Notion::kUnrolled;
  Estimate a, b;
  double difference = 0;              ///< (b - a) / a: a is the reference
  std::vector<SourceRecord> sources;  ///< by corpus and line; those that a has, or else b's
};

/// How far the values of blocks measured in both are apart. Differences are relative: 0.01 is 1 %.
struct DifferenceStatistics {
  double median = 0;           ///< of (b - a) / a: above 0, b is slower
  double median_absolute = 0;  ///< of |b - a| / a
  double mean_absolute = 0;
};

/// A set of blocks, or of blocks under notions, with an outcome in both.
struct ComparisonTally {
  /// Shares of the reference's value that differences are counted within.
  static constexpr std::array<double, 4> kWithin = {0.01, 0.02, 0.05, 0.10};

  std::int64_t in_both = 0;
  std::int64_t meeting = 0;                 ///< of those measured in both: intervals meet
  std::array<std::int64_t, 4> within = {};  ///< and |b - a| / a is at most so much
  std::vector<double> differences;          ///< (b - a) / a of each that was measured in both

  std::int64_t measured_in_both() const { return static_cast<std::int64_t>(differences.size()); }
  /// Zeros if nothing was measured in both.
  DifferenceStatistics statistics() const;
};

/// Two campaigns set against each other, outcome by outcome: a block counts once for each notion
/// that it has an outcome under.
struct Comparison {
  ComparisonTally all;
  std::int64_t only_in_a = 0;
  std::int64_t only_in_b = 0;
  /// Outcomes in both for which a and b have another reason (kNone: measured).
  std::map<std::pair<Reason, Reason>, std::int64_t> other_reasons;
  /// Those that were measured in both and differ most, the worst first.
  std::vector<ComparedBlock> worst;
  /// Those in both by corpus, of either side; a block counts in each corpus that it stands in.
  std::map<std::string, ComparisonTally> by_corpus;
};

/// Reads both to their ends. `worst`: how many blocks of the largest differences are kept. Memory
/// grows by some bytes for each block that was measured in both. Throws as Store does.
Comparison compare(OutcomeReader& a, OutcomeReader& b, std::size_t worst);

}  // namespace assay
