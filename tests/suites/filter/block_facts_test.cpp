#include "suites/filter/block_facts.h"

#include <gmock/gmock.h>

#include "tests/suites/filter/some_support.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

BlockFacts facts(const char* hex, bool everything = true) {
  return facts_of(bytes_from_hex(hex), some_support(everything));
}

TEST(BlockFacts, HaveLengthAndExtensions) {
  const BlockFacts found = facts("4801d8c5f458c24801d8");  // add; vaddps ymm0, ymm1, ymm2; add
  EXPECT_EQ(found.instructions, 3);
  EXPECT_THAT(found.extensions, ElementsAre("avx", "base"));
  EXPECT_TRUE(found.traits.none());
  EXPECT_EQ(found.refusal, Reason::kNone);
}

TEST(BlockFacts, TellHowMemoryIsUsed) {
  EXPECT_EQ(facts("4801d8").memory, MemoryUse::kNone);        // add rax, rbx
  EXPECT_EQ(facts("488d03").memory, MemoryUse::kNone);        // lea rax, [rbx]
  EXPECT_EQ(facts("488b03").memory, MemoryUse::kLoads);       // mov rax, [rbx]
  EXPECT_EQ(facts("5b").memory, MemoryUse::kLoads);           // pop rbx
  EXPECT_EQ(facts("488903").memory, MemoryUse::kStores);      // mov [rbx], rax
  EXPECT_EQ(facts("480103").memory, MemoryUse::kBoth);        // add [rbx], rax
  EXPECT_EQ(facts("488b03488903").memory, MemoryUse::kBoth);  // mov rax, [rbx]; mov [rbx], rax
  EXPECT_TRUE(facts("488b0500010000").rip_relative);          // mov rax, [rip + 256]
  EXPECT_FALSE(facts("488d0500010000").rip_relative);         // lea rax, [rip + 256]
  EXPECT_FALSE(facts("488b03").rip_relative);
}

TEST(BlockFacts, HaveTheTraitsOfTheCode) {
  EXPECT_EQ(to_string(facts("48f7f3").traits), "input_dependent");       // div rbx
  EXPECT_EQ(to_string(facts("d9e8").traits), "x87_unbalanced");          // fld1
  EXPECT_EQ(to_string(facts("488b03488901").traits), "may_alias");       // [rbx], then [rcx]
  EXPECT_EQ(to_string(facts("f30fbcc3", false).traits), "unsupported");  // tzcnt eax, ebx
  EXPECT_EQ(to_string(facts("f30fbcc3", true).traits), "");
  EXPECT_EQ(to_string(facts("d8f348f7f3488b03488901", false).traits),
            "input_dependent, x87_unbalanced, may_alias, unsupported");
}

TEST(BlockFacts, KnowNothingOfARefusedBlock) {
  const BlockFacts found = facts("488b030f05");  // mov rax, [rbx]; syscall
  EXPECT_EQ(to_string(found.traits), "refused");
  EXPECT_EQ(found.refusal, Reason::kSystemCall);
  EXPECT_EQ(found.instructions, 0);
  EXPECT_EQ(found.memory, MemoryUse::kNone);
  EXPECT_THAT(found.extensions, IsEmpty());
}

}  // namespace
}  // namespace assay
