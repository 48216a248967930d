#include "profiler/block/instruction_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

namespace assay {
namespace {

std::vector<InstructionSet> sets_of(const char* hex) {
  return instruction_sets(std::get<Block>(decode(bytes_from_hex(hex))));
}

TEST(InstructionSet, NamesThatOfEachInstruction) {
  // add rax, rbx; addps xmm0, xmm1; vaddps ymm0, ymm1, ymm2; vaddps zmm0, zmm1, zmm2
  const auto sets = sets_of("4801d80f58c1c5f458c262f1744858c2");
  ASSERT_EQ(sets.size(), 4U);
  EXPECT_EQ(sets[0].name, "I86");
  EXPECT_EQ(sets[1].name, "SSE");
  EXPECT_EQ(sets[2].name, "AVX");
  EXPECT_EQ(sets[3].name, "AVX512F_512");
  for (const auto& set : sets) EXPECT_EQ(set.stand_in, "");
}

TEST(InstructionSet, SaysWhatBytesMeanWithoutIt) {
  struct Case {
    const char* hex;
    std::string_view name;
    std::string_view stand_in;
  };
  constexpr Case kCases[] = {
      {"f30fbcc3", "BMI1", "bsf"},        // tzcnt eax, ebx
      {"f3480fbdc3", "LZCNT", "bsr"},     // lzcnt rax, rbx
      {"0f0d0b", "PREFETCH_NOP", "nop"},  // prefetchw [rbx]
      {"0f1c03", "CLDEMOTE", "nop"},      // cldemote [rbx]
      {"f30f1ec8", "CET", "nop"},         // rdsspd eax
      {"0fbcc3", "I386", ""},             // bsf eax, ebx
      {"c4e278f3cb", "BMI1", ""},         // blsr eax, ebx
      {"f30f1efa", "FAT_NOP", ""},        // endbr64
      {"0f1f00", "FAT_NOP", ""},          // nop [rax]
      {"660f38f6c3", "ADOX_ADCX", ""},    // adcx eax, ebx
  };
  for (const Case& each : kCases) {
    const auto sets = sets_of(each.hex);
    ASSERT_EQ(sets.size(), 1U) << each.hex;
    EXPECT_EQ(sets[0].name, each.name) << each.hex;
    EXPECT_EQ(sets[0].stand_in, each.stand_in) << each.hex;
  }
}

TEST(InstructionSet, ListsEachNameOnce) {
  auto names = instruction_set_names();
  EXPECT_EQ(std::ranges::count(names, "AVX512F_512"), 1);
  EXPECT_EQ(std::ranges::count(names, "KNCV"), 0);
  EXPECT_EQ(std::ranges::count(names, "INVALID"), 0);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
}  // namespace assay
