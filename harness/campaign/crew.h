#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/campaign/worker_post.h"

namespace assay {

/// Workers that measure blocks at the same time, each a process on a processor of its own. One
/// thread gives them tasks and takes their answers. Whatever happens to a worker, neither that
/// thread nor the other workers end (see WorkerPost).
class Crew {
 public:
  /// How many tasks a worker may have: enough to keep it busy while this thread does something
  /// else, since the worker answers up to 32 tasks together and a commit of the store takes some
  /// milliseconds.
  static constexpr std::size_t kWindow = 96;

  /// Starts one worker on each of the processors, of which there must be at least one.
  /// `stall_limit`: for how long a worker may give no sign of life while it has work. Throws
  /// EnvironmentError.
  Crew(std::vector<int> processors, const PrepareWork& prepare,
       std::chrono::nanoseconds stall_limit);
  /// Ends the workers at once.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Gives the task to the worker with the fewest tasks; it is sent in the next poll(). There must
  /// be room.
  void give(Task task);
  /// Whether some worker has fewer than kWindow tasks.
  bool has_room() const;
  /// Whether no task is left to be answered.
  bool idle() const;
  /// Whether every worker, or one before it on its processor, has been ready for tasks.
  bool ready() const;

  /// Sends the tasks that were given, waits for answers, at most for `longest`, and calls `take`
  /// with each. Must be called at least a few times a second. A worker's silence is counted by the
  /// time between two calls, of which at most a fifth of a second counts: while this process is
  /// stopped, or the machine asleep, no worker stalls. Throws what a worker threw, and
  /// EnvironmentError if workers die again and again without any answer between.
  void poll(std::chrono::milliseconds longest, const TakeAnswer& take);

  /// Ends all workers, even in the middle of a block, and takes the answers that they had sent.
  /// Tasks that are not answered are forgotten, and so is what a worker threw. No worker is left
  /// then.
  void end(const TakeAnswer& take);
  /// Ends all workers, and starts another one on the first one's processor, to which nothing clings
  /// of what these have measured. To be called when no worker has a task.
  void start_over_with_one();

  std::size_t workers() const { return posts_.size(); }
  /// How many workers ended or stalled, and were replaced.
  std::int64_t replaced() const;
  /// For how long all workers have been waiting for quiet cores with their present blocks: the
  /// shortest of these times, 0 if one worker is not waiting.
  std::chrono::nanoseconds waiting() const;
  /// For how long blocks have waited for quiet cores in all, averaged over the workers.
  std::chrono::nanoseconds waited() const;

 private:
  WorkerPost& least_loaded() const;
  std::chrono::nanoseconds waited_together() const;

  std::vector<std::unique_ptr<WorkerPost>> posts_;
  std::size_t most_workers_;
  std::int64_t replaced_before_ = 0;  ///< workers replaced at posts that are gone
  std::chrono::nanoseconds waited_by_ended_{};
  std::chrono::steady_clock::time_point last_poll_;
};

}  // namespace assay
