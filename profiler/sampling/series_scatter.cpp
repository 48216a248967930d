#include "profiler/sampling/series_scatter.h"

#include <vector>

#include "profiler/sampling/keep_latest.h"

namespace assay {

void SeriesScatter::learn(double variance, std::size_t freedom, double expected) {
  // What is not a number compares as false.
  if (!(expected > 0) || !(variance >= 0)) return;
  keep_latest(latest_, variance / expected / fisher_quantile(0.5, freedom, kFreedom), kLatest);
  if (latest_.size() >= kFewest) usual_ = median({latest_.begin(), latest_.end()});
}

VariancePrior SeriesScatter::prior(double expected) const { return {usual_ * expected, freedom()}; }

}  // namespace assay
