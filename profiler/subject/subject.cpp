#include "profiler/subject/subject.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "profiler/subject/launch.h"
#include "profiler/support/error.h"

namespace assay::subject {
namespace {

constexpr std::uint64_t kBreakpointSize = 1;  // INT3
constexpr std::uint64_t kFlags = 0x202;  // interrupts on, as the system requires; all else clear

/// A machine that is short of processors may keep the subject waiting, but not as long as this.
constexpr std::chrono::minutes kStarvation{1};

/// The number of readings of the whole series.
std::uint64_t readings_of(const Series& series) {
  return series.rounds * series.kernels.size() * series.counters;
}

Fault damage(const std::string& what) { return {{Reason::kSubjectDamaged, what}}; }

/// Whether a ptrace request succeeded. It does not if the subject has been killed meanwhile, which
/// waiting for it will show. Throws EnvironmentError for any other failure.
bool done(long result, const char* what) {
  if (result == 0) return true;
  if (errno == ESRCH) return false;
  throw EnvironmentError(
      describe_errno(fmt::format("cannot {} the subject (ptrace)", what), errno));
}

}  // namespace

Subject::Subject(const OpenCounters& open_counters) {
  refilled_.fill(kAllLines);
  // Somebody may kill the process before it is ready (a user, the system short of memory).
  constexpr int kMostLaunches = 4;
  for (int launches = 1; !alive_; ++launches) {
    try {
      launch(open_counters);
    } catch (const EnvironmentError&) {
      if (launches == kMostLaunches) throw;
    }
  }
  // From now on, the subject's memory holds nothing that its program is to be called by.
  const Report& report = memory_.report();
  entries_ = {report.change_rights, report.change_pages, report.run_series, report.pages_stop,
              report.series_stop};
  memory_.request().next_run = report.next_run;
  mappings_ = Mappings(pid_);
  for (const std::string_view line : lines_of(mappings_.read())) own_mappings_.emplace_back(line);
}

Subject::~Subject() { end(); }

void Subject::launch(const OpenCounters& open_counters) {
  const LaunchedProgram program = launch_program(memory_, open_counters);
  pid_ = program.pid;
  key_ = program.key;
  alive_ = true;
  time_at_stop_ = processor_time();
  if (!done(ptrace(PTRACE_GETREGS, pid_, nullptr, &start_registers_), "read the registers of")) {
    end();
    throw EnvironmentError("the subject was killed as soon as it had started");
  }
}

void Subject::end() {
  if (!alive_) return;
  alive_ = false;
  // If that is not allowed, it ends with this thread, which traces it (PTRACE_O_EXITKILL).
  if (kill(pid_, SIGKILL) != 0) return;
  int status = 0;
  while (waitpid(pid_, &status, __WALL) > 0 && WIFSTOPPED(status)) {
  }
}

void Subject::load_code(std::uint64_t offset, std::span<const std::uint8_t> code) {
  if (offset > kCodeSize || code.size() > kCodeSize - offset) {
    throw Error("machine code that does not fit the subject's code area");
  }
  std::ranges::copy(code, memory_.code().begin() + static_cast<std::ptrdiff_t>(offset));
}

void Subject::check(const Series& series, const Limits& limits) const {
  const std::size_t watched = series.watch.indices.size();
  const std::size_t retried = series.retries.most.size();
  if (series.kernels.empty() || series.kernels.size() > kMaxKernels || series.counters < 1 ||
      series.counters > kMaxCounters || readings_of(series) > kMaxReadings ||
      limits.pages > kMaxPages || series.frames < kOwnFrames || series.frames > kMaxFrames ||
      watched > kMaxCounters || (retried > 0 && retried != series.kernels.size()) ||
      series.watch.first_page + watched > memory_.request().counter_pages) {
    throw Error("a series outside its bounds");
  }
  if (series.frames != frames_ && pages_.size() > expected_pages_.size()) {
    throw Error("another number of frames while pages are mapped");
  }
}

void Subject::request_series(const Series& series) {
  Request& request = memory_.request();
  request.rounds = series.rounds;
  request.kernels = static_cast<std::uint32_t>(series.kernels.size());
  std::ranges::copy(series.kernels, request.kernel_entry);
  request.counters = series.counters;
  request.watched = static_cast<std::uint32_t>(series.watch.indices.size());
  request.watched_page = series.watch.first_page;
  std::ranges::copy(series.watch.indices, request.expected_index);
  for (std::size_t i = 0; i < kMaxKernels / 64; ++i) {
    constexpr std::bitset<kMaxKernels> kWord(~0ULL);
    request.refill_mask[i] = (series.refill_mask >> 64 * i & kWord).to_ullong();
    request.eviction_mask[i] = (series.eviction_mask >> 64 * i & kWord).to_ullong();
  }
  std::ranges::copy(series.retries.most, request.most_count);
  request.retries = series.retries.most.empty() ? 0 : series.retries.times;
  request.fill_word = series.fill_word;
  request.phase_mask = series.phase_mask;
  request.phase_seed = random_() | 1;
  list_fills();
}

SeriesResult Subject::run(const Series& series, const Limits& limits) {
  check(series, limits);
  make_ready(series);

  SeriesResult result;
  const long preemptions = preemptions_;
  Stop stop = start(series, limits);
  while (stop.kind != StopKind::kDone) {
    result.fault = fault_of(stop, limits, result.pages_mapped);
    if (result.fault) {
      result.fault->registers = stop.registers;
      return result;
    }
    stop = resume(stop.registers, limits.time);
  }
  result.preempted = preemptions_ != preemptions;
  if (series.refill_mask != 0 && wrote_elsewhere()) {
    result.stale = true;
    refilled_.fill(kAllLines);
  }
  read_result(series, result);
  return result;
}

Fault Subject::run_guarded(std::uint64_t kernel, const Series& series, const Limits& limits) {
  check(series, limits);
  make_ready(series);
  for_each_frame(
      [&](int frame, std::uint64_t) { std::ranges::fill(words_of(frame), series.fill_word); });
  const PageCounts pages = request_pages();
  needs_rights_ = false;
  Stop stop = call(kernel, pages, series.segment_base, limits.time);
  left_pages_.clear();
  expected_pages_.clear();
  std::optional<Fault> fault;
  for (int pages_mapped = 0;;) {
    fault = fault_of(stop, limits, pages_mapped);
    if (fault) break;
    stop = resume(stop.registers, limits.time);
  }
  needs_rights_ = true;
  fault->registers = stop.registers;
  return *std::move(fault);
}

bool Subject::ends_at_counts(const Fault& fault) {
  return fault.outcome.reason == Reason::kSubjectMemory &&
         fault.address == kReport + offsetof(Report, counts);
}

void Subject::read_result(const Series& series, SeriesResult& result) {
  const Report& report = memory_.report();
  const std::size_t watched = series.watch.indices.size();
  const std::uint64_t runs = series.rounds * series.kernels.size();
  result.counters_moved = report.counters_moved != 0 && watched > 0;
  const bool nothing_ran = result.counters_moved && report.runs == 0;
  if (report.runs != (nothing_ran ? 0 : runs)) {
    result.fault = damage("its report was overwritten");
    return;
  }
  if (!nothing_ran) series_ticks_ = series_ticks_ + Ticks(static_cast<double>(report.ticks));
  const std::uint64_t most_retried = runs * series.retries.times;
  result.retried = static_cast<int>(std::min<std::uint64_t>(report.retried, most_retried));
  result.indices = {report.seen_index, watched};
  if (!result.counters_moved) result.readings = {report.readings, readings_of(series)};
}

std::optional<Fault> Subject::fault_of(Stop& stop, const Limits& limits, int& pages_mapped) {
  if (stop.kind == StopKind::kDead) return damage("it ended");
  if (stop.kind == StopKind::kPagesChanged) return damage("it did not run the series");
  if (stop.kind == StopKind::kTimeLimit) {
    const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(limits.time);
    return Fault{
        {Reason::kTimeLimit, fmt::format("more than {} ms of processor time", limit.count())}};
  }
  const auto code = code_at(stop.registers.rip);
  if (code.empty()) {
    return damage(fmt::format("{} at {:#x}, outside the kernels", strsignal(stop.signal.si_signo),
                              stop.registers.rip));
  }
  if (emulated(stop, code)) return std::nullopt;
  if (!is_missing_page(stop.signal)) return explain_signal(stop.signal, stop.registers, code);
  auto fault = supply_page(stop, limits);
  if (!fault) ++pages_mapped;
  return fault;
}

bool Subject::emulated(Stop& stop, std::span<const std::uint8_t> code) {
  constexpr std::array<std::uint8_t, 2> kRdpmc = {0x0f, 0x33};
  return emulator_ && is_general_protection(stop.signal) && code.size() >= kRdpmc.size() &&
         std::ranges::equal(code.first(kRdpmc.size()), kRdpmc) && emulator_(stop.registers);
}

std::optional<int> Subject::change_pages(std::span<const PageChange> mapped) {
  constexpr auto kLimit = std::chrono::seconds(10);
  std::ranges::copy(mapped, memory_.request().pages);
  const Stop stop = call(entries_.pages_stop - kBreakpointSize, {0, mapped.size()}, 0, kLimit);
  if (stop.kind == StopKind::kPagesChanged) return static_cast<int>(-stop.registers.rax);
  end();
  return std::nullopt;
}

void Subject::round_trip() { change_pages({}); }

std::span<const std::uint8_t> Subject::code_at(std::uint64_t rip) const {
  if (rip < kCode || rip >= kCode + kCodeSize) return {};
  constexpr std::size_t kLongestInstruction = 15;
  const std::span<const std::uint8_t> rest = memory_.code().subspan(rip - kCode);
  return rest.first(std::min(rest.size(), kLongestInstruction));
}

Subject::Stop Subject::call(std::uint64_t then, PageCounts pages, std::uint64_t segment_base,
                            std::chrono::nanoseconds limit) {
  // As program.S takes them. All others are zero: what the program left there at its start may
  // include the key.
  user_regs_struct registers{};
  registers.cs = start_registers_.cs;
  registers.ss = start_registers_.ss;
  registers.rip = has_rights_ ? entries_.change_pages : entries_.change_rights;
  registers.rdx = PROT_READ | PROT_WRITE;
  has_rights_ = needs_rights_;
  // Aligned as after a call instruction; 0 has the rights taken.
  registers.rsp = needs_rights_ ? kStackTop - sizeof(std::uint64_t) : 0;
  registers.rbx = kRequest + offsetof(Request, pages);
  registers.rbp = pages.unmapped;
  registers.r12 = std::uint64_t{key_.fourth} << 32;
  registers.r13 = std::uint64_t{key_.fifth} << 32;
  registers.r14 = then;
  registers.r15 = pages.mapped;
  registers.eflags = kFlags;
  registers.fs_base = segment_base;
  registers.gs_base = segment_base;
  registers.orig_rax = ~0ULL;  // no system call to restart
  return resume(registers, limit);
}

Subject::Stop Subject::resume(const user_regs_struct& registers, std::chrono::nanoseconds limit) {
  if (!alive_) return {StopKind::kDead, {}, {}};
  if (done(ptrace(PTRACE_SETREGS, pid_, nullptr, &registers), "set the registers of")) {
    continue_process();
  }
  return wait_for_stop(limit);
}

void Subject::continue_process() {
  // No signal is ever delivered: the subject has no handlers, and the default action would end it.
  done(ptrace(PTRACE_CONT, pid_, nullptr, nullptr), "continue");
}

Subject::Stop Subject::wait_for_stop(std::chrono::nanoseconds limit) {
  for (;;) {
    bool timed_out = false;
    const WaitStatus status = wait_interruptibly(limit, timed_out);
    ++stops_;
    if (timed_out) return interrupt();
    if (auto stop = interpret(status)) return *stop;
    continue_process();
  }
}

/// What a reported state means; nothing for a signal from outside, which is dropped.
std::optional<Subject::Stop> Subject::interpret(WaitStatus status) {
  Stop stop{StopKind::kDead, {}, {}};
  if (!status.stopped()) {
    alive_ = false;
    was_killed_ = status.killed();
    return stop;
  }
  if (!read_registers(stop)) return std::nullopt;
  if (status.stop_signal() == SIGTRAP && stop.registers.rip == entries_.series_stop) {
    stop.kind = StopKind::kDone;
    return stop;
  }
  if (status.stop_signal() == SIGTRAP && stop.registers.rip == entries_.pages_stop) {
    stop.kind = StopKind::kPagesChanged;
    return stop;
  }
  stop.kind = StopKind::kSignal;
  // This fails for stops that no signal caused (a group stop), which are not the block's doing
  // either.
  if (ptrace(PTRACE_GETSIGINFO, pid_, nullptr, &stop.signal) != 0) return std::nullopt;
  // SIGXCPU comes from a limit on assay's own processor time (ulimit -t), which the subject
  // inherits.
  if (sent_by_a_process(stop.signal) || status.stop_signal() == SIGXCPU) return std::nullopt;
  return stop;
}

WaitStatus Subject::wait_interruptibly(std::chrono::nanoseconds limit, bool& timed_out) {
  // While this process is stopped as well (Ctrl-Z), or the machine sleeps, nobody is starved.
  constexpr std::chrono::milliseconds kLongestStep{200};
  std::chrono::nanoseconds waited{};
  auto last = std::chrono::steady_clock::now();
  const auto start = time_at_stop_;
  deadline_.arm(limit);
  int status = 0;
  rusage usage{};
  while (wait4(pid_, &status, __WALL, &usage) < 0) {
    if (errno != EINTR) {
      throw EnvironmentError(describe_errno("cannot wait for the subject (wait4)", errno));
    }
    timed_out = processor_time() - start >= limit;
    if (timed_out) break;
    const auto now = std::chrono::steady_clock::now();
    waited += std::min<std::chrono::nanoseconds>(now - last, kLongestStep);
    last = now;
    if (waited >= kStarvation) {
      throw EnvironmentError(
          "the subject got no processor for a minute: is the machine overloaded, or the container "
          "frozen or out of its processor quota?");
    }
  }
  deadline_.disarm();
  if (!timed_out) note(usage);
  return WaitStatus(status);
}

/// Stops a subject that is still running. It may have stopped by itself at this very moment; then
/// the signal that is sent here arrives later and does no harm: it is dropped as a signal from
/// outside.
Subject::Stop Subject::interrupt() {
  if (kill(pid_, SIGSTOP) != 0) {
    throw EnvironmentError(
        describe_errno("cannot stop the subject at its time limit (kill)", errno) +
        "; let assay send signals to its own child: relax the security policy");
  }
  int status = 0;
  rusage usage{};
  while (wait4(pid_, &status, __WALL, &usage) < 0 && errno == EINTR) {
  }
  note(usage);
  Stop stop{StopKind::kDead, {}, {}};
  if (const WaitStatus state(status); !state.stopped()) {
    alive_ = false;
    was_killed_ = state.killed();
    return stop;
  }
  stop.kind = StopKind::kTimeLimit;
  if (read_registers(stop)) return stop;
  end();
  return {StopKind::kDead, {}, {}};
}

void Subject::note(const rusage& usage) {
  const auto of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  preemptions_ = usage.ru_nivcsw;
  time_at_stop_ = of(usage.ru_utime) + of(usage.ru_stime);
}

bool Subject::read_registers(Stop& stop) {
  return done(ptrace(PTRACE_GETREGS, pid_, nullptr, &stop.registers), "read the registers of");
}

std::chrono::nanoseconds Subject::processor_time() const {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace assay::subject
