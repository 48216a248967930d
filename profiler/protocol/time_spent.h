#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "profiler/support/units.h"

namespace assay {

/// What a profiler spends its time on.
enum class Activity {
  kOther,    ///< between blocks
  kDecode,   ///< bytes to instructions and a plan
  kEmit,     ///< writing kernels
  kTrace,    ///< the traced run, and the analysis of what it recorded
  kPrepare,  ///< runs that find a block's pages and times
  kSample,   ///< the runs that are timed
  kJudge,    ///< from readings to an estimate and a verdict
};
inline constexpr std::size_t kActivities = 7;
std::string_view name(Activity activity);

/// Wall-clock time for each activity, without the time of other activities within it.
struct TimeSpent {
  std::array<std::chrono::nanoseconds, kActivities> in{};
  /// How long the subject ran series of kernels, by its own clock. The rest of the time went into
  /// its stops, into the system and into the monitor's own work.
  std::chrono::nanoseconds series{};
  std::int64_t blocks = 0;
  std::int64_t stops = 0;  ///< how often the subject stopped

  std::chrono::nanoseconds total() const;
};

/// What a subject did so far.
struct SubjectWork {
  Ticks series;  ///< for how long it ran series
  std::int64_t stops = 0;
};

/// Keeps account of the time that is spent on each activity, and of what the subject does
/// meanwhile.
class TimeLedger {
 public:
  /// From its construction to its destruction, time counts as spent on its activity, except while
  /// another entry exists that was made later.
  class Entry {
   public:
    Entry(TimeLedger& ledger, Activity activity);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    TimeLedger& ledger_;
    Activity before_;
  };

  /// Leaves out what the subject did before the first block.
  void leave_out(const SubjectWork& work) { before_ = work; }
  void begin_block() { ++blocks_; }
  /// What time was spent on, now that the subject did `work`. `ticks_per_second` is the rate of the
  /// time-stamp counter.
  TimeSpent spent(const SubjectWork& work, double ticks_per_second) const;

 private:
  void change_to(Activity activity);

  SubjectWork before_;
  std::int64_t blocks_ = 0;
  std::array<std::chrono::nanoseconds, kActivities> spent_{};
  Activity now_ = Activity::kOther;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace assay
