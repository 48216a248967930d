#include "profiler/block/register_names.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(RegisterNamesTest, NamesAreThoseOfAll64Bits) {
  EXPECT_EQ(name(GeneralRegister::kRax), "rax");
  EXPECT_EQ(name(GeneralRegister::kRsp), "rsp");
  EXPECT_EQ(name(GeneralRegister::kRdi), "rdi");
  EXPECT_EQ(name(GeneralRegister::kR8), "r8");
  EXPECT_EQ(name(GeneralRegister::kR15), "r15");
}

TEST(RegisterNamesTest, EveryNameFindsItsRegister) {
  for (int i = 0; i < kGeneralRegisters; ++i) {
    const auto reg = static_cast<GeneralRegister>(i);
    EXPECT_EQ(named<GeneralRegister>(name(reg)), reg) << i;
  }
}

TEST(RegisterNamesTest, NothingElseIsOne) {
  for (const char* text : {"", "eax", "RAX", "r16", "rip", "xmm0", "rax "}) {
    EXPECT_FALSE(named<GeneralRegister>(text)) << text;
  }
}

}  // namespace
}  // namespace assay
