#include "profiler/counters/event_encoder.h"

#include <gtest/gtest.h>

#include "profiler/support/error.h"
#include "tests/profiler/counters/forced_pmu.h"

namespace assay {
namespace {

Event encode(const EventRequest& request) {
  return EventEncoder(std::nullopt, "AuthenticAMD").encode(request);
}

TEST(EventEncoder, NamesAreTheUsers) {
  EXPECT_EQ(encode({"cycles", "cycles", false}).name, "cycles");
  EXPECT_EQ(encode({"r1c0", "r1c0", false}).name, "r1c0");
  EXPECT_EQ(encode({"Retired", "cpu/event=0xc0/", false}).name, "Retired");
  const std::string named = "cpu/event=0xc0,name=own/";
  EXPECT_EQ(encode({named, named, false}).name, "own");
  EXPECT_EQ(encode({"of the file", named, false}).name, "of the file");
}

TEST(EventEncoder, AloneStaysAlone) {
  EXPECT_TRUE(encode({"cycles", "cycles", true}).alone);
  EXPECT_FALSE(encode({"cycles", "cycles", false}).alone);
}

TEST(EventEncoder, AnEmptyEventIsRefused) { EXPECT_THROW(encode({"", "", false}), InputError); }

TEST(EventEncoder, WhatTheKernelCountsIsSoftware) {
  EXPECT_TRUE(is_software(encode({"task-clock", "task-clock", false})));
  EXPECT_TRUE(is_software(encode({"faults", "page-faults", false})));
  EXPECT_FALSE(is_software(encode({"cycles", "cycles", false})));
  EXPECT_FALSE(is_software(encode({"r1c0", "r1c0", false})));
}

TEST(EventEncoder, ThePmusAliasesNeedNoSlashes) {
  CorePmu pmu = architectural_core_pmu("GenuineIntel");
  pmu.events = {{"mem-loads", "event=0xcd,umask=0x1,ldlat=3"}};
  const EventEncoder encoder(pmu, "GenuineIntel");
  const Event event = encoder.encode({"mem-loads", "mem-loads", false});
  EXPECT_EQ(event.name, "mem-loads");
  EXPECT_EQ(event.config, 0x1cdU);
  EXPECT_EQ(event.config1, 3U);
}

TEST(EventEncoder, NamesAreEncodedWhetherOrNotThereIsAPmu) {
  if (ran_with_pmu("amd64_fam19h_zen4")) return;
  const EventRequest request = {"i", "RETIRED_INSTRUCTIONS", false};
  EXPECT_EQ(encode(request).config, 0xc0U);
  const EventEncoder with_pmu(architectural_core_pmu("AuthenticAMD"), "AuthenticAMD");
  EXPECT_EQ(with_pmu.encode(request).config, 0xc0U);
}

}  // namespace
}  // namespace assay
