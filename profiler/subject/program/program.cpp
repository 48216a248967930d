// The subject's own program: freestanding, at a fixed address (see layout.h), without libc, without
// writable data of its own, and without any vector instruction, so that nothing that a block does
// to registers can matter to it. It sets up its address space, unmaps everything else, locks itself
// behind a system-call filter, and from then on only runs the entries that the monitor starts it
// at. Each entry ends with a breakpoint, which stops the program for the monitor. While a kernel
// runs, whose block may write to the stack and to the report, the program keeps nothing there that
// could lead it astray: it begins anew behind each run, with the request, which cannot be written
// to, and the number of runs, which it checks.

#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/seccomp.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "profiler/subject/layout.h"

namespace assay::subject {
namespace {

// These constants of <sys/mman.h> and <stddef.h> are repeated because those headers belong to libc.
constexpr long kReadOnly = 1;     // PROT_READ
constexpr long kReadWrite = 3;    // PROT_READ | PROT_WRITE
constexpr long kReadExecute = 5;  // PROT_READ | PROT_EXEC
constexpr long kSharedFixed = MAP_SHARED | 0x10 /* MAP_FIXED */;
// MAP_POPULATE enters pages in the page tables at once: a first touch in a timed run would be a
// page fault.
constexpr long kFrameFlags = MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_POPULATE;

// program.S has these numbers too.
static_assert(kRequest == 0x5ec7'0010'0000 && kRequestSize == 0x1'0000 && kReadOnly == 1 &&
              kStack == 0x5ec7'0020'0000 && kStackTop == 0x5ec7'0021'0000 &&
              kWritableSize == 0x3'0000 && kFrameFlags == 0x10'8001 && kReadWrite == 3 &&
              kFrameDescriptor == 4 && kPageSize == 4096 && sizeof(PageChange) == 16 &&
              __NR_mmap == 9 && __NR_mprotect == 10 && __NR_munmap == 11);

const Request& request() { return *reinterpret_cast<const Request*>(kRequest); }
Report& report() { return *reinterpret_cast<Report*>(kReport); }

}  // namespace

extern "C" {
// In program.S: the system calls of start-up.
long subject_syscall(long number, long a, long b, long c, long d, long e, long f);
// In program.S: the entries that change rights and pages, and the addresses behind their
// system-call instructions, by which the filter recognises them.
[[gnu::visibility("hidden")]] extern const char subject_change_rights[];
[[gnu::visibility("hidden")]] extern const char subject_change_pages[];
[[gnu::visibility("hidden")]] extern const char subject_rights_return[];
[[gnu::visibility("hidden")]] extern const char subject_pages_return[];
// In program.S: the breakpoints, and the addresses behind them, where RIP stands then.
[[noreturn]] void subject_stop_series();
[[gnu::visibility("hidden")]] extern const char subject_pages_stop[];
[[gnu::visibility("hidden")]] extern const char subject_series_stop[];
// In program.S: runs a kernel, and where kernels lead.
[[noreturn]] void subject_run_kernel(std::uint64_t entry);
[[gnu::visibility("hidden")]] extern const char subject_next_run[];
}

namespace {

[[noreturn]] void fail(StartupStep step, long error) {
  report().failed_step = step;
  report().startup_errno = static_cast<std::int32_t>(-error);
  subject_stop_series();
}

long map(std::uint64_t address, std::uint64_t size, long protection, long flags, int descriptor,
         std::uint64_t offset) {
  const long result =
      subject_syscall(__NR_mmap, static_cast<long>(address), static_cast<long>(size), protection,
                      flags, descriptor, static_cast<long>(offset));
  return result == static_cast<long>(address) ? 0 : (result < 0 ? result : -EEXIST);
}

/// Unmaps everything but [kBase, kBase + kSpan): the kernel's start-up stack, the vDSO and its
/// data. Some kernels seal the vDSO; then it stays, and a block that asks for its pages is told
/// that they are taken.
void unmap_the_rest() {
  const std::uint64_t end = kBase + kSpan;
  subject_syscall(__NR_munmap, 0, static_cast<long>(kBase), 0, 0, 0, 0);
  subject_syscall(__NR_munmap, static_cast<long>(end), static_cast<long>(kUserEnd - end), 0, 0, 0,
                  0);
}

/// Gives up all capabilities, and the right to open, to write or to start anything.
long give_up_rights() {
  // The structs of <linux/capability.h>, version 3: an effective, a permitted and an inheritable
  // set, of two words each.
  const __user_cap_header_struct version{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  long result = subject_syscall(__NR_capset, reinterpret_cast<long>(&version),
                                reinterpret_cast<long>(none), 0, 0, 0, 0);
  const rlimit64 nothing{0, 0};
  constexpr long kResources[] = {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_NPROC, RLIMIT_CORE};
  for (const long resource : kResources) {
    if (result < 0) return result;
    result =
        subject_syscall(__NR_prlimit64, 0, resource, reinterpret_cast<long>(&nothing), 0, 0, 0);
  }
  return result;
}

/// Installs the filter. With the key, it allows to map single pages onto frames, readable and
/// writable, and to unmap single pages, from the one instruction of subject_change_pages that does
/// so; and from that of subject_change_rights, to take all rights to the stack, the report and the
/// trace, and to give them back, and so the right to read the request. Anything else is denied,
/// also by the entry of another architecture (int 0x80) and with the numbers of x32, and raises
/// SIGSYS, which stops the process for the monitor.
long install_filter() {
  const auto pages = reinterpret_cast<std::uint64_t>(subject_pages_return);
  const auto rights = reinterpret_cast<std::uint64_t>(subject_rights_return);
  const SystemCallKey key = request().key;
  constexpr auto kIp = static_cast<std::uint32_t>(offsetof(seccomp_data, instruction_pointer));
  constexpr auto kArch = static_cast<std::uint32_t>(offsetof(seccomp_data, arch));
  constexpr auto kNumber = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
  constexpr std::uint32_t kHigh = 4;
  const auto argument = [](std::uint32_t number) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args)) + 8 * number;
  };
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const auto high = [](std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); };
  // The filter is a list of words that have to hold a value. A word that does not leads to the end,
  // which denies the call, or to the other list.
  constexpr std::size_t kMost = 64;
  sock_filter program[kMost];
  std::size_t size = 0;
  constexpr std::uint8_t kDeny = 0xff;  // patched below
  constexpr std::uint8_t kOther = 0xfe;
  constexpr std::uint8_t kOtherRange = 0xfd;
  const auto expect = [&](std::uint32_t offset, std::uint32_t value, std::uint8_t otherwise) {
    program[size++] = {BPF_LD | BPF_W | BPF_ABS, 0, 0, offset};
    program[size++] = {BPF_JMP | BPF_JEQ | BPF_K, 0, otherwise, value};
  };
  const auto allow = [&] { program[size++] = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}; };
  expect(kArch, AUDIT_ARCH_X86_64, kDeny);
  expect(kIp + kHigh, high(pages), kDeny);
  expect(argument(3) + kHigh, key.fourth, kDeny);
  expect(argument(4) + kHigh, key.fifth, kDeny);
  expect(argument(1) + kHigh, 0, kDeny);
  // Changing rights:
  std::size_t from = size;
  expect(kIp, low(rights), kOther);
  expect(kNumber, __NR_mprotect, kDeny);
  static_assert(kStack >> 32 == kRequest >> 32);
  expect(argument(0) + kHigh, high(kStack), kDeny);
  const std::size_t ranges = size;
  expect(argument(0), low(kStack), kOtherRange);
  expect(argument(1), kWritableSize, kDeny);
  allow();
  for (std::size_t i = ranges; i < size; ++i) {
    if (program[i].jf == kOtherRange) program[i].jf = static_cast<std::uint8_t>(size - i - 1);
  }
  expect(argument(0), low(kRequest), kDeny);
  expect(argument(1), kRequestSize, kDeny);
  program[size++] = {BPF_LD | BPF_W | BPF_ABS, 0, 0, argument(2)};
  program[size++] = {BPF_ALU | BPF_AND | BPF_K, 0, 0, ~static_cast<std::uint32_t>(kReadOnly)};
  program[size++] = {BPF_JMP | BPF_JEQ | BPF_K, 0, kDeny, 0};
  allow();
  for (; from < size; ++from) {
    if (program[from].jf == kOther) program[from].jf = static_cast<std::uint8_t>(size - from - 1);
  }
  // Unmapping, then mapping:
  expect(kIp, low(pages), kDeny);
  expect(argument(1), kPageSize, kDeny);
  expect(kNumber, __NR_munmap, kOther);
  allow();
  for (; from < size; ++from) {
    if (program[from].jf == kOther) program[from].jf = static_cast<std::uint8_t>(size - from - 1);
  }
  expect(kNumber, __NR_mmap, kDeny);
  expect(argument(2), kReadWrite, kDeny);
  expect(argument(3), kFrameFlags, kDeny);
  expect(argument(4), kFrameDescriptor, kDeny);
  allow();
  for (from = 0; from < size; ++from) {
    if (program[from].jf == kDeny) program[from].jf = static_cast<std::uint8_t>(size - from - 1);
  }
  program[size++] = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_TRAP};
  sock_fprog filter{static_cast<unsigned short>(size), program};
  long result = subject_syscall(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0);
  if (result < 0) return result;
  // Kernels before 5.16 disable store-to-load forwarding for filtered processes (SSBD), which would
  // slow down what we measure; this flag asks them not to.
  result = subject_syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                           reinterpret_cast<long>(&filter), 0, 0, 0);
  if (result == -EINVAL) {  // before 4.17: the flag is unknown
    result = subject_syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0,
                             reinterpret_cast<long>(&filter), 0, 0, 0);
  }
  return result;
}

