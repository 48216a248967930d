#include "profiler/running/footprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kMany = 1000;

TracedAccess access(std::int64_t copy, std::uint64_t address, std::size_t instruction = 0) {
  return {copy, instruction, address, 8, 8, true, false};
}

/// The numbers of the pages that so many copies touch.
std::set<std::uint64_t> pages(const Footprint& footprint, std::int64_t copies,
                              std::int64_t most = kMany) {
  std::set<std::uint64_t> found;
  footprint.for_each_page(Copies(copies), most,
                          [&](std::uint64_t address) { found.insert(address / 4096); });
  return found;
}

/// Accesses of eight copies, one in each, `distance` bytes apart.
std::vector<TracedAccess> walk(std::uint64_t start, std::int64_t distance) {
  std::vector<TracedAccess> accesses;
  for (std::int64_t copy = 0; copy < 8; ++copy) {
    accesses.push_back(access(copy, start + static_cast<std::uint64_t>(copy * distance)));
  }
  return accesses;
}

Footprint footprint_of(const std::vector<TracedAccess>& accesses) {
  return {accesses, Copies(accesses.empty() ? 0 : accesses.back().copy + 1)};
}

TEST(Footprint, OfNothingIsNothing) { EXPECT_THAT(pages(Footprint{}, 100), IsEmpty()); }

TEST(Footprint, WhatStaysStays) {
  EXPECT_THAT(pages(footprint_of(walk(0x5000, 0)), 1000), ElementsAre(5));
}

