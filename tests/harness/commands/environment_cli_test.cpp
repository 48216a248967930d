// What the program says if the machine does not give it what it needs. The tests take rights away
// in the child process that becomes the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include "profiler/subject/confinement.h"
#include "tests/harness/process.h"
#include "tests/processor_at_hand.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void deny_system_call(unsigned number, unsigned error) {
  // The leak sanitizer traces its own process at the end; without that right it would end with a
  // status of its own.
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  sock_filter program[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, number},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | error},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog filter{4, program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    _exit(125);
  }
}

Finished measure_without(unsigned number, unsigned error) {
  return AssayProcess({"measure", "--hex", "90"}, "", [&] { deny_system_call(number, error); })
      .wait();
}

TEST(Environment, NoPermissionToTrace) {
  const Finished run = measure_without(SYS_ptrace, EPERM);
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, AllOf(HasSubstr("ptrace"), HasSubstr("(EPERM)"), HasSubstr("SYS_PTRACE")));
}

TEST(Environment, NoPermissionToSendSignalsLeavesTheSubjectToEndWithItsMonitor) {
  const Finished run = measure_without(SYS_kill, EPERM);
  EXPECT_THAT(run.status, testing::AnyOf(0, 1)) << run.err;
}

TEST(Environment, ASmallStackIsRaisedOrRefused) {
  const Finished run = AssayProcess({"measure", "--hex", "90"}, "", [] {
                         const rlimit small{64 * 1024, 64 * 1024};
                         setrlimit(RLIMIT_STACK, &small);
                       }).wait();
  EXPECT_THAT(run.status, testing::AnyOf(0, 1, 3)) << run.err;
  const bool refused = run.status == 3;
  EXPECT_THAT(run.err, HasSubstr(refused ? "ulimit -s" : ""));
}

TEST(Environment, SandboxRunsNothingUnlessAllWallsAreInForce) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer ends a program that may not unmap memory";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the address sanitizer ends a program that may not unmap memory";
#endif
#endif
  const Finished refused = AssayProcess({"measure", "--hex", "90", "--sandbox"}, "", [] {
                             deny_system_call(SYS_munmap, EPERM);
                           }).wait();
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.out, IsEmpty());
  EXPECT_THAT(refused.err, HasSubstr("missing: no vDSO; in force: system-call filter"));
}

TEST(Environment, SandboxTellsWhatIsInForce) {
  const auto confinement = subject::confinement_of_subjects();
  if (!all_walls_in_force(confinement)) {
    GTEST_SKIP() << "missing here: " << walls_text(confinement, false);
  }
  for (const bool asked : {true, false}) {
    std::vector<std::string> words = {"measure", "--hex", "90", "--stop-after", "decode"};
    if (asked) words.push_back("--sandbox");
    const Finished run = run_assay(words);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, asked ? "assay measure: blocks are confined: system-call filter, no new "
                               "privileges, no capabilities, no vDSO\n"
                             : "");
  }
}

TEST(Environment, NoAnonymousFiles) {
  const Finished run = measure_without(SYS_memfd_create, EPERM);
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, AllOf(HasSubstr("memfd_create"), HasSubstr("(EPERM)")));
}

TEST(Environment, EachRefusalHasItsAdvice) {
  // Not pipe2: the undefined-behaviour sanitizer finds out by a pipe which memory can be read.
  const struct {
    unsigned number;
    unsigned error;
    const char* name;
    const char* advice;
  } cases[] = {{SYS_memfd_create, EMFILE, "(EMFILE)", "ulimit -n"},
               {SYS_memfd_create, ENFILE, "(ENFILE)", "fs.file-max"},
               {SYS_memfd_create, EACCES, "(EACCES)", "vm.memfd_noexec"},
               {SYS_ftruncate, EFBIG, "(EFBIG)", "ulimit -f"},
               {SYS_ftruncate, ENOSPC, "(ENOSPC)", "memory"},
               {SYS_timer_create, EAGAIN, "(EAGAIN)", "ulimit -i"}};
  for (const auto& test : cases) {
    const Finished run = measure_without(test.number, test.error);
    EXPECT_EQ(run.status, 3) << test.name;
    EXPECT_THAT(run.err, AllOf(HasSubstr(test.name), HasSubstr(test.advice)));
  }
}

TEST(Environment, NoExecutionFromMemory) {
  const Finished run = measure_without(SYS_execveat, EACCES);
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, AllOf(HasSubstr("execveat"), HasSubstr("(EACCES)")));
}

struct RefusedCall {
  unsigned number;
  const char* name;
};

class RefusedCalls : public testing::TestWithParam<RefusedCall> {};

