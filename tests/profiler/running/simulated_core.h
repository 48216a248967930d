#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "profiler/counters/backend.h"
#include "profiler/subject/subject.h"
#include "tests/profiler/running/running_kernel.h"

namespace assay {

/// One run of a kernel on a simulated core.
struct SimulatedRun {
  enum class Code { kReference, kCanary, kBlock, kSteady, kControl, kRoomy, kOther };
  Code code = Code::kOther;
  double copies = 0;
  double iterations = 0;       ///< iterations of a loop over them; 0 without a loop
  std::int64_t in_series = 0;  ///< number of the run in its series, from 0
  std::int64_t warm = 0;       ///< number of runs of the same size right before it
  std::int64_t number = 0;     ///< number of the run among all runs on this core
};

/// A simulated core with counters, for machines that have none. Kernels really run; the cycles that
/// they take, and other counts, are made up: they are a function of what a kernel runs, which is
/// found by looking at its code. Nothing here depends on time.
class SimulatedCore {
 public:
  using Count = std::function<double(const SimulatedRun&)>;

  /// `block`: the block under test, which must have no final branch and no RIP-relative operand. It
  /// takes `cycles_per_copy`; the reference chain and the canary take what they take on an
  /// undisturbed core. Instructions and branches are counted as they are.
  SimulatedCore(ReadMethod method, Bytes block, double cycles_per_copy);
  ~SimulatedCore();

  /// The counters of this core, which must outlive them.
  std::unique_ptr<CounterBackend> backend();
  /// Emulates RDPMC on this core.
  subject::Subject::RdpmcEmulator emulator();

  // A test may change these at any time.
  Bytes block;
  Count cycles;
  /// Counts of events by specification; "instructions" and "branches" are there from the start.
  std::map<std::string, Count, std::less<>> events;
  std::size_t events_in_group = 14;  ///< the most events that a group may have
  /// `index` in the page of the first counter, from the next start() on; the others follow.
  std::uint32_t first_index = 5;
  int lost_series = 0;  ///< so many series from now on are not counted all of the time
  std::function<void(const SimulatedRun&)> on_run;  ///< called for each run read by RDPMC

  /// Does what the system does when it takes the core away: it looks at the counters that count
  /// now.
  void touch();
  /// Gives the counters other indices from now on.
  void move(std::uint32_t to_first_index);

  std::int64_t groups_opened() const { return groups_opened_; }

 private:
  class Backend;
  class Group;

  void attach(pid_t process) { process_ = process; }
  void start(Group& group);
  std::vector<std::uint64_t> stop(Group& group);
  bool read(user_regs_struct& registers);
  SimulatedRun run_at(std::int64_t number);
  const Count& count_of(const std::string& specification) const;
  RunningKernel& kernel();

  ReadMethod method_;
  Group* counting_ = nullptr;
  pid_t process_ = -1;
  std::int64_t groups_opened_ = 0;
  std::int64_t runs_ = 0;
  // Belong to the present series.
  std::optional<RunningKernel> kernel_;
  std::map<std::uint64_t, RunningCopies> copies_;
  // Belong to the present run.
  std::uint64_t phase_state_ = 0;
  SimulatedRun run_;
  std::set<std::size_t> begun_;
};

}  // namespace assay