std::uint64_t next_random(std::uint64_t state) {  // xorshift64 (Marsaglia 2003)
  state ^= state << 13;
  state ^= state >> 7;
  return state ^ (state << 17);
}

void delay(std::uint64_t iterations) {
  asm volatile("1: sub $1, %0\n\tjnc 1b" : "+r"(iterations) : : "cc");
}

/// Reads lines at random, about as many as the largest first-level cache holds. The block's lines
/// then come back to other ways of their sets, each line to a way of its own. It matters where
/// lines lie: two that are read in one cycle must not be in the same bank of the same way (Zen 4: a
/// block of two loads took two thirds of a cycle, or 1.09 cycles in one of eight cases).
void evict() {
  constexpr std::uint64_t kLine = 64;
  constexpr int kLines = 768;
  static_assert(kTraceSize == 0x1'0000, "a random number has the offsets of four lines");
  const auto read_line = [](std::uint64_t random) {
    const std::uint64_t offset = random & (kTraceSize - kLine);
    asm volatile("movb (%0), %%al" : : "r"(kTrace + offset) : "rax", "memory");
  };
  std::uint64_t state = report().phase_state;
  for (int i = 0; i < kLines; i += 4) {
    state = next_random(state);
    for (int part = 0; part < 64; part += 16) read_line(state >> part);
  }
  report().phase_state = state;
}

void fill_frames() {
  const Request& request = subject::request();
  for (std::uint64_t i = 0; i < request.fills; ++i) {
    std::uint64_t destination = request.fill_address[i];
    std::uint64_t words = request.fill_words[i];
    asm volatile("rep stosq" : "+D"(destination), "+c"(words) : "a"(request.fill_word) : "memory");
  }
  asm volatile("mfence" : : : "memory");  // stores leave the store buffer now, not during the run
}

/// The page of a watched counter, by its number among these.
const volatile perf_event_mmap_page& counter_page(std::uint32_t watched) {
  return *reinterpret_cast<const volatile perf_event_mmap_page*>(
      kCounterPages + (request().watched_page + watched) * kPageSize);
}

/// Records the present index of each watched counter. Returns whether all counters are where the
/// series' kernels read them. See perf_event_mmap_page in <linux/perf_event.h>: `index` is one more
/// than what RDPMC takes, or 0 while RDPMC may not be used or the counter does not count; the
/// kernel changes `lock` whenever it changes any of that, as when the process is scheduled.
bool look_at_counters() {
  bool expected = true;
  for (std::uint32_t i = 0; i < request().watched; ++i) {
    const std::uint32_t index = counter_page(i).index;
    report().seen_index[i] = index;
    if (index == 0 || index != request().expected_index[i]) expected = false;
  }
  return expected;
}

/// Whether the mask has the bit of a kernel.
bool has(const std::uint64_t (&mask)[kMaxKernels / 64], std::uint32_t kernel) {
  return (mask[kernel / 64] >> kernel % 64 & 1) != 0;
}

/// Runs the kernel whose turn it is.
[[noreturn]] void begin_run(std::uint32_t run) {
  const Request& request = subject::request();
  Report& report = subject::report();
  const std::uint32_t kernel = run % request.kernels;
  if (has(request.eviction_mask, kernel)) {
    evict();
    if (report.evicted_run != run) report.returns = 0;
    report.evicted_run = run;
  }
  if (has(request.refill_mask, kernel)) fill_frames();
  report.phase_state = next_random(report.phase_state);
  delay(report.phase_state & request.phase_mask);
  subject_run_kernel(request.kernel_entry[kernel]);
}

[[noreturn]] void end_series() {
  Report& report = subject::report();
  report.ticks = __builtin_ia32_rdtsc() - report.start;
  if (!look_at_counters()) report.counters_moved = 1;
  for (std::uint32_t i = 0; i < request().watched; ++i) {
    if (counter_page(i).lock != report.lock[i]) report.counters_moved = 1;
  }
  subject_stop_series();
}

[[noreturn]] void run_series() {
  Report& report = subject::report();
  report.runs = 0;
  for (std::uint32_t i = 0; i < request().watched; ++i) report.lock[i] = counter_page(i).lock;
  report.counters_moved = look_at_counters() ? 0 : 1;
  if (report.counters_moved) subject_stop_series();
  report.evicted_run = 0;
  report.returns = 0;
  report.retried = 0;
  report.phase_state = request().phase_seed;
  report.start = __builtin_ia32_rdtsc();
  begin_run(0);
}

}  // namespace

