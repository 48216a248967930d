#include "results/agreement.h"

#include <SQLiteCpp/Database.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "profiler/block/verdict.h"
#include "results/known.h"
#include "results/query.h"

namespace assay {
namespace {

bool says_something(const std::string& reason) {
  return is_final(known(reason_named(reason), reason));
}

/// The middle one, or the mean of the two in the middle.
double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace

Agreement read_agreement(SQLite::Database& database, CampaignId campaign) {
  SQLite::Statement select(
      database,
      "SELECT first.reason, second.reason, first.verdict = second.verdict, first.cycles, "
      "first.spread, second.cycles, second.spread FROM repeat AS second "
      "JOIN measurement AS first USING (campaign, block, notion) WHERE campaign = ?1");
  Agreement agreement;
  std::vector<double> differences;
  for (Query row(select, static_cast<std::int64_t>(campaign)); row.next();) {
    if (!says_something(row.text(0)) || !says_something(row.text(1))) continue;
    ++agreement.blocks;
    if (row.integer(2) == 0) ++agreement.other_verdict;
    if (row.is_null(3) || row.is_null(5)) continue;
    ++agreement.both_measured;
    const double difference = std::abs(row.real(5) - row.real(3));
    if (difference <= row.real(4) + row.real(6)) ++agreement.within_intervals;
    differences.push_back(difference / row.real(3));
  }
  if (differences.empty()) return agreement;
  agreement.largest_difference = std::ranges::max(differences);
  agreement.median_difference = median(differences);
  return agreement;
}

}  // namespace assay
