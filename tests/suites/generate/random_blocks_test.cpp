#include "suites/generate/random_blocks.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/block/memory_operand.h"
#include "profiler/support/error.h"
#include "suites/generate/form_filter.h"
#include "tests/suites/generate/block_flow.h"

namespace assay {
namespace {

constexpr std::uint64_t kBlocks = 300;

std::vector<const InstructionForm*> forms(const FormFilter& filter = {}) {
  return choose_forms(filter, [](const Skipped&) {});
}

TEST(RandomBlocks, FollowFromSeedAndPlace) {
  const RandomBlocks blocks(forms({.patterns = {"ADD*", "IMUL*"}, .extensions = {"I86", "I386"}}),
                            {.seed = 7, .shortest = 3, .longest = 3});
  // A change of these bytes makes another suite for the same seed: the documentation must say so.
  EXPECT_EQ(hex_from_bytes(blocks.block(0).bytes), "664181063412f06641814640341241f7ef");
  EXPECT_EQ(blocks.block(5).name, "random 7/5");
  EXPECT_EQ(blocks.block(5).bytes, blocks.block(5).bytes);
  EXPECT_NE(blocks.block(5).bytes, blocks.block(6).bytes);
}

TEST(RandomBlocks, AreRunnableAndAsAskedFor) {
  const auto all = forms();
  for (const RandomMemory memory :
       {RandomMemory::kNone, RandomMemory::kSome, RandomMemory::kOnly}) {
    for (const bool aliasing : {false, true}) {
      const RandomBlocks blocks(all,
                                {.seed = 1, .longest = 5, .memory = memory, .aliasing = aliasing});
      int most_at_one_address = 0;
      for (std::uint64_t i = 0; i < kBlocks; ++i) {
        const CorpusEntry entry = blocks.block(i);
        const auto decoded = decode(entry.bytes);
        ASSERT_TRUE(std::holds_alternative<Block>(decoded)) << entry.name;
        EXPECT_LE(std::get<Block>(decoded).instructions.size(), 5U);
        std::multiset<std::string> addresses;
        for (const Flow& flow : flows_of(entry.bytes)) {
          bool accesses = false;
          for (const auto& [name, place] : flow.named) {
            if (!place.starts_with("[")) continue;
            accesses = true;
            addresses.insert(place.substr(place.find_first_of("+-")));
          }
          EXPECT_FALSE(accesses && memory == RandomMemory::kNone) << flow.form;
          EXPECT_FALSE(!accesses && memory == RandomMemory::kOnly) << flow.form;
          for (const char* base : {"r14", "r13", "r12"}) {
            EXPECT_FALSE(flow.writes.contains(base)) << entry.name;
          }
        }
        for (const std::string& address : addresses) {
          most_at_one_address =
              std::max(most_at_one_address, static_cast<int>(addresses.count(address)));
        }
      }
      if (memory == RandomMemory::kNone) continue;
      EXPECT_EQ(most_at_one_address > 1, aliasing);
    }
  }
}

TEST(RandomBlocks, HoldNothingThatSpoilsTheRest) {
  for (const char* mnemonic :
       {"CLFLUSH", "RDRAND", "RDSEED", "RDTSC", "RDTSCP", "LFENCE", "MFENCE", "SFENCE", "PAUSE",
        "STD", "EMMS", "VZEROALL", "MOVNTI", "VMOVNTDQ", "CPUID", "UD2"}) {
    EXPECT_THROW(RandomBlocks(forms({.patterns = {mnemonic}}), {}), InputError) << mnemonic;
  }
}

TEST(RandomBlocks, NeedForms) {
  EXPECT_THROW(
      RandomBlocks(forms({.patterns = {"POPCNT r64, r64"}}), {.memory = RandomMemory::kOnly}),
      InputError);
}

}  // namespace
}  // namespace assay
