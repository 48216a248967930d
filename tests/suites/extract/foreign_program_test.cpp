#include "suites/extract/program/foreign_program.h"

#include <gmock/gmock.h>

#include "profiler/block/bytes.h"

namespace assay {
namespace {

using testing::HasSubstr;

std::string describe(const std::string& start) {
  return describe_foreign_program(Bytes(start.begin(), start.end()));
}

TEST(ForeignProgram, IsSaidToBeWhatItIs) {
  EXPECT_THAT(describe("#! /usr/bin/env python3\nimport os\n"),
              HasSubstr("script for \"/usr/bin/env\""));
  EXPECT_THAT(describe("#!/bin/sh"), HasSubstr("script for \"/bin/sh\""));
  EXPECT_THAT(describe("#!"), HasSubstr("script"));
  EXPECT_THAT(describe("MZ\x90"), HasSubstr("Windows"));
  EXPECT_THAT(describe("\xcf\xfa\xed\xfe"), HasSubstr("Mach-O"));
  EXPECT_THAT(describe("BC\xc0\xde"), HasSubstr("LLVM bitcode"));
  EXPECT_THAT(describe("!<thin>\n/"), HasSubstr("thin archive"));
  EXPECT_THAT(describe("hello"), HasSubstr("starts with \"hello\""));
  EXPECT_THAT(describe(std::string("\0\xff", 2)), HasSubstr("neither an ELF"));
}

TEST(ForeignProgram, MachinesHaveNames) {
  EXPECT_EQ(machine_name(EM_AARCH64), "AArch64");
  EXPECT_EQ(machine_name(EM_386), "32-bit x86");
  EXPECT_EQ(machine_name(54321), "machine 54321");
}

}  // namespace
}  // namespace assay
