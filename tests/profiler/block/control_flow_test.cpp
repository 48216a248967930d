#include "profiler/block/control_flow.h"

#include <gtest/gtest.h>

#include "profiler/block/bytes.h"

namespace assay {
namespace {

using enum FlowKind;

std::optional<ControlFlow> flow(const char* hex) { return control_flow(bytes_from_hex(hex)); }

TEST(ControlFlow, IsOfTheInstructionAtTheStart) {
  const struct {
    const char* hex;
    std::size_t length;
    FlowKind kind;
  } cases[] = {
      {"4801d8c3", 3, kSequential},   // add rax, rbx
      {"7405", 2, kConditionalJump},  // je
      {"0f8405000000", 6, kConditionalJump},
      {"e205", 2, kConditionalJump},          // loop
      {"e305", 2, kConditionalJump},          // jrcxz
      {"c7f805000000", 6, kConditionalJump},  // xbegin
      {"eb05", 2, kJump},
      {"e905000000", 5, kJump},
      {"f2e905000000", 6, kJump},            // bnd jmp
      {"ffe0", 2, kIndirectJump},            // jmp rax
      {"3effe0", 3, kIndirectJump},          // notrack jmp rax
      {"ff24c500104000", 7, kIndirectJump},  // jmp [rax*8+0x401000]
      {"ff28", 2, kIndirectJump},            // jmp far [rax]
      {"e805000000", 5, kCall},
      {"666648e805000000", 8, kCall},  // data16 data16 rex.W call
      {"ffd0", 2, kIndirectCall},
      {"ff18", 2, kIndirectCall},  // call far [rax]
      {"c3", 1, kReturn},
      {"f3c3", 2, kReturn},
      {"c20800", 3, kReturn},
      {"48cf", 2, kReturn},  // iretq
      {"0f05", 2, kSystemCall},
      {"0f34", 2, kSystemCall},  // sysenter
      {"cd80", 2, kSystemCall},
      {"cd29", 2, kTrap},
      {"cc", 1, kTrap},
      {"f1", 1, kTrap},  // int1
      {"f4", 1, kTrap},
      {"0f0b", 2, kTrap},
      {"0fb9c0", 3, kTrap},          // ud1
      {"f30f1efa", 4, kSequential},  // endbr64
      {"0fa2", 2, kSequential},      // cpuid
  };
  for (const auto& test : cases) {
    const auto found = flow(test.hex);
    ASSERT_TRUE(found) << test.hex;
    EXPECT_EQ(found->length, test.length) << test.hex;
    EXPECT_EQ(found->kind, test.kind) << test.hex;
  }
}

TEST(ControlFlow, KnowsWhereDirectBranchesGo) {
  EXPECT_EQ(flow("7405")->target, 7);
  EXPECT_EQ(flow("ebfe")->target, 0);
  EXPECT_EQ(flow("e8fbffffff")->target, 0);
  EXPECT_EQ(flow("e900000080")->target, 5 - (std::int64_t{1} << 31));
  EXPECT_EQ(flow("ffe0")->target, std::nullopt);
  EXPECT_EQ(flow("4801d8")->target, std::nullopt);
}

TEST(ControlFlow, KnowsThePointersOfIndirectBranches) {
  EXPECT_EQ(flow("ff2510000000")->pointer, 22);    // jmp [rip+0x10]
  EXPECT_EQ(flow("f2ff2510000000")->pointer, 23);  // bnd jmp [rip+0x10]
  EXPECT_EQ(flow("ff15f0ffffff")->pointer, -10);   // call [rip-0x10]
  EXPECT_EQ(flow("ffe0")->pointer, std::nullopt);
  EXPECT_EQ(flow("ff24c500104000")->pointer, std::nullopt);
  EXPECT_EQ(flow("67ff2510000000")->pointer, std::nullopt);  // jmp [eip+0x10]
  EXPECT_EQ(flow("64ff2510000000")->pointer, std::nullopt);  // jmp fs:[rip+0x10]
  EXPECT_EQ(flow("8b0510000000")->pointer, std::nullopt);    // mov eax, [rip+0x10]
}

TEST(ControlFlow, TellsFillingFromWork) {
  for (const char* nop : {"90", "6690", "0f1f4000", "662e0f1f840000000000", "f30f1efa"}) {
    EXPECT_TRUE(flow(nop)->nop) << nop;
  }
  for (const char* other : {"4801d8", "f390", "8d7600", "0f1808", "cc", "c3"}) {
    EXPECT_FALSE(flow(other)->nop) << other;
  }
}

TEST(ControlFlow, IsNothingForWhatIsNoInstructionForSure) {
  for (const char* hex :
       {"", "06", "48", "0f", "e80500", "66e90500", "66e905000000", "660f8405000000"}) {
    EXPECT_FALSE(flow(hex)) << hex;
  }
}

TEST(ControlFlow, FallsThroughUnlessControlGoesElsewhereForGood) {
  for (const FlowKind kind : {kSequential, kConditionalJump, kCall, kIndirectCall, kSystemCall}) {
    EXPECT_TRUE(falls_through(kind)) << static_cast<int>(kind);
  }
  for (const FlowKind kind : {kJump, kIndirectJump, kReturn, kTrap}) {
    EXPECT_FALSE(falls_through(kind)) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace assay
