#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "harness/campaign/worker_message.h"
#include "harness/campaign/worker_process.h"

namespace assay {

using TakeAnswer = std::function<void(Answer&&)>;

/// A processor with its worker, and the tasks that were given to it. A worker that dies, gives no
/// sign of life or sends bytes that are not a message is replaced, and the next one goes on with
/// the tasks.
///
/// The block that such a worker was measuring is tried again by the next one, first and alone. If
/// that worker ends as well, the block, or what assay does with it, is the cause: it gets
/// `harness_fault`.
class WorkerPost {
 public:
  /// `stall_limit`: for how long a worker may give no sign of life while it has work.
  WorkerPost(int processor, PrepareWork prepare, std::chrono::nanoseconds stall_limit);

  int processor() const { return processor_; }
  /// How many workers ended or stalled here, and were replaced.
  std::int64_t replaced() const { return replaced_; }
  /// Whether the worker, this one or one before, has been ready for tasks.
  bool was_ready() const { return was_ready_; }
  /// The number of tasks that are not answered yet.
  std::size_t load() const { return tasks_.size(); }
  /// Adds a task, which send() will send.
  void give(Task task);
  /// Sends the tasks that were given, as far as the socket takes them now.
  void send();

  /// How long the present block has waited for a quiet core.
  std::chrono::nanoseconds waiting() const;
  /// How long all blocks together have waited for a quiet core.
  std::chrono::nanoseconds waited() const;

  /// The event that poll(2) is to wait for.
  pollfd awaited() const;
  /// Takes what the worker has sent, and replaces the worker if need be. To be called whenever the
  /// awaited event has happened, and a few times a second anyway. `passed`: the time since the last
  /// call in which the worker could work. Throws what the worker threw, and EnvironmentError if
  /// workers die again and again without any answer between.
  void serve(std::chrono::nanoseconds passed, const TakeAnswer& take);
  /// Replaces the worker by a new one. There must be no task.
  void start_over();
  /// Ends the worker, even in the middle of a block, and takes the answers that it had sent; what
  /// it threw no longer matters. Must be the last call.
  void end(const TakeAnswer& take);

 private:
  struct Given {
    Task task;
    bool suspect = false;  ///< a worker died while it worked on this task
  };

  bool receive(const TakeAnswer& take);
  void receive_rest(const TakeAnswer& take);
  void handle(Message&& message, const TakeAnswer& take);
  void take_answer(Answer&& answer, const TakeAnswer& take);
  bool stalls(std::chrono::nanoseconds passed);
  void replace(std::string how, const TakeAnswer& take);
  void blame(std::uint64_t ticket, const std::string& how, const TakeAnswer& take);
  void start();

  int processor_;
  PrepareWork prepare_;
  std::chrono::nanoseconds stall_limit_;
  std::unique_ptr<WorkerProcess> process_;
  MessageStream messages_;
  std::string unsent_;                 ///< bytes that the socket has not taken yet
  std::deque<Given> tasks_;            ///< tasks that are not answered, in the order of the answers
  std::size_t sent_ = 0;               ///< how many of tasks_ have been sent to this worker
  std::uint64_t signs_ = 0;            ///< WorkerBoard::signs as last seen
  std::chrono::nanoseconds silent_{};  ///< time without a new sign of life
  std::chrono::nanoseconds waited_before_{};  ///< waiting of the workers that were replaced
  int deaths_ = 0;                            ///< since the last answer or harness_fault
  std::int64_t replaced_ = 0;
  bool was_ready_ = false;
  bool ending_ = false;
};

}  // namespace assay