TEST(Footprint, WhatWalksGoesOnWalking) {
  // 64 copies share a page.
  EXPECT_THAT(pages(footprint_of(walk(0x5000, 64)), 200), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(pages(footprint_of(walk(0x5ff8, -64)), 200), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(pages(footprint_of(walk(0x5000, 8192)), 10),
              ElementsAre(5, 7, 9, 11, 13, 15, 17, 19, 21, 23));
}

TEST(Footprint, FewerCopiesThanWereTracedComeToLess) {
  EXPECT_THAT(pages(footprint_of(walk(0x5000, 4096)), 3), ElementsAre(5, 6, 7));
}

TEST(Footprint, TheFirstCopiesMayLieElsewhere) {
  auto later_even = walk(0x5000, 4096);
  later_even[0].address = later_even[1].address = 0x100000;
  EXPECT_EQ(pages(footprint_of(later_even), 20).size(), 19U);
}

TEST(Footprint, ForeseesSoMuchOnly) {
  EXPECT_EQ(pages(footprint_of(walk(0x5000, 4096)), 1000, 20).size(), 28U);
}

TEST(Footprint, WhatDoesNotWalkEvenlyIsNotForeseen) {
  auto uneven = walk(0x5000, 4096);
  uneven[6].address += 8;
  EXPECT_THAT(pages(footprint_of(uneven), 1000), ElementsAre(5, 6, 7, 8, 9, 10, 11, 12));
  auto other_instruction = walk(0x5000, 4096);
  other_instruction[6].instruction = 1;
  EXPECT_EQ(pages(footprint_of(other_instruction), 1000).size(), 8U);
  auto one_more = walk(0x5000, 4096);
  one_more.push_back(access(7, 0x5000));
  EXPECT_EQ(pages(footprint_of(one_more), 1000).size(), 8U);
}

TEST(Footprint, EachAccessWalksByItself) {
  std::vector<TracedAccess> accesses;
  for (std::int64_t copy = 0; copy < 4; ++copy) {
    accesses.push_back(access(copy, 0x10000, 0));
    accesses.push_back(access(copy, 0x20000 + static_cast<std::uint64_t>(copy) * 4096, 1));
  }
  EXPECT_THAT(pages(footprint_of(accesses), 6),
              ElementsAre(0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25));
}

TEST(Footprint, AnAccessAcrossPagesIsInBoth) {
  EXPECT_THAT(pages(footprint_of(walk(0x5ffc, 0)), 1), ElementsAre(5, 6));
}

TEST(FirstAddresses, AreThoseOfTheInitialState) {
  // mov rax, [rbx + 16]; mov [rip + 0x1000], rax
  const Block block = std::get<Block>(decode(bytes_from_hex("488b431048890500100000")));
  const InitialState state = distinct_initial_state();
  const auto kernel = std::get<TracedKernel>(trace_kernel(block, state, subject::kCode));
  const std::uint64_t rbx = state.general[static_cast<std::size_t>(GeneralRegister::kRbx)];
  const std::uint64_t target = kernel.home + block.bytes.size() + 0x1000;
  EXPECT_THAT(first_addresses(kernel, block, state),
              ElementsAre(rbx + 16, rbx + 23, target, target + 7));
}

/// How many of a thousand copies of a walk stay within a cache of 64 sets.
std::int64_t within(const std::vector<TracedAccess>& accesses, int ways) {
  const DataReach reach = {.cache = {.sets = 64, .ways = ways}};
  return footprint_of(accesses).copies_within(reach, Copies(kMany)).count();
}

TEST(Footprint, WhatStaysStaysInTheCache) {
  EXPECT_EQ(within(walk(0x5000, 0), 1), kMany);
  EXPECT_EQ(within({}, 1), kMany);
}

TEST(Footprint, CountsTheLinesOfEachSet) {
  EXPECT_EQ(within(walk(0x5000, 64), 2), 128);
  EXPECT_EQ(within(walk(0x5fc0, -64), 2), 128) << "downwards";
  EXPECT_EQ(within(walk(0x5000, 64), 16), kMany);
  EXPECT_EQ(within(walk(0x5000, 128), 2), 64) << "half of the sets";
  EXPECT_EQ(within(walk(0x5000, 4096), 2), 2) << "a single set";
  EXPECT_EQ(within(walk(0x5000, 8), 2), kMany) << "eight copies a line";
  EXPECT_EQ(within(walk(0x5000, 32), 2), 256) << "two copies a line";
  EXPECT_EQ(within(walk(0x503c, 64), 2), 127) << "each access is in two lines";
}

TEST(Footprint, LinesOfSeveralWalksCountTogether) {
  auto both = walk(0x5000, 64);
  const auto other = walk(0x9000, 64);
  for (std::size_t i = 0; i < other.size(); ++i) {
    both.insert(both.begin() + static_cast<std::ptrdiff_t>(2 * i + 1), other[i]);
    both[2 * i + 1].instruction = 1;
  }
  EXPECT_EQ(within(both, 2), 64);
  for (std::size_t i = 1; i < both.size(); i += 2) both[i].address = both[i - 1].address + 8;
  EXPECT_EQ(within(both, 2), 128) << "in one line";
}

TEST(Footprint, CountsPagesAndThoseThatStoresGoTo) {
  const auto within_pages = [](std::vector<TracedAccess> accesses, bool write) {
    for (TracedAccess& each : accesses) each.write = write;
    const DataReach reach = {.cache = {.sets = 64, .ways = 64}, .pages = 30, .stored_pages = 12};
    return footprint_of(accesses).copies_within(reach, Copies(kMany)).count();
  };
  EXPECT_EQ(within_pages(walk(0x5000, 1024), true), 4 * 12);
  EXPECT_EQ(within_pages(walk(0x5000, 8192), true), 12);
  EXPECT_EQ(within_pages(walk(0x5000, -4096), true), 12);
  EXPECT_EQ(within_pages(walk(0x5ffc, 4096), true), 11) << "across two pages";
  EXPECT_EQ(within_pages(walk(0x5000, 8192), false), 30) << "loads";
}

TEST(Footprint, OfAWalkThatIsNotEvenOnlyTracedLinesCount) {
  auto uneven = walk(0x5000, 4096);
  uneven[6].address += 8;
  EXPECT_EQ(within(uneven, 2), 2);
  EXPECT_EQ(within(uneven, 8), kMany);
}

TEST(Footprint, ForeseesAllOfWhatMovesByRule) {
  EXPECT_TRUE(Footprint().foresees_all(Copies(kMany)));
  EXPECT_TRUE(footprint_of(walk(0x5000, 0)).foresees_all(Copies(kMany)));
  EXPECT_TRUE(footprint_of(walk(0x5000, 64)).foresees_all(Copies(kMany)));
  auto uneven = walk(0x5000, 64);
  uneven[6].address += 8;
  EXPECT_FALSE(footprint_of(uneven).foresees_all(Copies(9)));
  EXPECT_TRUE(footprint_of(uneven).foresees_all(Copies(8))) << "which were traced";
  Footprint forgetful = footprint_of(walk(0x5000, 64));
  forgetful.forget_foreseen();
  EXPECT_FALSE(forgetful.foresees_all(Copies(kMany)));
  const std::vector<TracedAccess> once = {access(0, 0x5000), access(0, 0x9000, 1)};
  EXPECT_TRUE(Footprint(once, Copies(16)).foresees_all(Copies(kMany))) << "as rep stosb does";
  EXPECT_FALSE(Footprint(once, Copies(1)).foresees_all(Copies(kMany)));
}

TEST(PagesHeld, AreAsManyAsFitWhicheverLinesAreAccessed) {
  EXPECT_EQ(pages_held({.sets = 64, .ways = 8}), 8);
  EXPECT_EQ(pages_held({.sets = 128, .ways = 5}), 5) << "which may all use the same half";
  EXPECT_EQ(pages_held({.sets = 32, .ways = 8}), 4);
}

/// Sixteen copies of a load and a store, each of which moves by a distance from copy to copy.
std::vector<TracedAccess> load_and_store(std::uint64_t load, std::int64_t load_distance,
                                         std::uint64_t store, std::int64_t store_distance) {
  std::vector<TracedAccess> accesses;
  for (std::int64_t copy = 0; copy < 16; ++copy) {
    accesses.push_back(access(copy, load + static_cast<std::uint64_t>(copy * load_distance)));
    accesses.push_back(access(copy, store + static_cast<std::uint64_t>(copy * store_distance), 1));
    accesses.back().read = false;
    accesses.back().write = true;
  }
  return accesses;
}

std::size_t meeting(const std::vector<TracedAccess>& accesses, std::int64_t copies) {
  return footprint_of(accesses).meeting(Copies(copies)).size();
}

TEST(Footprint, WalksThatStayAsFarApartMeetAfterSomeCopiesOrNever) {
  EXPECT_EQ(meeting(load_and_store(0x5000, 8, 0x5000 + 20 * 8, 8), 100), 2 * (100 - 16));
  EXPECT_EQ(meeting(load_and_store(0x5000, 8, 0x5000 + 128 * 8, 8), 100), 2 * (100 - 16));
  EXPECT_EQ(meeting(load_and_store(0x5000, 8, 0x5000 + 129 * 8, 8), 1000), 0)
      << "it has left the store buffer by then";
  EXPECT_EQ(meeting(load_and_store(0x5000, 8, 0x5000 - 20 * 8, 8), 1000), 0) << "stored too late";
  EXPECT_EQ(meeting(load_and_store(0x5000, 8, 0x5000, 8), 1000), 0) << "no other copy";
  EXPECT_EQ(meeting(load_and_store(0x5000, 64, 0x5000 + 20 * 64 + 8, 64), 1000), 0)
      << "in other bytes";
  EXPECT_EQ(meeting(load_and_store(0x5000, 0, 0x5000, 0), 1000), 0) << "as the trace shows";
}

TEST(Footprint, WalksThatDoNotStayAsFarApartMeetSomewhere) {
  const auto to_a_store = load_and_store(0x5000, 8, 0x5000 + 50 * 8, 0);
  EXPECT_EQ(meeting(to_a_store, 40), 0);
  EXPECT_EQ(meeting(to_a_store, 60), 2 * (60 - 16));
  EXPECT_EQ(meeting(load_and_store(0x9000, -8, 0x5000, 8), 100), 0);
  EXPECT_GT(meeting(load_and_store(0x9000, -8, 0x5000, 8), 3000), 0);
}

TEST(Footprint, WhatMeetsComesInProgramOrder) {
  const auto found = footprint_of(load_and_store(0x5000, 8, 0x50a0, 8)).meeting(Copies(18));
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].copy, 16);
  EXPECT_EQ(found[0].address, 0x5080U);
  EXPECT_TRUE(found[0].read);
  EXPECT_EQ(found[1].copy, 16);
  EXPECT_TRUE(found[1].write);
  EXPECT_EQ(found[3].address, 0x50a0U + 17 * 8);
}

