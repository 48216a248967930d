#include "profiler/subject/launch.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <span>
#include <string>
#include <utility>

#include "profiler/subject/descriptor_passing.h"
#include "profiler/subject/wait_status.h"
#include "profiler/support/error.h"
#include "profiler/support/pipe.h"

extern "C" {
// image.S
extern const char assay_subject_image[];
extern const char assay_subject_image_end[];
}

namespace assay::subject {
namespace {

enum class Step : int { kTrace, kSession, kCounters, kDescriptors, kExec };

/// What the child writes to the pipe when it cannot become the subject.
struct LaunchFailure {
  Step step;
  int error;
};

std::string ptrace_advice() {
  std::ifstream file("/proc/sys/kernel/yama/ptrace_scope");
  int scope = 0;
  if (file >> scope && scope >= 2) {
    return "; /proc/sys/kernel/yama/ptrace_scope is " + std::to_string(scope) +
           (scope == 2 ? ": run as root, or write 1 to it"
                       : ": tracing is off until the next boot; boot with another setting");
  }
  return "; in a container, allow it: docker run --cap-add SYS_PTRACE, or a seccomp profile that "
         "permits ptrace; under a debugger or strace -f, run assay without it";
}

std::string explain(const LaunchFailure& failure) {
  switch (failure.step) {
    case Step::kTrace:
      return describe_errno("the subject cannot ask to be traced (ptrace)", failure.error) +
             ptrace_advice();
    case Step::kSession:
      return describe_errno("the subject cannot be set apart (setsid, prctl)", failure.error);
    case Step::kCounters:
      return describe_file_errno("the subject cannot receive its counters' descriptors",
                                 failure.error);
    case Step::kDescriptors:
      // A descriptor beyond the limit is invalid.
      return describe_errno("the subject's descriptors cannot be arranged", failure.error) +
             advice_on_files(failure.error == EINVAL ? EMFILE : failure.error);
    case Step::kExec:
      return describe_errno("the subject's program cannot be executed (execveat of a memfd)",
                            failure.error) +
             (failure.error == EACCES || failure.error == EPERM
                  ? "; the system may forbid programs in anonymous memory: set "
                    "/proc/sys/vm/memfd_noexec to 0 or 1, or relax the security policy"
                  : "");
  }
  return "the subject cannot be started";
}

Descriptor program_file() {
  const auto size = static_cast<std::size_t>(assay_subject_image_end - assay_subject_image);
  Descriptor file = anonymous_file("assay-subject", 0);
  if (write(file.get(), assay_subject_image, size) != static_cast<ssize_t>(size)) {
    throw EnvironmentError(describe_errno("cannot write the subject's program", errno));
  }
  return file;
}

/// What the child does between fork and exec. It may make async-signal-safe calls only.
class Child {
 public:
  /// `channel` is what counters are passed over; negative if there are none.
  Child(const SharedMemory& memory, int program, int report, int channel)
      : arena_(memory.arena_descriptor()),
        frame_(memory.frame_descriptor()),
        program_(program),
        report_(report),
        channel_(channel) {}

  [[noreturn]] void become_subject(pid_t monitor) {
    // The monitor's death must kill the subject. Once it is traced, EXITKILL sees to that; this is
    // for the time before.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != monitor) give_up(Step::kSession);
    if (setsid() < 0) give_up(Step::kSession);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (channel_ >= 0) receive_counters();
    arrange_descriptors();
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) give_up(Step::kTrace);
    // The name is writable because execveat takes no pointer to constants; it is never changed.
    static char name[] = "assay-subject";
    char* const arguments[] = {name, nullptr};
    char* const environment[] = {nullptr};
    syscall(SYS_execveat, program_, "", arguments, environment, AT_EMPTY_PATH);
    give_up(Step::kExec);
  }

 private:
  void receive_counters() {
    // A process whose program has file capabilities is not dumpable, and perf_event_open refuses to
    // count it (ptrace(2), "Ptrace access mode checking"). The program that it executes next makes
    // it dumpable anyway, and it keeps its counters. For a set-user-ID program neither is true, but
    // then there are no counters to pass (perf_refusal.h, counters_outlast_exec).
    if (prctl(PR_SET_DUMPABLE, 1) != 0 || !send_descriptors(channel_, {}) ||
        !receive_descriptors(channel_, counters_, counter_count_)) {
      give_up(Step::kCounters);
    }
  }

  int move_aside(int descriptor) {
    // This is above every number at which a descriptor will be placed.
    const int aside = kFirstCounterDescriptor + static_cast<int>(counter_count_);
    const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, aside);
    if (moved < 0) give_up(Step::kDescriptors);
    return moved;
  }

  void arrange_descriptors() {
    report_ = move_aside(report_);
    program_ = move_aside(program_);
    arena_ = move_aside(arena_);
    frame_ = move_aside(frame_);
    const std::span counters(counters_.data(), counter_count_);
    for (int& counter : counters) counter = move_aside(counter);
    place(arena_, kArenaDescriptor);
    place(frame_, kFrameDescriptor);
    int behind = kFirstCounterDescriptor;
    for (const int counter : counters) place(counter, behind++);
    // Everything else closes on exec, including the standard streams and what assay inherited.
    for (const int stream : {0, 1, 2}) close(stream);
    constexpr unsigned kCloseOnExec = 4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
    if (syscall(SYS_close_range, behind, ~0U, kCloseOnExec) == 0) return;
    for (int number = behind; number < 65536; ++number) fcntl(number, F_SETFD, FD_CLOEXEC);
  }