TEST_P(RefusedCalls, AreNamedWithTheirErrorOrDoNoHarm) {
  for (const auto& [error, words] :
       {std::pair(EPERM, "Operation not permitted"), std::pair(ENOMEM, "Cannot allocate memory")}) {
    const TemporaryFolder folder;
    const std::string corpus = folder.write("c.hex", "90\n4801d8\n");
    const std::string store = folder.path() / "s.db";
    const Finished run =
        AssayProcess({"profile", corpus, "--db", store, "--patience", "1", "--cpus",
                      std::to_string(processor_at_hand())},
                     "",
                     [&, error = error] {
                       deny_system_call(GetParam().number, static_cast<unsigned>(error));
                     })
            .wait();
    SCOPED_TRACE(run.err);
    EXPECT_THAT(run.status, testing::AnyOf(0, 1, 2, 3));
    EXPECT_THAT(run.err, Not(HasSubstr("report it")));
    if (run.status < 2) continue;
    EXPECT_THAT(run.err,
                testing::AnyOf(HasSubstr(words), HasSubstr("EAGAIN"), HasSubstr("disk I/O error")));
    EXPECT_EQ(std::ranges::count(run.err, '\n'), 1);
  }
}

// Without those that the C library, or a sanitizer, needs before the program begins.
INSTANTIATE_TEST_SUITE_P(
    Environment, RefusedCalls,
    testing::Values(
        RefusedCall{SYS_poll, "poll"}, RefusedCall{SYS_pwrite64, "pwrite64"},
        RefusedCall{SYS_dup2, "dup2"}, RefusedCall{SYS_recvfrom, "recvfrom"},
        RefusedCall{SYS_sendmsg, "sendmsg"}, RefusedCall{SYS_recvmsg, "recvmsg"},
        RefusedCall{SYS_socketpair, "socketpair"}, RefusedCall{SYS_clone, "clone"},
        RefusedCall{SYS_clone3, "clone3"}, RefusedCall{SYS_wait4, "wait4"},
        RefusedCall{SYS_waitid, "waitid"}, RefusedCall{SYS_kill, "kill"},
        RefusedCall{SYS_fcntl, "fcntl"}, RefusedCall{SYS_flock, "flock"},
        RefusedCall{SYS_fsync, "fsync"}, RefusedCall{SYS_fdatasync, "fdatasync"},
        RefusedCall{SYS_ftruncate, "ftruncate"}, RefusedCall{SYS_getcwd, "getcwd"},
        RefusedCall{SYS_unlink, "unlink"}, RefusedCall{SYS_lseek, "lseek"},
        RefusedCall{SYS_ptrace, "ptrace"}, RefusedCall{SYS_setsid, "setsid"},
        RefusedCall{SYS_capset, "capset"}, RefusedCall{SYS_prctl, "prctl"},
        RefusedCall{SYS_prlimit64, "prlimit64"}, RefusedCall{SYS_getrusage, "getrusage"},
        RefusedCall{SYS_sched_setaffinity, "sched_setaffinity"},
        RefusedCall{SYS_sched_getaffinity, "sched_getaffinity"},
        RefusedCall{SYS_sched_yield, "sched_yield"}, RefusedCall{SYS_timer_create, "timer_create"},
        RefusedCall{SYS_timer_settime, "timer_settime"},
        RefusedCall{SYS_timer_delete, "timer_delete"},
        RefusedCall{SYS_clock_gettime, "clock_gettime"},
        RefusedCall{SYS_clock_nanosleep, "clock_nanosleep"}, RefusedCall{SYS_seccomp, "seccomp"},
        RefusedCall{SYS_getrandom, "getrandom"}, RefusedCall{SYS_memfd_create, "memfd_create"},
        RefusedCall{SYS_execveat, "execveat"}, RefusedCall{SYS_faccessat2, "faccessat2"},
        RefusedCall{SYS_close_range, "close_range"}, RefusedCall{SYS_uname, "uname"},
        RefusedCall{SYS_rt_sigtimedwait, "rt_sigtimedwait"},
        RefusedCall{SYS_perf_event_open, "perf_event_open"}),
    [](const auto& call) { return std::string(call.param.name); });

TEST(Environment, NoFilterForTheSubject) {
  const Finished run = measure_without(SYS_seccomp, ENOSYS);
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, AllOf(HasSubstr("seccomp"), HasSubstr("(ENOSYS)")));
}

TEST(Environment, DoctorSaysWhyAndGoesOn) {
  const Finished run =
      AssayProcess({"doctor"}, "", [] { deny_system_call(SYS_ptrace, EPERM); }).wait();
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("CPU"), HasSubstr("running blocks"), HasSubstr("SYS_PTRACE")));
}

}  // namespace
}  // namespace assay
