#include "profiler/counters/kernel_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "profiler/support/error.h"
#include "tests/error_of.h"
#include "tests/profiler/counters/made_up_pmu.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const CorePmu& intel() {
  static const CorePmu pmu = architectural_core_pmu("GenuineIntel");
  return pmu;
}

const CorePmu& amd() {
  static const CorePmu pmu = architectural_core_pmu("AuthenticAMD");
  return pmu;
}

std::uint64_t config(std::string_view specification, const CorePmu& pmu) {
  return encode_kernel_event(specification, pmu).value().config;
}

std::string kernel_complaint(std::string_view specification, const CorePmu& pmu) {
  return error_of<InputError>([&] { encode_kernel_event(specification, pmu); });
}

TEST(KernelEvent, FieldsGoWhereThePmuHasThem) {
  EXPECT_EQ(config("cpu/event=0xc0,umask=0x01,cmask=1,inv,edge,any/", intel()), 0x1a401c0U);
  EXPECT_EQ(config("cpu/event=192, umask=1/", intel()), 0x1c0U);
  EXPECT_EQ(config("cpu/event=0x28f,umask=0x4/", amd()), 0x20000048fU);
  EXPECT_EQ(config("cpu/event=0xc0,inv=0/", amd()), 0xc0U);
}

TEST(KernelEvent, OtherWordsAndTheName) {
  const Event event =
      encode_kernel_event("cpu/event=0xc6,umask=1,frontend=0x12,name=L1I.MISS/u", intel()).value();
  EXPECT_EQ(event.name, "L1I.MISS");
  EXPECT_EQ(event.type, 4U);
  EXPECT_EQ(event.config, 0x1c6U);
  EXPECT_EQ(event.config1, 0x12U);
  EXPECT_EQ(event.config2, 0U);
}

TEST(KernelEvent, WholeWords) {
  const Event event =
      encode_kernel_event("cpu/config=0x1c0,config1=0xffffffffffffffff/", intel()).value();
  EXPECT_EQ(event.config, 0x1c0U);
  EXPECT_EQ(event.config1, ~std::uint64_t{0});
  EXPECT_EQ(config("r1c0", intel()), 0x1c0U);
  EXPECT_EQ(config("r1C0:u", intel()), 0x1c0U);
  EXPECT_EQ(config("r20000048f", amd()), 0x20000048fU);
}

TEST(KernelEvent, BitsThatTheKernelWouldDropAreRefused) {
  EXPECT_THAT(kernel_complaint("r5301c0", intel()),
              AllOf(HasSubstr("r5301c0"), HasSubstr("0x530000")));
  EXPECT_THAT(kernel_complaint("r1000001c0", intel()), HasSubstr("0x100000000"));
  EXPECT_THAT(kernel_complaint("cpu/config=0x10000/", amd()), HasSubstr("0x10000"));
  EXPECT_THAT(kernel_complaint("r10000000000000000", amd()), HasSubstr("more than 64 bits"));
}

TEST(KernelEvent, ValuesThatDoNotFitAreRefused) {
  EXPECT_THAT(kernel_complaint("cpu/event=0x1c0/", intel()),
              AllOf(HasSubstr("\"event=0x1c0\""), HasSubstr("8 bits (config:0-7)")));
  EXPECT_THAT(kernel_complaint("cpu/event=0x1000/", amd()),
              HasSubstr("12 bits (config:0-7,32-35)"));
  EXPECT_THAT(kernel_complaint("cpu/event=1,inv=2/", amd()), HasSubstr("\"inv=2\""));
  EXPECT_THAT(kernel_complaint("cpu/event=0x10000000000000000/", amd()), HasSubstr("64 bits"));
  EXPECT_THAT(kernel_complaint("cpu/event=/", amd()), HasSubstr("no number"));
  EXPECT_THAT(kernel_complaint("cpu/event=c0/", amd()), HasSubstr("no number"));
}

