#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "profiler/support/units.h"

namespace assay {

/// The visits that were paid to one block under one notion, and what they come to together. A visit
/// is one call of Profiler::measure(). What it finds may be due to its moment, or to a state of the
/// core or of the subject that lasts as long as the visit: visits at other moments, in other
/// subjects, show which of it is the block's.
///
/// A visit settles the block by itself if it says so (Measurement::settled), except for a value
/// after visits that had none for reasons of the moment: they have shown that the block is not one
/// of which a single value can be believed. Otherwise visits are weighed against each other:
///
/// - Two visits settle the block as measured if their values are alike(); three, if its loads take
///   what it stored (kMemoryDependence), since such blocks often have several states: two visits
///   agree on one that a tenth of visits find in one case of a hundred. If there was another value
///   too, it takes three that are alike, and three quarters of all values. They must also be more
///   visits than found no steady state or a value below the core's limit. The value is their
///   mean_of_intervals(), which must be as narrow as that of a visit.
///   Where straight-line code takes another time at some places than at others, the values at each
///   place must be alike as well.
/// - Visits that were not sure of a value by themselves may be so together: three or more that all
///   have Evidence, of the same copies and not of two states, values that are alike(), and a
///   mean_of_intervals() that is as narrow as that of a visit, not below the core's limit, and
///   surely steady, by the mean of their differences.
/// - Without that, a block is settled as having no number after kConsistentVisits that all found no
///   steady state, or all a value below the core's limit; after kFruitlessVisits none of which
///   found a value (Zen 4: of 80 such blocks of sqlite, one had two more visits with one), unless
///   kMostVisits may be sure of one together; or after
///   kMostVisits; visits with the reason kInterference do not count. The reason is the most
///   frequent one, and the detail says what was seen. A block at which workers die is settled after
///   kMostFaults.
/// - Values that are alike, of two visits or more, are a state. If there are several states, the
///   result names them all (Measurement::modes): a value has the trait kSeveralStates, which may
///   reject it, and for want of one the reason is kNoSingleState. Two visits are more than a
///   quarter of kMostVisits, so that there are up to kMostVisitsOfStates as long as these may make
///   the usual state the value.
class Visits {
 public:
  static constexpr int kVisitsOfValue = 2;
  static constexpr int kVisitsOfDependence = 3;
  static constexpr int kVisitsTogether = 3;
  static constexpr int kConsistentVisits = 3;
  static constexpr int kFruitlessVisits = 4;
  static constexpr int kMostVisits = 6;
  static constexpr int kMostVisitsOfStates = 8;
  static constexpr int kMostFaults = 2;
  static constexpr std::chrono::milliseconds kShortestPause{100};

  /// `reject`: as in the settings. The only one of these traits that visits find is kSeveralStates.
  explicit Visits(Traits reject = {}) : reject_(reject) {}

  /// Takes in what a visit found. There must be none after one that settled the block.
  void add(const Measurement& visit);
  /// The number of visits so far.
  int count() const { return static_cast<int>(visits_.size()) + repeated_; }
  /// The number of the next visit, from 1, as Profiler::measure() takes it.
  int next() const { return count() + 1; }
  /// The unroll factor for the next visit to begin with: the one that the latest two both came to,
  /// unless one of all found a value with fewer copies; else 0. (A single visit may have been led
  /// to more copies by its moment, and with more of them a block may take another time: a core has
  /// room to learn so many of its instructions only.)
  Copies copies() const;
  /// How long to wait after a visit until the next one: so long that states of the subject and of
  /// the core are over by then. The more visits in a row were disturbed, the longer a bad time may
  /// last.
  std::chrono::milliseconds pause() const;

  /// Whether another visit would change nothing.
  bool settled() const { return result_.settled; }
  /// What the visits come to, of which there must be one: an outcome that is not settled is never a
  /// value.
  const Measurement& result() const { return result_; }

 private:
  struct Group;

  std::optional<Measurement> value() const;
  std::optional<Measurement> value_together() const;
  std::optional<Measurement> no_value() const;
  std::optional<Evidence> evidence_together() const;
  bool may_be_sure_together() const;
  bool may_have_value(std::ptrdiff_t showing) const;
  Measurement most_frequent() const;
  std::vector<Group> groups() const;
  std::vector<Mode> modes() const;
  int count(Reason reason) const;
  std::string account() const;

  Traits reject_;
  std::vector<Measurement> visits_;
  int repeated_ = 0;  ///< visits with kInterference right behind another such, which are forgotten
  int disturbed_in_a_row_ = 0;  ///< of the latest visits
  Measurement result_;
};

}  // namespace assay
