#include "profiler/protocol/time_spent.h"

#include <numeric>

namespace assay {

std::string_view name(Activity activity) {
  static constexpr std::array<std::string_view, kActivities> kNames = {
      "other", "decode", "emit", "trace", "prepare", "sample", "judge"};
  return kNames.at(static_cast<std::size_t>(activity));
}

std::chrono::nanoseconds TimeSpent::total() const {
  return std::accumulate(in.begin(), in.end(), std::chrono::nanoseconds{});
}

TimeLedger::Entry::Entry(TimeLedger& ledger, Activity activity)
    : ledger_(ledger), before_(ledger.now_) {
  ledger_.change_to(activity);
}

TimeLedger::Entry::~Entry() { ledger_.change_to(before_); }

TimeSpent TimeLedger::spent(const SubjectWork& work, double ticks_per_second) const {
  const std::chrono::duration<double> series((work.series - before_.series).count() /
                                             ticks_per_second);
  return {spent_, std::chrono::duration_cast<std::chrono::nanoseconds>(series), blocks_,
          work.stops - before_.stops};
}

void TimeLedger::change_to(Activity activity) {
  const auto now = std::chrono::steady_clock::now();
  spent_[static_cast<std::size_t>(now_)] += now - since_;
  since_ = now;
  now_ = activity;
}

}  // namespace assay
