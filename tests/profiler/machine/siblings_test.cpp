#include "profiler/machine/siblings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Siblings, ListsAsTheKernelWritesThem) {
  EXPECT_THAT(processors_in("0"), ElementsAre(0));
  EXPECT_THAT(processors_in("0,32"), ElementsAre(0, 32));
  EXPECT_THAT(processors_in("0-3,8,10-11"), ElementsAre(0, 1, 2, 3, 8, 10, 11));
  for (const char* broken : {"", "x", "1,", "-1", "1-", "3 4", "1-99999999", "99999999999999"}) {
    EXPECT_THAT(processors_in(broken), IsEmpty()) << broken;
  }
}

TEST(Siblings, AreReadFromTheTopology) {
  const TemporaryFolder root;
  const auto topology = root / "sys/devices/system/cpu/cpu5/topology";
  std::filesystem::create_directories(topology);
  write_file(topology / "thread_siblings_list", "5,37\n");
  EXPECT_THAT(kernel_siblings(5, root.path()), ElementsAre(5, 37));
  EXPECT_THAT(kernel_siblings(6, root.path()), ElementsAre(6)) << "the kernel does not tell";
}

TEST(Siblings, OfThisMachineHoldTheProcessorItself) {
  EXPECT_THAT(kernel_siblings(0), Contains(0));
}

}  // namespace
}  // namespace assay
