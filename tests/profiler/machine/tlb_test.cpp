#include "profiler/machine/tlb.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace assay {
namespace {

constexpr CpuidAnswer kIntel = {
    .eax = 0x20, .ebx = 0x756e6547, .ecx = 0x6c65746e, .edx = 0x49656e69};
constexpr CpuidAnswer kAmd = {.eax = 0x10, .ebx = 0x68747541, .ecx = 0x444d4163, .edx = 0x69746e65};

using Answers = std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidAnswer>;

SubleafCpuid made_up(const Answers& answers) {
  return [answers](std::uint32_t leaf, std::uint32_t subleaf) {
    const auto found = answers.find({leaf, subleaf});
    return found == answers.end() ? CpuidAnswer{} : found->second;
  };
}

CpuidAnswer translation(std::uint32_t kind, std::uint32_t level, std::uint32_t ways,
                        std::uint32_t sets, std::uint32_t pages) {
  return {.eax = 0, .ebx = ways << 16 | pages, .ecx = sets, .edx = level << 5 | kind};
}

TEST(Tlb, AmdTellsIt) {
  EXPECT_EQ(data_tlb_entries(made_up({{{0, 0}, kAmd}, {{0x80000005, 0}, {.ebx = 0xff48ff40}}})),
            72);
}

TEST(Tlb, IntelTellsItInSubleaves) {
  const Answers answers = {
      {{0, 0}, kIntel},
      {{0x18, 0}, {.eax = 6}},
      {{0x18, 1}, translation(2, 1, 8, 32, 1)},   // for instructions
      {{0x18, 2}, translation(3, 2, 8, 256, 1)},  // of the second level
      {{0x18, 3}, translation(1, 1, 32, 1, 2)},   // for 2-MiB pages
      {{0x18, 4}, translation(5, 1, 16, 1, 1)},   // for stores
      {{0x18, 5}, translation(4, 1, 6, 16, 1)},   // for loads
  };
  EXPECT_EQ(data_tlb_entries(made_up(answers)), 96);
  EXPECT_EQ(stored_tlb_entries(made_up(answers)), 16);
}

TEST(Tlb, LoadsAndStoresMayShareOne) {
  const Answers answers = {
      {{0, 0}, kIntel}, {{0x18, 0}, {.eax = 1}}, {{0x18, 1}, translation(1, 1, 4, 16, 1)}};
  EXPECT_EQ(data_tlb_entries(made_up(answers)), 64);
  EXPECT_EQ(stored_tlb_entries(made_up(answers)), 64);
  EXPECT_EQ(stored_tlb_entries(made_up({{{0, 0}, kAmd}, {{0x80000005, 0}, {.ebx = 0xff48ff40}}})),
            72);
}

TEST(Tlb, StoresHaveFewEntriesOnIntelWhereNobodyTells) {
  EXPECT_EQ(stored_tlb_entries(made_up({{{0, 0}, kIntel}})), 16);
}

TEST(Tlb, OlderIntelTellsItInDescriptors) {
  // A register with bit 31 set holds no descriptors, whatever its bytes look like.
  EXPECT_EQ(data_tlb_entries(made_up(
                {{{0, 0}, kIntel}, {{2, 0}, {.eax = 0x76636301, .ebx = 0x80b4b4b4, .ecx = 0x03}}})),
            64);
}

TEST(Tlb, TheUsualSizeWhereNobodyTellsIt) {
  EXPECT_EQ(data_tlb_entries(made_up({{{0, 0}, kIntel}})), kUsualDataTlbEntries);
  EXPECT_EQ(data_tlb_entries(made_up({{{0, 0}, kAmd}})), kUsualDataTlbEntries);
  EXPECT_EQ(data_tlb_entries(made_up({})), kUsualDataTlbEntries);
}

TEST(Tlb, OfThisProcessorIsPlausible) {
  EXPECT_GE(data_tlb_entries(), 8);
  EXPECT_LE(data_tlb_entries(), 1024);
}

}  // namespace
}  // namespace assay
