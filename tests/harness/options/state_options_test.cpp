#include "harness/options/state_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiler/block/assembler.h"
#include "tests/error_of.h"

namespace assay {
namespace {

using enum GeneralRegister;
using testing::HasSubstr;

Settings state_settings_of(const std::vector<std::string>& arguments) {
  CommandLine line("test", "test");
  add_state_options(line);
  Settings settings;
  read_state_options(line.parse(arguments).value(), settings);
  return settings;
}

/// The message of the usage error that the arguments raise; empty if they raise none.
std::string state_complaint(const std::vector<std::string>& arguments) {
  return error_of<UsageError>([&] { state_settings_of(arguments); });
}

TEST(StateOptionsTest, WithoutAnyTheSettingsAreTheDefaults) {
  EXPECT_EQ(to_json(state_settings_of({})), to_json(Settings{}));
}

TEST(StateOptionsTest, TakesNumbersOfBothKinds) {
  const Settings settings =
      state_settings_of({"--reg", "rax=16", "--reg", "r15=0xFfffffffffffffff", "--mem", "0x10",
                         "--frames", "4", "--state", "bhive", "--no-fallback-states"});
  const StateOverrides& overrides = settings.state_overrides;
  ASSERT_EQ(overrides.registers.size(), 2U);
  EXPECT_EQ(overrides.registers[0].reg, kRax);
  EXPECT_EQ(overrides.registers[0].value, 16U);
  EXPECT_EQ(overrides.registers[1].reg, kR15);
  EXPECT_EQ(overrides.registers[1].value, ~0ULL);
  EXPECT_EQ(overrides.memory_word, 16U);
  EXPECT_EQ(overrides.frames, 4);
  EXPECT_EQ(settings.initial_state, "bhive");
  EXPECT_FALSE(settings.fallback_states);
}

TEST(StateOptionsTest, NamesTheRegisterThatIsNone) {
  for (const std::string name : {"eax", "RAX", "xmm0", "rip", ""}) {
    EXPECT_THAT(state_complaint({"--reg", name + "=1"}), HasSubstr("'" + name + "'")) << name;
  }
  EXPECT_THAT(state_complaint({"--reg", "rax"}), HasSubstr("NAME=VALUE"));
}

TEST(StateOptionsTest, NamesWhatIsSetTwice) {
  EXPECT_THAT(state_complaint({"--reg", "rax=1", "--reg", "rbx=1", "--reg", "rax=1"}),
              HasSubstr("rax is set twice"));
  EXPECT_THAT(state_complaint({"--mem", "1", "--mem", "1"}), HasSubstr("'--mem'"));
}

TEST(StateOptionsTest, NamesTheNumberThatIsNone) {
  for (const std::string value : {"", "0x", "x", "-1", "+1", "1 ", "12k", "0x1g", "1.0", "010h",
                                  "0x10000000000000000", "18446744073709551616"}) {
    EXPECT_THAT(state_complaint({"--reg=rax=" + value}), HasSubstr("'" + value + "'")) << value;
  }
  EXPECT_THAT(state_complaint({"--mem", "0x10000000000000000"}), HasSubstr("--mem"));
}

TEST(StateOptionsTest, NamesWhatThereIsInPlaceOfAnUnknownState) {
  EXPECT_THAT(state_complaint({"--state", "nonesuch"}), HasSubstr("distinct"));
}

TEST(StateOptionsTest, FramesAreANumberOrOwn) {
  EXPECT_EQ(state_complaint({"--frames", "1"}), "");
  EXPECT_EQ(state_complaint({"--frames", "own"}), "");
  for (const char* const wrong : {"0", "257", "-1", "4x", "all", ""}) {
    EXPECT_THAT(state_complaint({"--frames", wrong}), HasSubstr("from 1 to 256, or 'own'"))
        << wrong;
  }
}

TEST(StateOptionsTest, InitCodeIsAssembled) {
  if (!can_assemble()) {
    EXPECT_THROW(state_settings_of({"--init-asm", "nop"}), EnvironmentError);
    GTEST_SKIP() << "this build has no assembler";
  }
  EXPECT_EQ(state_settings_of({"--init-asm", "nop; xor eax, eax"}).state_overrides.code,
            (Bytes{0x90, 0x31, 0xc0}));
}

TEST(StateOptionsTest, InitCodeThatCannotRunIsNamed) {
  if (!can_assemble()) GTEST_SKIP() << "this build has no assembler";
  EXPECT_THAT(state_complaint({"--init-asm", ""}), HasSubstr("--init-asm"));
  EXPECT_THAT(state_complaint({"--init-asm", "mov rax, nonesuch"}), HasSubstr("--init-asm"));
  EXPECT_THAT(state_complaint({"--init-asm", "nop; syscall"}), HasSubstr("system_call"));
  EXPECT_THAT(state_complaint({"--init-asm", "ret"}), HasSubstr("control_flow"));
  EXPECT_THAT(state_complaint({"--init-asm", "1: dec ecx; jnz 1b"}), HasSubstr("branch"));
  EXPECT_THAT(state_complaint({"--init-asm", "lea rax, [rip + 16]"}), HasSubstr("RIP"));
  std::string nops = "nop";
  for (std::size_t i = 0; i < kLargestInitCode; ++i) nops += "; nop";
  EXPECT_THAT(state_complaint({"--init-asm", nops}), HasSubstr("1025"));
}

}  // namespace
}  // namespace assay
