#include "harness/campaign/worker_process.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>

#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr int kSocket = 3;  // the worker's socket: the first descriptor behind the standard ones

WorkerBoard* map_board() {
  void* const memory =
      mmap(nullptr, sizeof(WorkerBoard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw EnvironmentError(describe_errno("cannot share memory with a worker (mmap)", errno));
  }
  return new (memory) WorkerBoard;
}

void close_from(int first) {
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  // Linux before 5.9 has no close_range().
  for (long number = first; number < sysconf(_SC_OPEN_MAX); ++number) {
    close(static_cast<int>(number));
  }
}

[[noreturn]] void be_worker(pid_t parent, int socket, int processor, const PrepareWork& prepare,
                            WorkerBoard& board) {
  // This process ends by _exit() only: destructors of what the campaign made, above all its store,
  // must not run here. If the campaign has ended before the request to be killed with it took
  // effect, getppid() shows that.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(1);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  if (socket != kSocket && dup2(socket, kSocket) < 0) _exit(1);
  close_from(kSocket + 1);
  run_worker(kSocket, processor, prepare, board);
  _exit(0);
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("killed by signal {} ({})", WTERMSIG(status), sigdescr_np(WTERMSIG(status)));
  }
  return fmt::format("ended with exit status {}", WEXITSTATUS(status));
}

/// Whether a socket's error means that there is nothing to send or receive for now.
bool may_pass(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }
bool may_pass_or_is_end(int error) {
  return may_pass(error) || error == EPIPE || error == ECONNRESET;
}

}  // namespace

void WorkerProcess::Unmap::operator()(WorkerBoard* board) const {
  munmap(board, sizeof(WorkerBoard));
}

WorkerProcess::WorkerProcess(int processor, const PrepareWork& prepare) : board_(map_board()) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw EnvironmentError(describe_file_errno("cannot make a socket for a worker", errno));
  }
  socket_ = Descriptor(ends[0]);
  const Descriptor worker_end(ends[1]);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) {
    const int error = errno;
    throw EnvironmentError(describe_errno("cannot start a worker (fork)", error) +
                           advice_on_processes(error));
  }
  if (pid_ == 0) be_worker(parent, worker_end.get(), processor, prepare, *board_);
}

WorkerProcess::~WorkerProcess() { kill(); }

std::size_t WorkerProcess::send(std::string_view bytes) const {
  const ssize_t count =
      ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count < 0 && !may_pass_or_is_end(errno)) {
    throw EnvironmentError(describe_errno("cannot send to a worker (send)", errno));
  }
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

WorkerProcess::Received WorkerProcess::receive(std::string& target) const {
  std::array<char, 65536> bytes;  // uninitialised: filling it would take longer than the rest
  const ssize_t count = recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count > 0) {
    target.append(bytes.data(), static_cast<std::size_t>(count));
    return Received::kSomething;
  }
  if (count < 0 && !may_pass_or_is_end(errno)) {
    throw EnvironmentError(describe_errno("cannot receive from a worker (recv)", errno));
  }
  const bool more_may_come = count < 0 && may_pass(errno);
  return more_may_come ? Received::kNothing : Received::kEnd;
}

std::string WorkerProcess::kill() {
  if (pid_ < 0) return "";
  // A worker that has ended by itself keeps its exit status: SIGKILL does not change it.
  // Where that is denied, it ends by itself when it hears that nothing more will come.
  if (::kill(pid_, SIGKILL) != 0) shutdown(socket_.get(), SHUT_WR);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return describe(status);
}

}  // namespace assay
