#include "profiler/counters/perf_refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/profiler/counters/made_up_root.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kParanoid = "proc/sys/kernel/perf_event_paranoid";
constexpr const char* kStatus = "proc/self/status";
constexpr const char* kCpuInfo = "proc/cpuinfo";

std::string status(const char* capabilities, const char* seccomp) {
  return std::string("Name:\tassay\nCapEff:\t") + capabilities + "\nSeccomp:\t" + seccomp + "\n";
}

TEST(PerfRefusal, NoErrnoStandsAlone) {
  const MadeUpRoot root;
  for (const int error : {ENOENT, ENODEV, EOPNOTSUPP, EACCES, EPERM, ENOSYS, EBUSY, EMFILE}) {
    const Availability refusal = explain_perf_refusal(error, false, root.path());
    EXPECT_FALSE(refusal.works);
    EXPECT_THAT(refusal.why, AllOf(HasSubstr("("), Not(testing::StartsWith("("))));
    EXPECT_FALSE(refusal.remedy.empty());
  }
  EXPECT_THAT(explain_perf_refusal(EXDEV, false, root.path()).why, HasSubstr("(EXDEV)"));
}

TEST(PerfRefusal, TellsAVirtualMachineFromAMachine) {
  const MadeUpRoot root{{kCpuInfo, "processor\t: 0\nflags\t\t: fpu sse hypervisor avx\n"}};
  EXPECT_THAT(explain_perf_refusal(ENOENT, false, root.path()).why, HasSubstr("no virtual PMU"));
  root.set(kCpuInfo, "processor\t: 0\nflags\t\t: fpu sse nohypervisor\n");
  EXPECT_THAT(explain_perf_refusal(ENOENT, false, root.path()).why, Not(HasSubstr("VM")));
}

TEST(PerfRefusal, NamesTheParanoidLevelIfThatIsIt) {
  const MadeUpRoot root{{kParanoid, "3\n"}, {kStatus, status("0000000000000000", "0")}};
  const Availability refusal = explain_perf_refusal(EACCES, false, root.path());
  EXPECT_THAT(refusal.why, HasSubstr("perf_event_paranoid is 3"));
  EXPECT_THAT(refusal.remedy, HasSubstr("perf_event_paranoid=2"));
}

TEST(PerfRefusal, KnowsThatTheKernelsOwnEventsNeedMoreRights) {
  const MadeUpRoot root{{kParanoid, "2\n"}, {kStatus, status("0000000000000000", "0")}};
  EXPECT_THAT(explain_perf_refusal(EACCES, true, root.path()).remedy,
              HasSubstr("perf_event_paranoid=1"));
  EXPECT_THAT(explain_perf_refusal(EACCES, false, root.path()).why, Not(HasSubstr("paranoid")));
}

TEST(PerfRefusal, DoesNotBlameALevelThatTheUserIsAbove) {
  // The capabilities are CAP_PERFMON alone, and CAP_SYS_ADMIN alone.
  for (const char* capabilities : {"0000004000000000", "0000000000200000"}) {
    const MadeUpRoot root{{kParanoid, "3\n"}, {kStatus, status(capabilities, "2")}};
    EXPECT_THAT(explain_perf_refusal(EPERM, false, root.path()).why, HasSubstr("seccomp"));
  }
}

TEST(PerfRefusal, TellsAContainersFilterFromTheKernel) {
  const MadeUpRoot root{{kParanoid, "2\n"}, {kStatus, status("0000000000000000", "2")}};
  for (const int error : {EPERM, ENOSYS}) {
    const Availability refusal = explain_perf_refusal(error, false, root.path());
    EXPECT_THAT(refusal.why, HasSubstr("seccomp"));
    EXPECT_THAT(refusal.remedy, HasSubstr("--cap-add PERFMON"));
  }
  root.set(kStatus, status("0000000000000000", "0"));
  EXPECT_THAT(explain_perf_refusal(ENOSYS, false, root.path()).remedy,
              HasSubstr("CONFIG_PERF_EVENTS"));
}

TEST(PerfRefusal, NamesLockdownAndOtherPoliciesLast) {
  const MadeUpRoot root{{kParanoid, "2\n"},
                        {kStatus, status("0000000000000000", "0")},
                        {"sys/kernel/security/lockdown", "none integrity [confidentiality]\n"}};
  EXPECT_THAT(explain_perf_refusal(EPERM, false, root.path()).why, HasSubstr("locked down"));
  root.set("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
  EXPECT_THAT(explain_perf_refusal(EPERM, false, root.path()).why, HasSubstr("policy"));
}

TEST(PerfRefusal, NamesTheWatchdogOnlyIfItIsOn) {
  const MadeUpRoot root{{"proc/sys/kernel/nmi_watchdog", "1\n"}};
  EXPECT_THAT(explain_held_counters(root.path()).remedy, HasSubstr("nmi_watchdog=0"));
  root.set("proc/sys/kernel/nmi_watchdog", "0\n");
  EXPECT_THAT(explain_held_counters(root.path()).remedy, Not(HasSubstr("watchdog")));
}

}  // namespace
}  // namespace assay
