#include "profiler/block/x87_stack.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace assay {
namespace {

bool unbalanced(const std::string& hex) {
  return unbalances_x87_stack(std::get<Block>(decode(bytes_from_hex(hex))));
}

TEST(X87Stack, IsLeftAloneByOtherCode) {
  EXPECT_FALSE(unbalanced("4801d8"));        // add rax, rbx
  EXPECT_FALSE(unbalanced("0f58c1"));        // addps xmm0, xmm1
  EXPECT_FALSE(unbalanced("d93b9b"));        // fnstcw [rbx]; fwait
  EXPECT_FALSE(unbalanced("dfe0dbe2d9d0"));  // fnstsw ax; fnclex; fnop
}

TEST(X87Stack, BalancesWhereAsMuchIsPoppedAsPushed) {
  EXPECT_FALSE(unbalanced("d903d91b"));          // fld [rbx]; fstp [rbx]
  EXPECT_FALSE(unbalanced("d9e8d9eedec1ddd8"));  // fld1; fldz; faddp; fstp st(0)
  EXPECT_FALSE(unbalanced("d9e8d9eeded9"));      // fld1; fldz; fcompp
  EXPECT_FALSE(unbalanced("d9eed9fbddd8ddd8"));  // fldz; fsincos; fstp st(0); fstp st(0)
  EXPECT_FALSE(unbalanced("db03dd0b"));          // fild [rbx]; fisttp [rbx]
  EXPECT_TRUE(unbalanced("dd0b"));               // fisttp [rbx]
  // Eight values fill the stack without an overflow.
  EXPECT_FALSE(unbalanced("d9e8d9e8d9e8d9e8d9e8d9e8d9e8d9e8ddd8ddd8ddd8ddd8ddd8ddd8ddd8ddd8"));
  EXPECT_FALSE(unbalanced("d9e8dbe3"));      // fld1; fninit
  EXPECT_FALSE(unbalanced("d9e8ddc0d9f7"));  // fld1; ffree st(0); fincstp
  EXPECT_FALSE(unbalanced("d9e8dfc0"));      // fld1; ffreep st(0)
  EXPECT_FALSE(unbalanced("d9e8ddc0"));      // fld1; ffree st(0): the top moves, but nothing stays
  EXPECT_FALSE(unbalanced("d9f6"));          // fdecstp
  EXPECT_FALSE(unbalanced("d9e5"));          // fxam: may examine an empty register
  EXPECT_FALSE(unbalanced("d9e8ddd3ddd8d9f7d9f7ddc0d9f6d9f6"));  // frees what fst st(3) has filled
}

TEST(X87Stack, OverflowsSoonerOrLaterWhereMoreIsPushed) {
  EXPECT_TRUE(unbalanced("d9e8"));          // fld1
  EXPECT_TRUE(unbalanced("d9eed9f2ddd8"));  // fldz; fptan; fstp st(0)
  EXPECT_TRUE(
      unbalanced("d9e8d9e8d9e8d9e8d9e8d9e8d9e8d9e8d9e8"
                 "ddd8ddd8ddd8ddd8ddd8ddd8ddd8ddd8ddd8"));  // nine at once
}

TEST(X87Stack, UnderflowsWhereAnEmptyRegisterIsRead) {
  EXPECT_TRUE(unbalanced("d91b"));          // fstp [rbx]
  EXPECT_TRUE(unbalanced("d9fa"));          // fsqrt
  EXPECT_TRUE(unbalanced("d8c1"));          // fadd st, st(1)
  EXPECT_TRUE(unbalanced("d9e8d8c1ddd8"));  // fld1; fadd st, st(1); fstp st(0)
  EXPECT_TRUE(unbalanced("d9e8d9c9ddd8"));  // fld1; fxch; fstp st(0)
  EXPECT_TRUE(unbalanced("d9e8dac1ddd8"));  // fld1; fcmovb st, st(1); fstp st(0)
  // fld1; fld1; ffree st(0); fcmovb st, st(1); fninit: the fcmovb may leave st(0) empty.
  EXPECT_TRUE(unbalanced("d9e8d9e8ddc0dac1dbe3"));
  EXPECT_TRUE(unbalanced("d9e8d9f8ddd8"));  // fld1; fprem; fstp st(0)
}

TEST(X87Stack, IsFullOnceMmxWasUsed) {
  EXPECT_FALSE(unbalanced("0ffcc1"));              // paddb mm0, mm1
  EXPECT_TRUE(unbalanced("0ffcc1d9e8ddd8"));       // paddb mm0, mm1; fld1; fstp st(0)
  EXPECT_FALSE(unbalanced("0ffcc10f77d9e8ddd8"));  // with emms between
  EXPECT_FALSE(unbalanced("0ffcc1d9fa"));          // fsqrt of whatever mm0 holds
}

TEST(X87Stack, CannotBeToldWhereMemoryHoldsIt) {
  EXPECT_TRUE(unbalanced("d923"));  // fldenv [rbx]
}

}  // namespace
}  // namespace assay
