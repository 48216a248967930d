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

/// Whether the two intervals (cycles plus and minus half_width) have a value in common. Rounding
/// errors do not decide: 1.1 and 1.0 with half-widths of 0.05 meet, although 1.1 - 1.0 is not
/// exactly 0.05 + 0.05.
bool intervals_meet(const Estimate& a, const Estimate& b);

/// A block that was measured in both campaigns, under one notion.
struct ComparedBlock {
  BlockRecord block;
  Notion notion = Notion::kUnrolled;
  Estimate a, b;
  double difference = 0;              ///< (b - a) / a: a is the reference
  std::vector<SourceRecord> sources;  ///< by corpus and line; those of a, or of b if a has none
};

/// How far the values of blocks measured in both campaigns are apart. Differences are relative:
/// 0.01 is 1 %.
struct DifferenceStatistics {
  double median = 0;           ///< of (b - a) / a: above 0, b is slower
  double median_absolute = 0;  ///< of |b - a| / a
  double mean_absolute = 0;
};

/// Counts over outcomes, each of a block under a notion, that both campaigns have.
struct ComparisonTally {
  /// The limits of |b - a| / a for which `within` counts.
  static constexpr std::array<double, 4> kWithin = {0.01, 0.02, 0.05, 0.10};

  std::int64_t in_both = 0;
  std::int64_t meeting = 0;                 ///< measured in both, with intervals that meet
  std::array<std::int64_t, 4> within = {};  ///< measured in both, with |b - a| / a in kWithin[i]
  std::vector<double> differences;          ///< (b - a) / a of each that was measured in both

  std::int64_t measured_in_both() const { return static_cast<std::int64_t>(differences.size()); }
  /// Statistics of the differences; zeros if nothing was measured in both.
  DifferenceStatistics statistics() const;
};

/// The comparison of two campaigns, outcome by outcome: a block counts once for each notion under
/// which it has an outcome.
struct Comparison {
  ComparisonTally all;
  std::int64_t only_in_a = 0;
  std::int64_t only_in_b = 0;
  /// Numbers of outcomes for which a and b have different reasons (kNone: measured), by both
  /// reasons.
  std::map<std::pair<Reason, Reason>, std::int64_t> other_reasons;
  /// The blocks measured in both that differ most, the worst first.
  std::vector<ComparedBlock> worst;
  /// Outcomes in both by corpus, of either store; a block counts in each corpus that it stands in.
  std::map<std::string, ComparisonTally> by_corpus;
};

/// Compares the outcomes of two campaigns, and reads both to their ends. `worst`: how many blocks
/// with the largest differences are kept. Memory grows by some bytes for each block that was
/// measured in both. Throws as Store does.
Comparison compare(OutcomeReader& a, OutcomeReader& b, std::size_t worst);

}  // namespace assay
