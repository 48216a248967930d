#include "profiler/machine/instruction_support.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/block/instruction_set.h"
#include "profiler/machine/features.h"

namespace assay {
namespace {

constexpr std::uint32_t kAll = ~std::uint32_t{0};

SupportFacts facts(std::uint32_t bits) {
  SupportFacts facts;
  facts.cpuid = [bits](std::uint32_t, std::uint32_t) {
    return CpuidAnswer{bits, bits, bits, bits};
  };
  facts.xcr0 = ~std::uint64_t{0};
  facts.fsgsbase = true;
  return facts;
}

/// A machine whose CPUID has all bits set except one.
SupportFacts all_but(std::uint32_t leaf, std::uint32_t subleaf, std::uint32_t CpuidAnswer::*reg,
                     int bit) {
  SupportFacts all = facts(kAll);
  all.cpuid = [=](std::uint32_t asked, std::uint32_t asked_subleaf) {
    CpuidAnswer answer{kAll, kAll, kAll, kAll};
    if (asked == leaf && asked_subleaf == subleaf) answer.*reg &= ~(std::uint32_t{1} << bit);
    return answer;
  };
  return all;
}

std::vector<std::string> missing_sets(const SupportFacts& facts) {
  const InstructionSupport support(facts);
  std::vector<std::string> missing;
  for (const std::string_view set : instruction_set_names()) {
    if (support.missing_feature(set)) missing.emplace_back(set);
  }
  return missing;
}

using Sets = std::vector<std::string>;

TEST(InstructionSupport, KnowsEverySetThatZydisHas) {
  const InstructionSupport everything(facts(kAll));
  for (const std::string_view set : instruction_set_names()) {
    EXPECT_NE(everything.missing_feature(set), std::string(set)) << "not in the table: " << set;
    EXPECT_FALSE(extension_of(set).empty()) << set;
  }
  EXPECT_GT(instruction_set_names().size(), 170U);
  EXPECT_EQ(everything.missing_feature("NO_SUCH_SET"), "NO_SUCH_SET");
  EXPECT_EQ(extension_of("NO_SUCH_SET"), "");
}

TEST(InstructionSupport, LacksNothingButWhatNoProcessIsGivenWhereAllBitsAreSet) {
  EXPECT_EQ(missing_sets(facts(kAll)), (Sets{"CET", "MPX", "TDX"}));
}

TEST(InstructionSupport, NeedsNoBitForWhatEvery64BitCpuHas) {
  const Sets missing = missing_sets(facts(0));
  for (const char* const set : {"I86", "I386", "LONGMODE", "PAUSE", "FAT_NOP", "PPRO"}) {
    EXPECT_EQ(std::ranges::count(missing, set), 0) << set;
  }
  for (const char* const set : {"SSE2", "X87", "AVX2", "BMI1", "XSAVE", "PADLOCK_RNG"}) {
    EXPECT_EQ(std::ranges::count(missing, set), 1) << set;
  }
}

TEST(InstructionSupport, FollowsEachBit) {
  struct Case {
    SupportFacts facts;
    Sets missing;
  };
  const Case cases[] = {
      {all_but(1, 0, &CpuidAnswer::ecx, 9), {"SSSE3", "SSSE3MMX"}},
      {all_but(7, 0, &CpuidAnswer::ebx, 3), {"BMI1"}},
      {all_but(7, 0, &CpuidAnswer::ecx, 9),
       {"AVX512_VAES_128", "AVX512_VAES_256", "AVX512_VAES_512", "VAES"}},
      {all_but(7, 1, &CpuidAnswer::eax, 4), {"AVX_VNNI"}},
      {all_but(0xd, 1, &CpuidAnswer::eax, 1), {"XSAVEC"}},
      {all_but(0x80000001, 0, &CpuidAnswer::ecx, 5), {"LZCNT"}},
      {all_but(0x80000008, 0, &CpuidAnswer::ebx, 4), {"RDPRU"}},
  };
  for (const Case& each : cases) {
    Sets expected = each.missing;
    expected.insert(expected.end(), {"CET", "MPX", "TDX"});
    std::ranges::sort(expected);
    Sets missing = missing_sets(each.facts);
    std::ranges::sort(missing);
    EXPECT_EQ(missing, expected);
  }
}

TEST(InstructionSupport, WantsVectorLengthsOnlyWhereTheyAreShort) {
  const InstructionSupport support(all_but(7, 0, &CpuidAnswer::ebx, 31));
  EXPECT_EQ(support.missing_feature("AVX512F_256"), "avx512vl");
  EXPECT_EQ(support.missing_feature("AVX512_VNNI_128"), "avx512vl");
  EXPECT_EQ(support.missing_feature("AVX512F_128N"), std::nullopt);
  EXPECT_EQ(support.missing_feature("AVX512F_512"), std::nullopt);
  EXPECT_EQ(support.missing_feature("AVX512F_SCALAR"), std::nullopt);
}

TEST(InstructionSupport, SaysWhatTheSystemHasNotSwitchedOn) {
  SupportFacts without = facts(kAll);
  without.xcr0 = 0x07;
  without.fsgsbase = false;
  const InstructionSupport support(without);
  EXPECT_EQ(support.missing_feature("AVX512F_512"), "avx512f by the system");
  EXPECT_EQ(support.missing_feature("AMX_TILE"), "amx_tile by the system");
  EXPECT_EQ(support.missing_feature("RDWRFSGS"), "fsgsbase by the system");
  EXPECT_EQ(support.missing_feature("AVX2"), std::nullopt);
  without.xcr0 = 0;
  EXPECT_EQ(InstructionSupport(without).missing_feature("AVX"), "avx by the system");
}

TEST(InstructionSupport, TakesInstructionsThatWereSeenToWorkForSupported) {
  SupportFacts hidden = facts(0);
  hidden.counts_trailing_zeros = true;
  EXPECT_EQ(InstructionSupport(hidden).missing_feature("BMI1"), std::nullopt);
  EXPECT_EQ(InstructionSupport(hidden).missing_feature("LZCNT"), "abm");
  hidden.counts_leading_zeros = true;
  EXPECT_EQ(InstructionSupport(hidden).missing_feature("LZCNT"), std::nullopt);
}

TEST(InstructionSupport, AgreesWithWhatIsKnownOfThisMachine) {
  EXPECT_EQ(missing_feature("SSE2"), std::nullopt);
  EXPECT_EQ(missing_feature("AVX").has_value(), !features().avx);
  EXPECT_EQ(missing_feature("AVX512BW_256").has_value() || missing_feature("AVX512DQ_512"),
            !features().avx512);
  const SupportFacts here = hardware_support_facts();
  // No hypervisor sets the bit of an instruction that the CPU would run as another one.
  const bool bmi1 = (here.cpuid(7, 0).ebx >> 3 & 1) != 0;
  const bool abm = (here.cpuid(0x80000001, 0).ecx >> 5 & 1) != 0;
  EXPECT_GE(here.counts_trailing_zeros, bmi1);
  EXPECT_GE(here.counts_leading_zeros, abm);
}

TEST(InstructionSupport, CallsExtensionsByTheirFirstFeature) {
  EXPECT_EQ(extension_of("I86"), "base");
  EXPECT_EQ(extension_of("AVX512F_128N"), "avx512f");
  EXPECT_EQ(extension_of("AVX512_4FMAPS_512"), "avx512_4fmaps");
  EXPECT_EQ(extension_of("PENTIUMMMX"), "mmx");
  const auto names = extension_names();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(std::ranges::count(names, "base"), 1);
  EXPECT_EQ(std::ranges::count(names, "sse2"), 1);
}

}  // namespace
}  // namespace assay
