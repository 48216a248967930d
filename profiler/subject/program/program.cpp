// The subject's own program: freestanding, at a fixed address (see layout.h), without libc, without
// writable data of its own, and without any vector instruction, so that nothing that a block does
// to registers can matter to it. It sets up its address space, unmaps everything else, locks itself
// behind a system-call filter, and from then on only runs the entries that the monitor starts it
// at. Each entry ends with a breakpoint, which stops the program for the monitor.

#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/prctl.h>
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
constexpr long kPrivateFixed = MAP_PRIVATE | 0x10 /* MAP_FIXED */ | 0x20 /* MAP_ANONYMOUS */;
constexpr long kSharedFixed = MAP_SHARED | 0x10 /* MAP_FIXED */;
// MAP_POPULATE enters pages in the page tables at once: a first touch in a timed run would be a
// page fault.
constexpr long kFrameFlags = MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_POPULATE;

static_assert(kSeriesStackTop == 0x5ec7'0011'0000, "program.S has this number too");

Control& control() { return *reinterpret_cast<Control*>(kControl); }

}  // namespace

extern "C" {
// In program.S: the program's only system-call instruction, and the address behind it, by which the
// filter recognises it.
long subject_syscall(long number, long a, long b, long c, long d, long e, long f);
[[gnu::visibility("hidden")]] extern const char subject_syscall_return[];
// In program.S: the breakpoint that ends every entry, and the address behind it, where RIP stands
// then.
[[noreturn]] void subject_stop();
[[gnu::visibility("hidden")]] extern const char subject_stop_address[];
}

