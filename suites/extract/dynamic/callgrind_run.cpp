#include "suites/extract/dynamic/callgrind_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "profiler/support/descriptor.h"
#include "profiler/support/error.h"
#include "profiler/support/pipe.h"

namespace assay {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// The time between two looks at what has happened.
constexpr std::chrono::milliseconds kStep{20};

/// A signal that tells processes to end, and how long they have to do so. Writing the profile of a
/// large program takes some seconds.
struct Request {
  int signal;
  std::chrono::seconds patience;
};
constexpr std::array kRequests = {Request{SIGTERM, std::chrono::seconds(10)},
                                  Request{SIGABRT, std::chrono::seconds(30)},
                                  Request{SIGKILL, std::chrono::seconds(10)}};

/// The path as valgrind takes it: in names of its files, '%' begins a place-holder.
std::string valgrind_path(const std::filesystem::path& path) {
  std::string escaped;
  for (const char c : path.string()) escaped += c == '%' ? std::string("%%") : std::string(1, c);
  return escaped;
}

std::vector<std::string> command_of(const CallgrindRequest& request) {
  const std::string folder = valgrind_path(request.folder);
  std::vector<std::string> command = {
      "valgrind",
      "--command-line-only=yes",
      "--tool=callgrind",
      "--callgrind-out-file=" + folder + "/profile.%p",
      "--log-file=" + folder + "/log.%p",
      "--quiet",
      "--sigill-diagnostics=yes",
      "--vgdb=no",
      "--trace-children=yes",
      "--dump-instr=yes",
      "--dump-line=no",
      "--collect-jumps=yes",
      "--demangle=no",
      // Without this, instructions of linkage tables are counted as those of the calls.
      "--skip-plt=no",
      // A profile ends where a process forks: otherwise the child's would begin with what the
      // parent ran.
      "--dump-before=fork",
      "--dump-before=_Fork",
      "--dump-before=vfork",
      request.program,
  };
  command.insert(command.end(), request.arguments.begin(), request.arguments.end());
  return command;
}

Descriptor opened(const std::string& path, int flags, const char* what) {
  constexpr mode_t kReadWriteForAll = 0666;
  Descriptor file(open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, kReadWriteForAll));
  if (file.get() < 0) throw InputError(describe_errno(what + path, errno));
  return file;
}

/// While it lives, orphaned descendants become children of this process.
class Adoption {
 public:
  Adoption() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Adoption() { prctl(PR_SET_CHILD_SUBREAPER, 0); }
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;
};

/// Turns the new process into the command; writes errno to `failure` if that fails.
[[noreturn]] void become(char* const* command, int input, int output, int failure, pid_t parent) {
  // A session of its own: Ctrl-C in the terminal does not reach it, and one kill() reaches its
  // group.
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::signal(SIGPIPE, SIG_DFL);
  // The parent may have ended before PR_SET_PDEATHSIG was set: then no signal would come.
  const bool ready = getppid() == parent && dup2(input, STDIN_FILENO) >= 0 &&
                     dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0;
  if (ready) execvp(command[0], command);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(failure, &error, sizeof error);
  _exit(127);
}

/// The program and all processes that it started.
class Family {
 public:
  explicit Family(const CallgrindRequest& request);
  /// Kills all processes that are left.
  ~Family();
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  CallgrindRun wait(const CallgrindRequest& request);

 private:
  void start(const CallgrindRequest& request);
  void read_output(std::chrono::milliseconds patience);
  void reap();
  void end_early(EarlyEnd reason);
  /// Sends the current request's signal to all processes that have not got it yet.
  void ask();
  void ask(pid_t process, bool group);

  Adoption adoption_;
  Descriptor output_;  ///< what the program writes, unless that goes to a file
  pid_t first_ = -1;
  bool living_ = true;  ///< some process of the family lives
  bool first_lives_ = true;
  std::size_t requests_ = 0;  ///< how many of kRequests have been made
  std::set<pid_t> asked_;     ///< processes that got the signal of the last request
  SteadyClock::time_point patience_ends_;
  CallgrindRun run_;
};

Family::Family(const CallgrindRequest& request) { start(request); }

Family::~Family() {
  requests_ = kRequests.size();
  while (living_) {
    asked_.clear();
    ask();
    reap();
    if (living_) std::this_thread::sleep_for(kStep);
  }
}