// program.S calls this behind each kernel.
extern "C" [[noreturn]] void subject_end_run() {
  const Request& request = subject::request();
  Report& report = subject::report();
  const std::uint32_t run = report.runs;
  const std::uint32_t runs = request.rounds * request.kernels;
  // Only a block that wrote there takes it so far.
  if (run >= runs) end_series();
  for (std::uint32_t i = 0; i < request.counters; ++i) {
    // The counts are read as volatile; otherwise the compiler would call memcpy, which does not
    // exist here.
    const volatile std::uint32_t& count = report.counts[i];
    report.readings[run * request.counters + i] = count;
  }
  std::uint32_t next = run + 1;
  const bool is_slow = report.counts[0] > request.most_count[run % request.kernels];
  if (is_slow && report.returns < request.retries) {
    ++report.returns;
    ++report.retried;
    next = report.evicted_run;
  }
  report.runs = next;
  if (next >= runs) end_series();
  begin_run(next);
}

// program.S calls this second, on the program's own stack: the stack that the kernel gave is
// unmapped here.
extern "C" [[noreturn]] void subject_lock() {
  unmap_the_rest();
  if (const long error = give_up_rights(); error < 0) fail(StartupStep::kRights, error);
  if (const long error = install_filter(); error < 0) fail(StartupStep::kFilter, error);
  Report& result = report();
  result.change_rights = reinterpret_cast<std::uint64_t>(subject_change_rights);
  result.change_pages = reinterpret_cast<std::uint64_t>(subject_change_pages);
  result.run_series = reinterpret_cast<std::uint64_t>(run_series);
  result.next_run = reinterpret_cast<std::uint64_t>(subject_next_run);
  result.pages_stop = reinterpret_cast<std::uint64_t>(subject_pages_stop);
  result.series_stop = reinterpret_cast<std::uint64_t>(subject_series_stop);
  result.failed_step = StartupStep::kReady;
  result.magic = kMagic;
  subject_stop_series();
}

// program.S calls this first, on the stack that the kernel gave.
extern "C" void subject_map() {
  long error = map(kStack, kWritableSize, kReadWrite, kSharedFixed | MAP_POPULATE, kArenaDescriptor,
                   kStackOffset);
  // Without the report there is nowhere to report to: stop with its magic unset.
  if (error < 0) subject_stop_series();
  error = map(kRequest, kRequestSize, kReadOnly, kSharedFixed | MAP_POPULATE, kArenaDescriptor, 0);
  if (error < 0) fail(StartupStep::kMapArena, error);
  error = map(kCode, kCodeSize, kReadExecute, kSharedFixed | MAP_POPULATE, kArenaDescriptor,
              kCodeOffset);
  if (error < 0) fail(StartupStep::kMapArena, error);
  for (std::uint32_t i = 0; i < request().counter_pages; ++i) {
    error = map(kCounterPages + i * kPageSize, kPageSize, kReadOnly, kSharedFixed | MAP_POPULATE,
                kFirstCounterDescriptor + static_cast<int>(i), 0);
    if (error < 0) fail(StartupStep::kMapCounters, error);
  }
}

}  // namespace assay::subject