namespace {

[[noreturn]] void fail(StartupStep step, long error) {
  control().failed_step = step;
  control().startup_errno = static_cast<std::int32_t>(-error);
  subject_stop();
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

/// Installs the filter, which allows what change_pages() asks for, and only from the program's
/// single system-call instruction. Anything else raises SIGSYS, which the monitor sees.
long install_filter() {
  const auto site = reinterpret_cast<std::uint64_t>(subject_syscall_return);
  const auto load = [](std::size_t offset) {
    return sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
  };
  const auto equal = [](std::uint64_t value, int if_not) {
    return sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, static_cast<std::uint8_t>(if_not),
                       static_cast<std::uint32_t>(value)};
  };
  constexpr std::size_t kIp = offsetof(seccomp_data, instruction_pointer);
  constexpr std::size_t kArgs = offsetof(seccomp_data, args);
  // A comparison that fails skips to the last instruction, which denies the call.
  sock_filter program[] = {
      load(offsetof(seccomp_data, arch)),
      equal(AUDIT_ARCH_X86_64, 14),
      load(kIp),
      equal(site & 0xffff'ffff, 12),
      load(kIp + 4),
      equal(site >> 32, 10),
      load(offsetof(seccomp_data, nr)),
      {BPF_JMP | BPF_JEQ | BPF_K, 7, 0, __NR_munmap},
      equal(__NR_mmap, 7),
      load(kArgs + 2 * 8),
      equal(kReadWrite, 5),
      load(kArgs + 3 * 8),
      equal(kFrameFlags, 3),
      load(kArgs + 4 * 8),
      equal(kFrameDescriptor, 1),
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_TRAP},
  };
  sock_fprog filter{sizeof(program) / sizeof(program[0]), program};
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
void evict(Control& request) {
  constexpr std::uint64_t kLine = 64;
  constexpr int kLines = 768;
  static_assert(kTraceSize == 0x1'0000, "a random number has the offsets of four lines");
  const auto read_line = [](std::uint64_t random) {
    const std::uint64_t offset = random & (kTraceSize - kLine);
    asm volatile("movb (%0), %%al" : : "r"(kTrace + offset) : "rax", "memory");
  };
  std::uint64_t state = request.phase_state;
  for (int i = 0; i < kLines; i += 4) {
    state = next_random(state);
    for (int part = 0; part < 64; part += 16) read_line(state >> part);
  }
  request.phase_state = state;
}

void fill_frames(const Control& request) {
  for (std::uint64_t i = 0; i < request.fills; ++i) {
    std::uint64_t destination = request.fill_address[i];
    std::uint64_t words = request.fill_words[i];
    asm volatile("rep stosq" : "+D"(destination), "+c"(words) : "a"(request.fill_word) : "memory");
  }
  asm volatile("mfence" : : : "memory");  // stores leave the store buffer now, not during the run
}

/// Records the present index of each watched counter and the state of its page's lock. Returns
/// whether all counters are where the series' kernels read them. See perf_event_mmap_page in
/// <linux/perf_event.h>: `index` is one more than what RDPMC takes, or 0 while RDPMC may not be
/// used or the counter does not count; the kernel changes `lock` whenever it changes any of that,
/// as when the process is scheduled.
bool look_at_counters(Control& request, std::uint32_t* locks) {
  bool expected = true;
  for (std::uint32_t i = 0; i < request.watched; ++i) {
    const volatile auto& page = *reinterpret_cast<const volatile perf_event_mmap_page*>(
        kCounterPages + (request.watched_page + i) * kPageSize);
    locks[i] = page.lock;
    const std::uint32_t index = page.index;
    request.seen_index[i] = index;
    if (index == 0 || index != request.expected_index[i]) expected = false;
  }
  return expected;
}

/// Unmaps and maps the pages of the request. Returns whether all could be mapped; the results say
/// how many were, and why the next one could not be.
bool change_pages(Control& request) {
  for (std::uint32_t i = 0; i < request.unmapped_count; ++i) {
    subject_syscall(__NR_munmap, static_cast<long>(request.unmapped[i]), kPageSize, 0, 0, 0, 0);
  }
  request.page_errno = 0;
  std::uint32_t mapped = 0;
  for (; mapped < request.page_count; ++mapped) {
    const long result = map(request.pages[mapped], kPageSize, kReadWrite, kFrameFlags,
                            kFrameDescriptor, request.offsets[mapped]);
    if (result < 0) {
      request.page_errno = static_cast<std::int32_t>(-result);
      break;
    }
  }
  request.pages_mapped = mapped;
  return request.page_errno == 0;
}

[[noreturn]] void map_pages() {
  change_pages(control());
  subject_stop();
}

[[noreturn]] void run_series() {
  Control& request = control();
  request.samples = 0;
  if (!change_pages(request)) subject_stop();
  std::uint32_t locks[kMaxCounters];
  request.counters_moved = look_at_counters(request, locks) ? 0 : 1;
  if (request.counters_moved) subject_stop();
  // The counts are read as volatile; otherwise the compiler would call memcpy, which does not exist
  // here.
  const volatile std::uint32_t* const counts = request.counts;
  const std::uint64_t start = __builtin_ia32_rdtsc();
  std::uint32_t* reading = request.readings;
  for (std::uint32_t round = 0; round < request.rounds; ++round) {
    for (std::uint32_t kernel = 0; kernel < request.kernels; ++kernel) {
      if (request.eviction_mask[kernel / 64] >> kernel % 64 & 1) evict(request);
      if (request.refill_mask[kernel / 64] >> kernel % 64 & 1) fill_frames(request);
      request.phase_state = next_random(request.phase_state);
      delay(request.phase_state & request.phase_mask);
      reinterpret_cast<void (*)()>(request.kernel_entry[kernel])();
      for (std::uint32_t i = 0; i < request.counters; ++i) *reading++ = counts[i];
      ++request.samples;
    }
  }
  request.ticks = __builtin_ia32_rdtsc() - start;
  std::uint32_t locks_now[kMaxCounters];
  if (!look_at_counters(request, locks_now)) request.counters_moved = 1;
  for (std::uint32_t i = 0; i < request.watched; ++i) {
    if (locks_now[i] != locks[i]) request.counters_moved = 1;
  }
  subject_stop();
}

}  // namespace

// program.S calls this second, on the program's own stack: the stack that the kernel gave is
// unmapped here.
extern "C" [[noreturn]] void subject_lock() {
  unmap_the_rest();
  if (const long error = install_filter(); error < 0) fail(StartupStep::kFilter, error);
  Control& result = control();
  result.run_series = reinterpret_cast<std::uint64_t>(run_series);
  result.map_pages = reinterpret_cast<std::uint64_t>(map_pages);
  result.stop_address = reinterpret_cast<std::uint64_t>(subject_stop_address);
  result.failed_step = StartupStep::kReady;
  result.magic = kMagic;
  subject_stop();
}

// program.S calls this first, on the stack that the kernel gave.
extern "C" void subject_map() {
  long error = map(kControl, kControlSize, kReadWrite, kSharedFixed, kArenaDescriptor, 0);
  // Without the control area there is nowhere to report to: stop with its magic unset.
  if (error < 0) subject_stop();
  error = map(kCode, kCodeSize, kReadExecute, kSharedFixed | MAP_POPULATE, kArenaDescriptor,
              kControlSize);
  if (error < 0) fail(StartupStep::kMapArena, error);
  error = map(kTrace, kTraceSize, kReadWrite, kSharedFixed | MAP_POPULATE, kArenaDescriptor,
              kTraceOffset);
  if (error < 0) fail(StartupStep::kMapArena, error);
  error = map(kStack, kStackSize, kReadWrite, kPrivateFixed | MAP_POPULATE, -1, 0);
  if (error < 0) fail(StartupStep::kMapStack, error);
  for (std::uint32_t i = 0; i < control().counter_pages; ++i) {
    error = map(kCounterPages + i * kPageSize, kPageSize, kReadOnly, kSharedFixed | MAP_POPULATE,
                kFirstCounterDescriptor + static_cast<int>(i), 0);
    if (error < 0) fail(StartupStep::kMapCounters, error);
  }
}

}  // namespace assay::subject
