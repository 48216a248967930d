#include "results/findings/agreement.h"

#include <SQLiteCpp/Database.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "profiler/block/verdict.h"
#include "profiler/support/statistics.h"
#include "results/findings/comparison.h"
#include "results/store/query.h"

namespace assay {
namespace {

/// The estimate in two columns of the row from `column` on, which must not be NULL.
Estimate estimate_of(const Query& row, int column) {
  return {.cycles = row.real(column), .half_width = row.real(column + 1)};
}

}  // namespace

Agreement recheck_agreement(Store& store, CampaignId campaign) {
  Agreement agreement;
  std::vector<double> differences;
  store.query([&](SQLite::Database& database) {
    SQLite::Statement select(
        database,
        "SELECT first.verdict = second.verdict, first.cycles, "
        "first.half_width, second.cycles, second.half_width FROM recheck AS second "
        "JOIN measurement AS first USING (campaign, block, notion) WHERE campaign = ?1 "
        "AND first.settled AND second.settled");
    for (Query row(select, campaign); row.next();) {
      ++agreement.blocks;
      if (row.integer(0) == 0) ++agreement.other_verdict;
      if (row.is_null(1) || row.is_null(3)) continue;
      ++agreement.both_measured;
      const Estimate first = estimate_of(row, 1), second = estimate_of(row, 3);
      if (intervals_meet(first, second)) ++agreement.within_intervals;
      differences.push_back(std::abs(second.cycles - first.cycles) / first.cycles);
    }
  });
  if (differences.empty()) return agreement;
  agreement.largest_difference = std::ranges::max(differences);
  agreement.median_difference = median(std::move(differences));
  return agreement;
}

}  // namespace assay