void Family::start(const CallgrindRequest& request) {
  const Descriptor input = opened(request.input, O_RDONLY, "cannot open the program's input ");
  auto [from_program, to_us] = make_pipe();
  auto [failure, to_tell] = make_pipe();
  Descriptor file;
  if (!request.output.empty()) {
    file = opened(request.output, O_WRONLY | O_CREAT | O_TRUNC,
                  "cannot write the program's output to ");
  } else {
    output_ = std::move(from_program);
  }
  std::vector<std::string> words = command_of(request);
  std::vector<char*> command;
  for (std::string& word : words) command.push_back(word.data());
  command.push_back(nullptr);
  const pid_t self = getpid();
  first_ = fork();
  if (first_ == 0) {
    become(command.data(), input.get(), file.get() >= 0 ? file.get() : to_us.get(), to_tell.get(),
           self);
  }
  if (first_ < 0) throw EnvironmentError(describe_errno("cannot start a process", errno));
  to_tell.close();
  int error = 0;
  if (read(failure.get(), &error, sizeof error) != sizeof error) return;
  waitpid(first_, nullptr, 0);
  if (error != ENOENT) throw EnvironmentError(describe_errno("cannot start valgrind", error));
  throw EnvironmentError(
      "valgrind is not installed: extracting what runs takes the program `valgrind` (on Debian, "
      "the package valgrind)");
}

CallgrindRun Family::wait(const CallgrindRequest& request) {
  const SteadyClock::time_point start = SteadyClock::now();
  while (living_) {
    read_output(kStep);
    reap();
    if (request.interrupted && request.interrupted()) {
      end_early(EarlyEnd::kInterrupted);
    } else if (requests_ > 0) {
      if (SteadyClock::now() >= patience_ends_) end_early(run_.early_end);
      ask();
    } else if (request.time_limit && SteadyClock::now() - start >= *request.time_limit) {
      end_early(EarlyEnd::kTimeLimit);
    }
  }
  read_output(std::chrono::milliseconds(0));
  return run_;
}

void Family::end_early(EarlyEnd reason) {
  run_.early_end = reason;
  requests_ = std::min(requests_ + 1, kRequests.size());
  const Request& request = kRequests.at(requests_ - 1);
  run_.killed = run_.killed || request.signal == SIGKILL;
  patience_ends_ = SteadyClock::now() + request.patience;
  asked_.clear();
  ask();
}

/// Signals the first process with all of its group, and the orphans. More orphans may appear each
/// time, since the children of processes that end become orphans. Each process gets the signal only
/// once, because some programs take a second one for impatience.
void Family::ask() {
  if (first_lives_) ask(first_, true);
  std::ifstream children("/proc/thread-self/children");
  for (pid_t child = 0; children >> child;) {
    const bool in_group = getpgid(child) == first_;
    if (!in_group || !asked_.contains(first_)) ask(child, false);
  }
}

void Family::ask(pid_t process, bool group) {
  if (!asked_.insert(process).second) return;
  kill(group ? -process : process, kRequests.at(requests_ - 1).signal);
}

void Family::reap() {
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
    if (ended != first_) continue;
    first_lives_ = false;
    run_.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  // ECHILD: neither the program nor an orphan is left.
  living_ = ended == 0 || errno != ECHILD;
  if (living_ && !first_lives_) run_.left_processes = true;
}

/// Reads what the program has written; waits up to `patience` for the first of it.
void Family::read_output(std::chrono::milliseconds patience) {
  pollfd end{output_.get(), POLLIN, 0};  // without a descriptor (-1), poll() only waits
  std::array<char, 1 << 16> buffer{};
  for (int rounds = 0; rounds < 64 && poll(&end, 1, static_cast<int>(patience.count())) > 0;
       ++rounds) {
    const ssize_t count = read(end.fd, buffer.data(), buffer.size());
    if (count <= 0) {
      output_.close();
      return;
    }
    run_.last_output.append(buffer.data(), static_cast<std::size_t>(count));
    if (run_.last_output.size() > kLastOutput) {
      run_.last_output.erase(0, run_.last_output.size() - kLastOutput);
    }
    patience = std::chrono::milliseconds(0);
  }
}

/// The first kLastOutput bytes of a file.
std::string start_of(const std::filesystem::path& path) {
  std::string text(kLastOutput, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void find_profiles(const std::filesystem::path& folder, CallgrindRun& run) {
  std::vector<std::filesystem::path> logs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("log.")) logs.push_back(entry.path());
    if (!name.starts_with("profile.")) continue;
    // Callgrind creates the file when a process starts, and writes it when the process ends.
    if (entry.file_size() == 0) {
      ++run.empty_profiles;
    } else {
      run.profiles.push_back(entry.path());
    }
  }
  std::ranges::sort(run.profiles);
  std::ranges::sort(logs);
  for (const auto& log : logs) {
    if (run.log.size() < kLastOutput) run.log += start_of(log);
  }
}

}  // namespace

CallgrindRun run_under_callgrind(const CallgrindRequest& request) {
  CallgrindRun run = Family(request).wait(request);
  find_profiles(request.folder, run);
  return run;
}

}  // namespace assay
