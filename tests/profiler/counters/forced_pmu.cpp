#include "tests/profiler/counters/forced_pmu.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace assay {

bool ran_with_pmu(const std::string& pmu) {
  constexpr const char* kVariable = "LIBPFM_FORCE_PMU";
  const char* const forced = std::getenv(kVariable);
  if (forced != nullptr && forced == pmu) return false;
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter =
      std::string("--gtest_filter=") + test.test_suite_name() + "." + test.name();
  const pid_t child = fork();
  if (child == 0) {
    setenv(kVariable, pmu.c_str(), 1);
    execl("/proc/self/exe", "profiler_tests", filter.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "with the PMU " << pmu;
  return true;
}

}  // namespace assay
