#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "harness/campaign/worker.h"
#include "profiler/support/descriptor.h"

namespace assay {

/// A worker in a process of its own, forked from this one, which must have no other thread. It has
/// no descriptor but the standard ones and its socket, so that no lock of this process lives on in
/// it; it leaves Ctrl-C, SIGTERM and SIGHUP to this process, and is killed, as its subject is then,
/// when this one ends in whatever way. Nothing that this process made is unmade in it.
class WorkerProcess {
 public:
  /// Throws EnvironmentError when the system gives no process.
  WorkerProcess(int processor, const PrepareWork& prepare);
  /// Kills it.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t pid() const { return pid_; }
  int socket() const { return socket_.get(); }
  const WorkerBoard& board() const { return *board_; }

  /// Sends what the socket takes now; how many bytes. 0 too if the worker has gone.
  std::size_t send(std::string_view bytes) const;

  enum class Received { kNothing, kSomething, kEnd };
  /// Appends some of what has come, if anything has; kEnd when no more will.
  Received receive(std::string& target) const;

  /// Kills it and waits for its end; what it sent before can still be received. How it ended, if it
  /// had done so by itself: "killed by signal 11 (Segmentation fault)", "ended with exit status 1".
  std::string kill();

 private:
  struct Unmap {
    void operator()(WorkerBoard* board) const;
  };

  pid_t pid_ = -1;  ///< -1 once waited for
  std::unique_ptr<WorkerBoard, Unmap> board_;
  Descriptor socket_;
};

}  // namespace assay
