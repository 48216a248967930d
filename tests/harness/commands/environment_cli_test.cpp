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

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include "tests/harness/process.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

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
