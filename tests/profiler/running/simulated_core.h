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
  enum class Code { kReference, kCanary, kBlock, kSteady, kOther };
  Code code = Code::kOther;
  double copies = 0;
  double iterations = 0;       ///< of a loop over them; 0 if there is none
  std::int64_t in_series = 0;  ///< its number, from 0
  std::int64_t warm = 0;       ///< runs of the same size right before it
  std::int64_t number = 0;     ///< of all runs on this core
};

/// A core with counters, for machines that have none. What runs on it is real; what it takes, and
/// what else it counts, is made up: a function of what a kernel runs, which is found by looking at
/// its code. Nothing in it depends on time.
class SimulatedCore {
 public:
  using Count = std::function<double(const SimulatedRun&)>;

  /// `block`: the one under test, which has no final branch and no RIP-relative operand. The
  /// reference chain, the canary and it take so many cycles as they take on an undisturbed core and
  /// `cycles_per_copy` says; instructions and branches are those that are there.
  SimulatedCore(ReadMethod method, Bytes block, double cycles_per_copy);
  ~SimulatedCore();

  /// Counters of this core, which must outlive them.
  std::unique_ptr<CounterBackend> backend();
  /// What RDPMC gives.
  subject::Subject::RdpmcEmulator emulator();

  // To be changed by a test, at any time.
  Bytes block;
  Count cycles;
  /// By specification; "instructions" and "branches" are there.
  std::map<std::string, Count, std::less<>> events;
  std::size_t events_in_group = 14;  ///< at most
  /// What the counters' pages have as `index`, one behind the other, from the next start() on.
  std::uint32_t first_index = 5;
  int lost_series = 0;  ///< so many from now on are not counted all of the time
  std::function<void(const SimulatedRun&)> on_run;  ///< told of each run read by RDPMC

  /// The system looked at the counters that count at present, as when it takes the core away.
  void touch();
  /// It gives them other places, from now on.
  void move(std::uint32_t to_first_index);

  std::int64_t groups_opened() const { return groups_opened_; }

 private:
  class Backend;
  class Group;

  void attach(pid_t process) { process_ = process; }
  void start(Group& group);
  std::vector<std::uint64_t> stop(Group& group);
  bool read(user_regs_struct& registers);
  SimulatedRun run_at(const subject::Control& control, std::int64_t number);
  const Count& count_of(const std::string& specification) const;
  RunningKernel& kernel();

  ReadMethod method_;
  Group* counting_ = nullptr;
  pid_t process_ = -1;
  std::int64_t groups_opened_ = 0;
  std::int64_t runs_ = 0;
  // Of the present series.
  std::optional<RunningKernel> kernel_;
  std::map<std::uint64_t, RunningCopies> copies_;
  // Of the present run.
  std::uint64_t phase_state_ = 0;
  SimulatedRun run_;
  std::set<std::size_t> begun_;
};

}  // namespace assay