TEST(KernelEvent, NothingIsSetTwice) {
  EXPECT_THAT(kernel_complaint("cpu/event=1,event=1/", amd()), HasSubstr("already"));
  EXPECT_THAT(kernel_complaint("cpu/config=1,umask=1/", amd()), HasSubstr("already"));
  EXPECT_THAT(kernel_complaint("cpu/event=1,ldlat=3,frontend=0x12/", intel()),
              HasSubstr("already"));
  EXPECT_THAT(kernel_complaint("cpu/event=1,name=a,name=b/", intel()), HasSubstr("name="));
}

TEST(KernelEvent, WhatThereIsIsSaid) {
  EXPECT_THAT(kernel_complaint("cpu/event=1,umsk=1/", intel()),
              AllOf(HasSubstr("\"umsk\""), HasSubstr("near it: umask"), HasSubstr("offcore_rsp")));
  EXPECT_THAT(kernel_complaint("cpu/event=1,any/", amd()), HasSubstr("\"any\""));
  EXPECT_THAT(kernel_complaint("cpu//", amd()), HasSubstr("\"\""));
  EXPECT_THAT(kernel_complaint("cpu/event=1,period=1000/", amd()), HasSubstr("sampling"));
}

TEST(KernelEvent, ModesOtherThanTheUsersAreRefused) {
  EXPECT_THAT(kernel_complaint("cpu/event=1/k", amd()), HasSubstr("user mode only"));
  EXPECT_THAT(kernel_complaint("cpu/event=1/uk", amd()), HasSubstr("user mode only"));
  EXPECT_THAT(kernel_complaint("r1c0:k", amd()), HasSubstr("user mode only"));
  EXPECT_THAT(kernel_complaint("cpu/event=1/p", amd()), HasSubstr("no modifier"));
}

TEST(KernelEvent, OfTheCoreThatIsUsed) {
  const MadeUpDevices devices(hybrid_files());
  const CorePmu atom = find_core_pmu(5, devices.path()).value();
  EXPECT_EQ(encode_kernel_event("cpu/event=0xc0/", atom)->type, 10U);
  EXPECT_EQ(encode_kernel_event("cpu_atom/event=0xc0,cmask=3/", atom)->config, 0x30000c0U);
  EXPECT_EQ(encode_kernel_event("r1c0", atom)->type, 10U);
  EXPECT_THAT(kernel_complaint("cpu_core/event=0xc0/", atom),
              AllOf(HasSubstr("\"cpu_core\""), HasSubstr("cpu_atom")));
  EXPECT_THAT(kernel_complaint("uncore_imc_0/event=1/", intel()), HasSubstr("\"uncore_imc_0\""));
  EXPECT_THAT(kernel_complaint("cpu/event=0xc0", intel()), HasSubstr("slash"));
}

TEST(KernelEvent, Aliases) {
  CorePmu pmu = intel();
  pmu.events = {{"mem-loads", "event=0xcd,umask=0x1,ldlat=3"}, {"odd", "scale"}, {"self", "self"}};
  const Event event = encode_kernel_event("cpu/mem-loads,cmask=2/", pmu).value();
  EXPECT_EQ(event.config, 0x20001cdU);
  EXPECT_EQ(event.config1, 3U);
  EXPECT_THAT(kernel_complaint("cpu/mem-loads,umask=2/", pmu), HasSubstr("already"));
  EXPECT_THAT(kernel_complaint("cpu/odd/", pmu), HasSubstr("\"scale\""));
  EXPECT_THAT(kernel_complaint("cpu/self/", pmu), HasSubstr("\"self\""));
}

TEST(KernelEvent, FieldsOfWordsThatAnEventLacksAreRefused) {
  CorePmu pmu = intel();
  pmu.fields.push_back(parse_pmu_field("new", "config3:0-7").value());
  EXPECT_THAT(kernel_complaint("cpu/event=1,new=1/", pmu), HasSubstr("config3:0-7"));
}

TEST(KernelEvent, AnythingElseIsNone) {
  for (const char* text :
       {"", "r", "ref-cycles", "INST_RETIRED:ANY_P", "r1g", "R1c0", "cycles:u"}) {
    EXPECT_FALSE(encode_kernel_event(text, intel()).has_value()) << text;
  }
}

}  // namespace
}  // namespace assay
