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

/// The place of a worker on a processor, and the tasks that were given to it: a worker that dies,
/// gives no sign of life or sends what is no message is replaced, and goes on with them.
///
/// The block that such a worker was at is tried again by the next one, first and alone. If that
/// ends in the same way, it is the block's doing, or of what assay does with it: it gets
/// `harness_fault`.
class WorkerPost {
 public:
  /// `stall_limit`: for how long a worker may give no sign of life while it has work.
  WorkerPost(int processor, PrepareWork prepare, std::chrono::nanoseconds stall_limit);

  int processor() const { return processor_; }
  /// How many workers have ended here or stalled, and got another in their place.
  std::int64_t replaced() const { return replaced_; }
  /// Whether its worker, this one or one before, has been ready.
  bool was_ready() const { return was_ready_; }
  /// Tasks that it has to answer yet.
  std::size_t load() const { return tasks_.size(); }
  /// It is sent with send().
  void give(Task task);
  /// Sends what was given, as far as the socket takes it now.
  void send();

  /// How long the block at hand has waited for a quiet core, and how long all have, together.
  std::chrono::nanoseconds waiting() const;
  std::chrono::nanoseconds waited() const;

  /// What poll(2) is to wait for.
  pollfd awaited() const;
  /// To be called whenever that has happened, and a few times a second anyway. `passed`: since the
  /// last call, not counting what was no time to work in. Throws what its worker threw, and
  /// EnvironmentError when workers die again and again without any outcome between.
  void serve(std::chrono::nanoseconds passed, const TakeAnswer& take);
  /// Ends the worker, in the middle of a block if it is at one, and takes the outcomes that it had
  /// sent; what it would have thrown no longer matters. To be the last call.
  void end(const TakeAnswer& take);

 private:
  struct Given {
    Task task;
    bool suspect = false;  ///< a worker died when it was at this
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
  std::string unsent_;                        ///< what the socket did not take yet
  std::deque<Given> tasks_;                   ///< not answered; in the order in which they are
  std::size_t sent_ = 0;                      ///< how many of them this worker has been sent
  std::uint64_t signs_ = 0;                   ///< of life, as last seen
  std::chrono::nanoseconds silent_{};         ///< since then
  std::chrono::nanoseconds waited_before_{};  ///< by the workers that were replaced
  int deaths_ = 0;                            ///< since the last outcome, a harness_fault too
  std::int64_t replaced_ = 0;
  bool was_ready_ = false;
  bool ending_ = false;
};

}  // namespace assay