bool pointers_meet(std::vector<TracedAccess> accesses, std::int64_t copies) {
  for (TracedAccess& each : accesses) each.registers = each.write ? 1 : 2;
  return footprint_of(accesses).pointers_meet(Copies(copies));
}

TEST(Footprint, FindsPointersThatWalkToWhereOthersLead) {
  const auto down_to_a_load = load_and_store(0x5000, 0, 0x5000 + 100 * 8, -8);
  EXPECT_FALSE(pointers_meet(down_to_a_load, 100)) << "the last one is just above it";
  EXPECT_TRUE(pointers_meet(down_to_a_load, 101));
  EXPECT_FALSE(footprint_of(down_to_a_load).pointers_meet(Copies(1000))) << "of the same registers";
  EXPECT_TRUE(pointers_meet(load_and_store(0x5000, 24, 0x6000, 0), 1000));
  EXPECT_TRUE(pointers_meet(load_and_store(0x5000, 1, 0x5000 - 384, 1), 1000))
      << "where the store comes later";
  EXPECT_FALSE(pointers_meet(load_and_store(0x5000, 1, 0x5000 - 384, 1), 370));
  EXPECT_FALSE(pointers_meet(load_and_store(0x5000, 0, 0x5000, 0), 1000)) << "neither walks";
  auto only_at_first = load_and_store(0x5000, 8, 0x9000, 0);
  only_at_first[1].address = 0x5000 + 200 * 8;
  EXPECT_TRUE(pointers_meet(only_at_first, 300)) << "what the first copy alone stores to";
  EXPECT_FALSE(pointers_meet(only_at_first, 200));
}

}  // namespace
}  // namespace assay