  void place(int descriptor, int number) {
    if (dup2(descriptor, number) < 0) give_up(Step::kDescriptors);
  }

  [[noreturn]] void give_up(Step step) {
    const LaunchFailure failure{step, errno};
    // If even this fails, the exit code alone tells the monitor that something went wrong.
    [[maybe_unused]] const ssize_t written = write(report_, &failure, sizeof(failure));
    _exit(1);
  }

  int arena_;
  int frame_;
  int program_;
  int report_;
  int channel_;
  std::array<int, kMaxCounterPages> counters_{};
  std::size_t counter_count_ = 0;
};

/// Ends the child, unless it has become the subject and is released.
class StartedChild {
 public:
  explicit StartedChild(pid_t pid) : pid_(pid) {}
  ~StartedChild() {
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, __WALL) > 0 && WIFSTOPPED(status)) {
    }
  }
  StartedChild(const StartedChild&) = delete;
  StartedChild& operator=(const StartedChild&) = delete;

  pid_t release() { return std::exchange(pid_, -1); }

 private:
  pid_t pid_;
};

WaitStatus wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, __WALL) < 0) {
    if (errno != EINTR) {
      throw EnvironmentError(describe_errno("cannot wait for the subject (waitpid)", errno));
    }
  }
  return WaitStatus(status);
}

/// Waits until the child stops by a trap or ends. Any other stop is a signal from outside, which is
/// dropped.
WaitStatus wait_for_trap(pid_t pid) {
  for (;;) {
    const WaitStatus status = wait_for(pid);
    if (!status.stopped() || status.stop_signal() == SIGTRAP) return status;
    ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  }
}

void pass_counters(pid_t pid, int channel, Request& request, const OpenCounters& open_counters) {
  std::array<int, kMaxCounterPages> none{};
  std::size_t count = 0;
  // If the child ends before it is ready for its counters, await_exec() will tell why.
  if (!receive_descriptors(channel, none, count)) return;
  const std::vector<int> pages = open_counters(pid);
  if (pages.size() > kMaxCounterPages) throw Error("more counters than the subject has pages for");
  request.counter_pages = static_cast<std::uint32_t>(pages.size());
  if (!send_descriptors(channel, pages)) {
    throw EnvironmentError(describe_errno("cannot pass counters to the subject (sendmsg)", errno));
  }
}

void await_exec(pid_t pid, int report) {
  const WaitStatus status = wait_for_trap(pid);
  if (status.stopped()) return;
  LaunchFailure failure{};
  if (read(report, &failure, sizeof(failure)) == sizeof(failure)) {
    throw EnvironmentError(explain(failure));
  }
  throw EnvironmentError("the subject ended before its program ran");
}

std::string explain_startup(const Report& report) {
  static constexpr std::array kSteps = {
      "", "map its code and its memory", "map its counters' pages",
      "give up its rights (capset, prlimit)", "install its system-call filter (seccomp)"};
  const bool allowance =
      report.failed_step == StartupStep::kMapCounters && report.startup_errno == EPERM;
  return describe_errno(std::string("the subject cannot ") +
                            kSteps.at(static_cast<std::size_t>(report.failed_step)),
                        report.startup_errno) +
         (allowance ? "; what counters may lock of memory is used up: raise "
                      "/proc/sys/kernel/perf_event_mlock_kb or the limit on locked memory "
                      "(ulimit -l)"
                    : "");
}

void await_ready(pid_t pid, const Report& report) {
  if (ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_EXITKILL) != 0 ||
      ptrace(PTRACE_CONT, pid, nullptr, nullptr) != 0) {
    throw EnvironmentError(describe_errno("cannot trace the subject (ptrace)", errno) +
                           ptrace_advice());
  }
  const WaitStatus status = wait_for_trap(pid);
  if (status.stopped() && report.magic == kMagic) return;
  if (report.failed_step != StartupStep::kReady) throw EnvironmentError(explain_startup(report));
  throw EnvironmentError("the subject's program did not report that it is ready");
}

SystemCallKey new_key() {
  SystemCallKey key{};
  if (getrandom(&key, sizeof(key), 0) != sizeof(key)) {
    throw EnvironmentError(describe_errno("cannot get random numbers (getrandom)", errno));
  }
  return key;
}

}  // namespace

LaunchedProgram launch_program(const SharedMemory& memory, const OpenCounters& open_counters) {
  const SystemCallKey key = new_key();
  memory.clear();
  memory.request().key = key;
  const Descriptor program = program_file();
  Pipe report = make_pipe();
  DescriptorChannel channel;
  if (open_counters) channel = descriptor_channel();
  const pid_t monitor = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    const int error = errno;
    throw EnvironmentError(describe_errno("cannot start the subject (fork)", error) +
                           advice_on_processes(error));
  }
  if (pid == 0) {
    Child(memory, program.get(), report.to_write.get(), channel.child.get())
        .become_subject(monitor);
  }
  StartedChild child(pid);
  report.to_write.close();
  channel.child.close();
  if (open_counters) pass_counters(pid, channel.parent.get(), memory.request(), open_counters);
  await_exec(pid, report.to_read.get());
  await_ready(pid, memory.report());
  // The program has read the key from the request, and may have left it on its stack.
  memory.request().key = {};
  std::ranges::fill(memory.stack(), 0);
  return {child.release(), key};
}

}  // namespace assay::subject
