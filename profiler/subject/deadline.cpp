#include "profiler/subject/deadline.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "profiler/support/error.h"

namespace assay::subject {
namespace {

int deadline_signal() { return SIGRTMIN + 4; }

void ignore_signal(int) {}

void install_handler_once() {
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_handler = ignore_signal;  // without SA_RESTART, since its purpose is to interrupt
    return sigaction(deadline_signal(), &action, nullptr) == 0;
  }();
  if (!installed) {
    throw EnvironmentError(
        describe_errno("cannot install a handler for the time limit's signal", errno));
  }
}

timespec to_timespec(std::chrono::nanoseconds time) {
  constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
  return {static_cast<time_t>(time.count() / kNanosecondsPerSecond),
          static_cast<long>(time.count() % kNanosecondsPerSecond)};
}

}  // namespace

Deadline::Deadline() {
  install_handler_once();
  // If the thread had inherited a mask that blocks the signal, there would be no time limit.
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, deadline_signal());
  pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = deadline_signal();
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) {
    const int error = errno;
    throw EnvironmentError(
        describe_errno("cannot make a timer for the time limit (timer_create)", error) +
        (error == EAGAIN ? "; raise the limit on pending signals (ulimit -i)" : ""));
  }
}

Deadline::~Deadline() { timer_delete(timer_); }

void Deadline::arm(std::chrono::nanoseconds after) {
  const itimerspec when{to_timespec(std::chrono::milliseconds(5)), to_timespec(after)};
  timer_settime(timer_, 0, &when, nullptr);
}

void Deadline::disarm() {
  const itimerspec never{};
  timer_settime(timer_, 0, &never, nullptr);
}

}  // namespace assay::subject
