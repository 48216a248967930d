#include "profiler/running/seen_whole.h"

#include <gtest/gtest.h>

#include "profiler/subject/layout.h"
#include "tests/profiler/block/block_of.h"

namespace assay {
namespace {

InitialState state_with(GeneralRegister reg, std::uint64_t value) {
  InitialState state = bhive_initial_state();
  state.general[static_cast<std::size_t>(reg)] = value;
  return state;
}

bool seen(const char* hex, const InitialState& state = bhive_initial_state(),
          Notion notion = Notion::kUnrolled) {
  return is_seen_whole(block_of(hex), notion, state);
}

constexpr const char* kStore = "488903";  // mov [rbx], rax

TEST(SeenWhole, IsWhatAccessesTheSameMemoryInEachCopy) {
  EXPECT_TRUE(seen(kStore));
  EXPECT_TRUE(seen(kStore, bhive_initial_state(), Notion::kLooped));
  EXPECT_TRUE(seen("4801d8")) << "add rax, rbx";
  EXPECT_TRUE(seen("890d00000000")) << "mov [rip], ecx";
  EXPECT_FALSE(seen("48890348ffc3")) << "mov [rbx], rax; inc rbx";
}

TEST(SeenWhole, IsNothingNearAssaysOwnMemory) {
  for (const std::uint64_t address :
       {subject::kBase, subject::kTrace, subject::kReport, subject::kBase + subject::kSpan - 1,
        subject::kBase - 0x1000, subject::kBase + subject::kSpan + 0x1000}) {
    EXPECT_FALSE(seen(kStore, state_with(GeneralRegister::kRbx, address))) << address;
  }
  for (const std::uint64_t address :
       {subject::kBase - 0x2'0000, subject::kBase + subject::kSpan + 0x2'0000}) {
    EXPECT_TRUE(seen(kStore, state_with(GeneralRegister::kRbx, address))) << address;
  }
  InitialState state = bhive_initial_state();
  const std::uint64_t left = subject::kReport - state.general[0];
  EXPECT_FALSE(seen("488904cb", state_with(GeneralRegister::kRcx, left / 8)))
      << "mov [rbx + 8*rcx], rax";
  state.segment_base = left;
  EXPECT_FALSE(seen("64488903", state)) << "mov fs:[rbx], rax";
  EXPECT_FALSE(seen("640f01fc", state)) << "clzero at fs:[rax]";
}

TEST(SeenWhole, IsNothingWhoseRegistersAreNotTheStates) {
  InitialState state = bhive_initial_state();
  state.code = bytes_from_hex("90");
  EXPECT_FALSE(seen(kStore, state));
  // mov [rbx], rax; add rcx, 8; cmp rcx, rbx; jb: a loop that RBX may end
  const char* const loop = "4889034883c1084839d972f4";
  EXPECT_TRUE(seen(loop));
  EXPECT_FALSE(seen(loop, bhive_initial_state(), Notion::kLooped));
}

}  // namespace
}  // namespace assay
