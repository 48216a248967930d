#include "profiler/counters/perf_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace assay {
namespace {

using testing::HasSubstr;

TEST(PerfProbe, NoErrnoStandsAlone) {
  for (const int error : {ENOENT, EACCES, EPERM, ENOSYS, EBUSY, EOPNOTSUPP}) {
    const PerfProbe probe = explain_perf_error(error);
    EXPECT_FALSE(probe.works);
    EXPECT_THAT(probe.why, HasSubstr("("));
    EXPECT_FALSE(probe.remedy.empty());
  }
}

TEST(PerfProbe, TellsPermissionFromAbsence) {
  EXPECT_THAT(explain_perf_error(EACCES).remedy, HasSubstr("perf_event_paranoid"));
  EXPECT_THAT(explain_perf_error(ENOENT).why, HasSubstr("virtual PMU"));
}

TEST(PerfProbe, SaysWhyOrWorks) {
  const PerfProbe probe = probe_perf();
  EXPECT_NE(probe.works, !probe.why.empty());
}

}  // namespace
}  // namespace assay
