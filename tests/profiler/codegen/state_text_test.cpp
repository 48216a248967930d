#include "profiler/codegen/state_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/block/register_names.h"
#include "profiler/support/clipped.h"
#include "profiler/support/error.h"
#include "tests/error_of.h"

namespace assay {
namespace {

using enum GeneralRegister;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string canonical(std::string_view text) { return to_text(state_request_from(text)); }

/// The message of the error that the text raises; empty if it raises none.
std::string complaint(std::string_view text) {
  return error_of<InputError>([&] { state_request_from(text); });
}

TEST(StateText, SaysWhatIsAskedFor) {
  const StateRequest request = state_request_from("bhive rdx=0 r15=0xFfffffffffffffff mem=0x40");
  EXPECT_EQ(request.profile, "bhive");
  const auto& registers = request.overrides.registers;
  ASSERT_EQ(registers.size(), 2U);
  EXPECT_EQ(registers[0].reg, kRdx);
  EXPECT_EQ(registers[0].value, 0U);
  EXPECT_EQ(registers[1].reg, kR15);
  EXPECT_EQ(registers[1].value, ~std::uint64_t{0});
  EXPECT_EQ(request.overrides.memory_word, 0x40U);
  EXPECT_TRUE(request.overrides.code.empty());
  EXPECT_FALSE(request.overrides.frames);
}

TEST(StateText, HasOneFormForEachState) {
  for (const char* const text :
       {"bhive rdx=0x0 r8=0x10 mem=0x40", "mem=64 r8=16 rdx=0 bhive",
        "  r8=0x0010\tbhive mem=0X40  rdx=0x0\r", "rdx=0 mem=64 bhive r8=16"}) {
    EXPECT_EQ(canonical(text), "bhive rdx=0x0 r8=0x10 mem=0x40") << text;
  }
  EXPECT_EQ(canonical("mem=0"), "mem=0x0");
  EXPECT_EQ(canonical("zero"), "zero");
  EXPECT_EQ(canonical("  \t "), "");
}

TEST(StateText, OfTwoValuesForARegisterOfARequestTheLaterCounts) {
  EXPECT_EQ(to_text({"", {{{kRcx, 1}, {kRax, 2}, {kRcx, 3}}, std::nullopt, {}, std::nullopt}}),
            "rax=0x2 rcx=0x3");
}

TEST(StateText, NamesEveryProfileAndRegister) {
  for (const std::string_view name : initial_state_names()) EXPECT_EQ(canonical(name), name);
  for (int i = 0; i < kGeneralRegisters; ++i) {
    const std::string text = std::string(name(static_cast<GeneralRegister>(i))) + "=0x7";
    EXPECT_EQ(canonical(text), text);
  }
}

TEST(StateText, NamesTheWordThatIsWrong) {
  for (const char* const word :
       {"nonesuch", "Bhive", "eax=1", "RAX=1", "=1", "rip=0", "rax=", "rax=-1", "rax=1k", "mem=0x",
        "rax=0x10000000000000000", "rax==1", "Mem=1"}) {
    EXPECT_THAT(complaint("distinct r9=1 " + std::string(word)), HasSubstr(clipped(word))) << word;
  }
  EXPECT_THAT(complaint("nonesuch"), HasSubstr("distinct, bhive"));
}

TEST(StateText, SaysNothingTwice) {
  EXPECT_THAT(complaint("bhive zero"), AllOf(HasSubstr("zero"), HasSubstr("bhive")));
  EXPECT_THAT(complaint("rax=1 rax=1"), HasSubstr("rax"));
  EXPECT_THAT(complaint("mem=1 mem=1"), HasSubstr("mem"));
}

TEST(StateText, ComplainsInPrintableText) {
  EXPECT_THAT(complaint("\x1b[2J=1"), Not(HasSubstr("\x1b")));
  EXPECT_LT(complaint(std::string(1 << 20, 'x')).size(), 300U);
}

}  // namespace
}  // namespace assay
