#include "profiler/counters/core_pmu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/support/error.h"
#include "tests/error_of.h"
#include "tests/profiler/counters/made_up_pmu.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(CorePmu, TheOnlyOne) {
  const MadeUpDevices devices({{"cpu/type", "4\n"},
                               {"cpu/format/umask", "config:8-15\n"},
                               {"cpu/format/event", "config:0-7,32-35\n"},
                               {"cpu/events/cpu-cycles", "event=0x76\n"},
                               {"cpu/events/mem.unit", "Bytes\n"},
                               {"software/type", "1\n"}});
  const auto pmu = find_core_pmu(3, devices.path());
  ASSERT_TRUE(pmu.has_value());
  EXPECT_EQ(pmu->name, "cpu");
  EXPECT_FALSE(pmu->is_hybrid());
  EXPECT_EQ(pmu->type, 4U);
  ASSERT_EQ(pmu->fields.size(), 2U);
  ASSERT_NE(pmu->field("event"), nullptr);
  EXPECT_EQ(pmu->field("event")->layout(), "config:0-7,32-35");
  EXPECT_EQ(pmu->field("nothing"), nullptr);
  EXPECT_THAT(pmu->events, UnorderedElementsAre(Pair("cpu-cycles", "event=0x76")));
}

TEST(CorePmu, OfTheKindOfCoreThatTheProcessorIs) {
  const MadeUpDevices devices(hybrid_files());
  const auto core = find_core_pmu(6, devices.path());
  ASSERT_TRUE(core.has_value());
  EXPECT_EQ(core->name, "cpu_core");
  EXPECT_EQ(core->type, 4U);
  EXPECT_TRUE(core->is_hybrid());
  const auto atom = find_core_pmu(10, devices.path());
  ASSERT_TRUE(atom.has_value());
  EXPECT_EQ(atom->name, "cpu_atom");
  EXPECT_EQ(atom->type, 10U);
  EXPECT_FALSE(find_core_pmu(12, devices.path()).has_value());
}

TEST(CorePmu, NoneInAVirtualMachineWithoutOne) {
  const MadeUpDevices devices({{"software/type", "1\n"}, {"msr/type", "8\n"}});
  EXPECT_FALSE(find_core_pmu(0, devices.path()).has_value());
  EXPECT_FALSE(find_core_pmu(0, "/nonexistent").has_value());
}

std::string pmu_complaint(const std::map<std::string, std::string>& files) {
  const MadeUpDevices devices(files);
  return error_of<EnvironmentError>([&] { find_core_pmu(0, devices.path()); });
}

TEST(CorePmu, WhatTheKernelWritesIsNotGuessed) {
  EXPECT_THAT(pmu_complaint({{"cpu/type", "four\n"}}), HasSubstr("cpu/type: \"four\""));
  EXPECT_THAT(pmu_complaint({{"cpu/type", "4294967296\n"}}), HasSubstr("\"4294967296\""));
  EXPECT_THAT(pmu_complaint({{"cpu/type", "4\n"}, {"cpu/format/event", "config:0..7\n"}}),
              HasSubstr("cpu/format/event: \"config:0..7\""));
  EXPECT_THAT(pmu_complaint({{"cpu/format/event", "config:0-7\n"}}), HasSubstr("cpu/type: cannot"));
  EXPECT_THAT(pmu_complaint({{"cpu_core/cpus", "0-3,x\n"}, {"cpu_core/type", "4\n"}}),
              testing::AnyOf("", HasSubstr("cpu_core/cpus: \"0-3,x\"")));
  EXPECT_THAT(pmu_complaint({{"cpu_core/cpus", "3-1\n"}}), HasSubstr("cpu_core/cpus: \"3-1\""));
}

TEST(CorePmu, WhatVendorsHaveInCommon) {
  const CorePmu intel = architectural_core_pmu("GenuineIntel");
  EXPECT_EQ(intel.name, "cpu");
  EXPECT_EQ(intel.type, 4U);
  ASSERT_NE(intel.field("any"), nullptr);
  EXPECT_EQ(intel.field("any")->mask(), std::uint64_t{1} << 21);
  EXPECT_EQ(intel.field("event")->mask(), 0xffU);
  EXPECT_EQ(intel.field("frontend")->word, 1);
  const CorePmu amd = architectural_core_pmu("AuthenticAMD");
  EXPECT_EQ(amd.field("event")->mask(), 0xf000000ffU);
  EXPECT_EQ(amd.field("edge")->mask(), std::uint64_t{1} << 18);
  EXPECT_EQ(amd.field("any"), nullptr);
  EXPECT_TRUE(architectural_core_pmu("CentaurHauls").fields.empty());
}

}  // namespace
}  // namespace assay
