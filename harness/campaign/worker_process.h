#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "harness/campaign/worker.h"
#include "profiler/support/descriptor.h"

namespace assay {

/// A worker in a process of its own, forked from this one, which must have no other thread. The
/// worker has no descriptors but the standard ones and its socket, so that no lock of this process
/// lives on in it. It ignores Ctrl-C, SIGTERM and SIGHUP, which are for this process, and is
/// killed, with its subject, however this process ends. No destructors of objects of this process
/// run in it.
class WorkerProcess {
 public:
  /// Throws EnvironmentError when the system gives no process.
  WorkerProcess(int processor, const PrepareWork& prepare);
  /// Kills the worker.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t pid() const { return pid_; }
  int socket() const { return socket_.get(); }
  const WorkerBoard& board() const { return *board_; }

  /// Sends as much as the socket takes now, and returns the number of bytes; 0 if the worker has
  /// ended.
  std::size_t send(std::string_view bytes) const;

  enum class Received { kNothing, kSomething, kEnd };
  /// Appends to `target` some of the bytes that have come, if any have; kEnd when no more will
  /// come.
  Received receive(std::string& target) const;

  /// Kills the worker and waits for its end; what it sent before can still be received. Returns how
  /// it ended: "killed by signal 11 (Segmentation fault)" or "ended with exit status 1" if it had
  /// ended by itself.
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
