#include "profiler/counters/nanobench_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/support/error.h"
#include "tests/error_of.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

// The lines are like those in nanoBench's own files for Skylake, Alder Lake and Zen.
TEST(NanobenchEvent, EventUnitMaskAndName) {
  EXPECT_EQ(parse_nanobench_event("C0.00 INST_RETIRED"),
            (EventRequest{"INST_RETIRED", "cpu/event=0xc0,umask=0x00/", false}));
  EXPECT_EQ(
      parse_nanobench_event("B2.04 UOPS_DISPATCHED_PORT.PORT_2_3_10"),
      (EventRequest{"UOPS_DISPATCHED_PORT.PORT_2_3_10", "cpu/event=0xb2,umask=0x04/", false}));
  EXPECT_EQ(parse_nanobench_event("28A.02 IcOcModeSwitch.OcIcModeSwitch"),
            (EventRequest{"IcOcModeSwitch.OcIcModeSwitch", "cpu/event=0x28a,umask=0x02/", false}));
}

TEST(NanobenchEvent, Modifiers) {
  EXPECT_EQ(parse_nanobench_event("B1.01.CMSK=1.INV UOPS_EXECUTED.STALL_CYCLES"),
            (EventRequest{"UOPS_EXECUTED.STALL_CYCLES",
                          "cpu/event=0xb1,umask=0x01,cmask=0x1,inv=0x1/", false}));
  EXPECT_EQ(parse_nanobench_event("3C.00.CMSK=0x10.AnyT.EDG ODD"),
            (EventRequest{"ODD", "cpu/event=0x3c,umask=0x00,cmask=0x10,any=0x1,edge=0x1/", false}));
}

TEST(NanobenchEvent, MsrsAndTakenAlone) {
  EXPECT_EQ(parse_nanobench_event("C6.01.MSR_PF=0x12.TakenAlone FRONTEND_RETIRED.L1I_MISS"),
            (EventRequest{"FRONTEND_RETIRED.L1I_MISS", "cpu/event=0xc6,umask=0x01,frontend=0x12/",
                          true}));
  EXPECT_EQ(parse_nanobench_event("CD.01.MSR_3F6H=0x80 LAT")->specification,
            "cpu/event=0xcd,umask=0x01,ldlat=0x80/");
  EXPECT_EQ(parse_nanobench_event("CD.01.MSR_3F6=4 LAT")->specification,
            "cpu/event=0xcd,umask=0x01,ldlat=0x4/");
  EXPECT_EQ(parse_nanobench_event("B7.01.MSR_RSP0=0x10003C0001 R")->specification,
            "cpu/event=0xb7,umask=0x01,offcore_rsp=0x10003c0001/");
  EXPECT_EQ(parse_nanobench_event("BB.01.MSR_RSP1=0x10001 R")->specification,
            "cpu/event=0xbb,umask=0x01,offcore_rsp=0x10001/");
  EXPECT_EQ(parse_nanobench_event("C0.00.MSR_PF=0 R")->specification, "cpu/event=0xc0,umask=0x00/");
}

TEST(NanobenchEvent, TheKernelChoosesTheCounter) {
  EXPECT_EQ(parse_nanobench_event("48.01.CTR=2 L1D_PEND_MISS.PENDING"),
            (EventRequest{"L1D_PEND_MISS.PENDING", "cpu/event=0x48,umask=0x01/", false}));
}

TEST(NanobenchEvent, NamesAreWhatIsLeftOfTheLine) {
  EXPECT_EQ(parse_nanobench_event("C0.00\tInstructions, all of them ")->name,
            "Instructions, all of them");
  EXPECT_EQ(parse_nanobench_event("C0.00.INV")->name, "C0.00.INV");
}

TEST(NanobenchEvent, OtherFormsAreNone) {
  for (const char* line :
       {"", "INST_RETIRED.ANY_P X", "C0 X", "C0.0 X", "C0.000 X", "C.00 X", "1C00.00 X", "G0.00 X",
        "r1c0", "cpu/event=0xc0/", "cycles", "msr_611 RAPL"}) {
    EXPECT_EQ(parse_nanobench_event(line), std::nullopt) << line;
  }
}

std::string nanobench_complaint(std::string_view line) {
  return error_of<InputError>([&] { parse_nanobench_event(line); });
}

TEST(NanobenchEvent, WhatNanobenchLeavesOutIsRefused) {
  EXPECT_THAT(nanobench_complaint("C0.00.CMASK=1 X"), HasSubstr("\"CMASK=1\""));
  EXPECT_THAT(nanobench_complaint("C0.00. X"), HasSubstr("\"\""));
  EXPECT_THAT(nanobench_complaint("C0.00.CMSK X"), HasSubstr("a number belongs to CMSK"));
  EXPECT_THAT(nanobench_complaint("C0.00.INV=1 X"), HasSubstr("no number belongs to INV"));
  EXPECT_THAT(nanobench_complaint("C0.00.CMSK=x X"), HasSubstr("no number"));
  EXPECT_THAT(nanobench_complaint("C0.00.CMSK=010 X"), HasSubstr("no number"));
  EXPECT_THAT(nanobench_complaint("C0.00.CTR=all X"), HasSubstr("no number"));
  EXPECT_THAT(nanobench_complaint("C0.00.INV.INV X"), HasSubstr("already"));
  EXPECT_THAT(nanobench_complaint("B7.01.MSR_RSP0=1.MSR_RSP1=1 X"), HasSubstr("already"));
}

}  // namespace
}  // namespace assay
