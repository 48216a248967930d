#include "profiler/protocol/assay_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "tests/profiler/protocol/planning.h"

namespace assay {
namespace {

using testing::ElementsAre;

Settings settings(int target_instructions, int loop_min_instructions = 1) {
  Settings settings;
  settings.target_instructions = target_instructions;
  settings.loop_min_instructions = loop_min_instructions;
  return settings;
}

Plan plan_of(const Block& block, const Settings& settings, Notion notion = Notion::kUnrolled) {
  return std::get<Plan>(make_plan(block, notion, settings, kInstructionCache));
}

std::vector<std::int64_t> sizes(const Plan& plan) {
  std::vector<std::int64_t> counts;
  for (const Iterations size : plan.sizes) counts.push_back(size.count());
  return counts;
}

void expect_three_sizes(const Plan& plan) {
  const std::int64_t n = sizes(plan).at(0);
  EXPECT_THAT(sizes(plan), ElementsAre(n, 2 * n, 3 * n));
}

/// A plan with the sizes n, 2n and 3n.
Plan plan_of_sizes(std::int64_t n) {
  return {Notion::kUnrolled, Copies(1), {Iterations(n), Iterations(2 * n), Iterations(3 * n)}};
}

TEST(AssayPlan, MakesAboutTheInstructionsThatAreAskedFor) {
  for (int instructions = 1; instructions <= 500; ++instructions) {
    const Plan plan = plan_of(nops(instructions), settings(500));
    const std::int64_t n = plan.fewest_copies().count();
    EXPECT_GE(3 * n * instructions, 2 * 500);
    EXPECT_LE(n, (500 / instructions + 1) * 9 / 8);
    EXPECT_EQ(sizes(plan)[0], n);
    EXPECT_EQ(plan.body, Copies(1));
    expect_three_sizes(plan);
  }
}

TEST(AssayPlan, EndsAtFetchBoundariesWhereThatChangesLittle) {
  EXPECT_EQ(sizes(plan_of(nops(1), settings(500)))[0], 512);  // 512 bytes
  // 384 bytes: 576 would be 192 copies, more than an eighth more than 167
  EXPECT_EQ(sizes(plan_of(nops(3), settings(500)))[0], 128);
  EXPECT_EQ(sizes(plan_of(nops(100), settings(500)))[0], 4);  // 400 bytes, a multiple of 16
}

TEST(AssayPlan, EndsAtFetchBoundariesWhereThePageIsTheLimit) {
  // 1,000 copies of five bytes are wanted, and 273 fit a third of the page: 256 end at lines.
  EXPECT_EQ(sizes(plan_of(nops(5), settings(5000)))[0], 256);
  // 65 of 21 bytes fit, and 64 end at lines; 62 of 22 bytes, and 48 end at half lines.
  EXPECT_EQ(sizes(plan_of(nops(21), settings(5000)))[0], 64);
  EXPECT_EQ(sizes(plan_of(nops(22), settings(5000)))[0], 48);
  for (int bytes = 1; bytes <= 40; ++bytes) {
    const std::int64_t n = sizes(plan_of(nops(bytes), settings(5000)))[0];
    EXPECT_LE(3 * n * bytes, 4096);
    EXPECT_EQ(n * bytes % 8, 0) << bytes;
  }
}

TEST(AssayPlan, KeepsItsCodeSmall) {
  constexpr std::int64_t kLargestCode = 4096;
  for (const int instructions : {1, 7, 20, 50}) {
    const Block block = long_moves(instructions);
    const auto size = static_cast<std::int64_t>(block.bytes.size());
    const Plan plan = plan_of(block, settings(500));
    expect_three_sizes(plan);
    EXPECT_LE(3 * sizes(plan)[0] * size, kLargestCode);
    EXPECT_GT(3 * (sizes(plan)[0] + 1) * size, kLargestCode * 2 / 3) << "and not much smaller";
  }
}

TEST(AssayPlan, TakesOneCopyOfWhatIsLargeAndFourThatFitTheInstructionCache) {
  const Block block = nops(4000);
  EXPECT_THAT(sizes(plan_of(block, settings(500))), ElementsAre(1, 2, 3));
  const auto planned = make_plan(nops(9000), Notion::kUnrolled, settings(500), kInstructionCache);
  ASSERT_TRUE(std::holds_alternative<Outcome>(planned));
  EXPECT_EQ(std::get<Outcome>(planned).reason, Reason::kTooLarge);
  EXPECT_TRUE(std::holds_alternative<Plan>(
      make_plan(nops(9000), Notion::kUnrolled, settings(500), 2 * kInstructionCache)));
}

TEST(AssayPlan, ALoopNeedsRoomForItsBodyOnly) {
  EXPECT_EQ(plan_of(nops(9000), settings(500), Notion::kLooped).body, Copies(1));
  EXPECT_TRUE(std::holds_alternative<Outcome>(
      make_plan(nops(9000), Notion::kLooped, settings(500), kInstructionCache / 4)));
  EXPECT_TRUE(std::holds_alternative<Outcome>(
      make_plan(nops(9000), Notion::kLooped, settings(500, 30'000), kInstructionCache)));
}

TEST(AssayPlan, ALoopMakesManyMoreInstructionsInManyIterations) {
  EXPECT_THAT(sizes(plan_of(nops(1), settings(500), Notion::kLooped)),
              ElementsAre(2000, 4000, 6000));
  EXPECT_THAT(sizes(plan_of(nops(3), settings(500), Notion::kLooped)),
              ElementsAre(1024, 2048, 3072));
  EXPECT_THAT(sizes(plan_of(nops(100), settings(500), Notion::kLooped)),
              ElementsAre(1024, 2048, 3072));
}

TEST(AssayPlan, ALoopsBodyHasAsManyCopiesAsItNeeds) {
  const auto body_copies = [](int instructions, int least) {
    return plan_of(nops(instructions), settings(500, least), Notion::kLooped).body.count();
  };
  EXPECT_EQ(body_copies(3, 1), 1);
  EXPECT_EQ(body_copies(3, 3), 1);
  EXPECT_EQ(body_copies(3, 4), 2);
  EXPECT_EQ(body_copies(1, 50), 50);
  EXPECT_EQ(body_copies(1, 0), 1);
  const Plan plan = plan_of(nops(1), settings(500, 2), Notion::kLooped);
  EXPECT_EQ(sizes(plan)[0], 1024);
  EXPECT_EQ(plan.fewest_copies(), Copies(2048));
}

TEST(AssayPlan, IsRaisedToMoreWarmUpsAndThenToMoreCopies) {
  const Plan plan = plan_of(nops(5), settings(400));
  const std::int64_t n = sizes(plan)[0];
  const auto warmer = raised(plan);
  ASSERT_TRUE(warmer);
  EXPECT_EQ(sizes(*warmer), sizes(plan));
  EXPECT_GT(warmer->warm_ups, plan.warm_ups);
  EXPECT_EQ(warmer->raised, 1);
  const auto larger = raised(*warmer);
  ASSERT_TRUE(larger);
  EXPECT_THAT(sizes(*larger), ElementsAre(2 * n, 4 * n, 6 * n));
  EXPECT_EQ(larger->warm_ups, warmer->warm_ups);
  EXPECT_EQ(larger->raised, 2);
  EXPECT_FALSE(raised(*larger));
}

TEST(AssayPlan, WhatLoadsAndStoresIsWarmedUpMoreFromTheStart) {
  const auto warm_ups = [](const std::string& hex, Notion notion) {
    return plan_of(std::get<Block>(decode(bytes_from_hex(hex))), settings(400), notion).warm_ups;
  };
  const int usual = warm_ups("4801d8", Notion::kUnrolled);        // add rax, rbx
  EXPECT_EQ(warm_ups("488b06", Notion::kUnrolled), usual);        // mov rax, [rsi]
  EXPECT_EQ(warm_ups("488907", Notion::kUnrolled), usual);        // mov [rdi], rax
  EXPECT_GT(warm_ups("830701", Notion::kUnrolled), usual);        // add dword ptr [rdi], 1
  EXPECT_GT(warm_ups("488b06488907", Notion::kUnrolled), usual);  // a load, then a store
  EXPECT_EQ(warm_ups("830701", Notion::kLooped), 1) << "a loop executes its code many times";
}

TEST(AssayPlan, IsRaisedToFourCopiesOfWhatIsLarge) {
  const auto warmer = raised(plan_of(nops(4000), settings(500)));
  ASSERT_TRUE(warmer);
  const auto larger = raised(*warmer);
  ASSERT_TRUE(larger);
  EXPECT_THAT(sizes(*larger), ElementsAre(2, 3, 4));
}

TEST(AssayPlan, ALoopIsRaisedFiveTimes) {
  Plan plan = plan_of(nops(5), settings(400), Notion::kLooped);
  const std::int64_t n = sizes(plan)[0];
  for (int i = 0; i < 5; ++i) {
    const auto larger = raised(plan);
    ASSERT_TRUE(larger);
    EXPECT_EQ(larger->warm_ups, plan.warm_ups) << "each run executes the same code many times";
    plan = *larger;
  }
  EXPECT_THAT(sizes(plan), ElementsAre(32 * n, 64 * n, 96 * n));
  EXPECT_FALSE(raised(plan));
}

TEST(AssayPlan, IsShortenedToAShareButNotBelowAFewCopies) {
  const Plan plan = plan_of_sizes(100);
  EXPECT_THAT(sizes(shortened(plan, nops(64), 0.5)), ElementsAre(50, 100, 150));
  EXPECT_THAT(sizes(shortened(plan, nops(64), 0.555)), ElementsAre(55, 110, 165));
  EXPECT_THAT(sizes(shortened(plan, nops(64), 0.001)), ElementsAre(4, 8, 12));
  EXPECT_THAT(sizes(shortened(plan, nops(64), 5)), ElementsAre(100, 200, 300)) << "never longer";
}

TEST(AssayPlan, WhatIsShortStaysAsItIs) {
  const Plan plan = plan_of_sizes(4);
  EXPECT_EQ(shortened(plan, nops(64), 0.1).sizes, plan.sizes);
}

TEST(AssayPlan, IsRaisedToWhatTheCacheHolds) {
  Plan plan;
  plan.sizes = {Iterations(16), Iterations(32), Iterations(48)};
  plan.warm_ups = 16;
  plan.within_cache = Copies(96);
  EXPECT_THAT(sizes(raised(plan).value()), ElementsAre(32, 64, 96));
  plan.within_cache = Copies(95);
  const auto late = raised(plan);
  ASSERT_TRUE(late);
  EXPECT_THAT(sizes(*late), ElementsAre(44, 66, 88)) << "of 92, for half the alignment";
  EXPECT_EQ(late->raised, 1);
  const auto latest = raised(*late);
  ASSERT_TRUE(latest);
  EXPECT_THAT(sizes(*latest), ElementsAre(56, 70, 84)) << "begins at two thirds";
  EXPECT_FALSE(raised(*latest)) << "there is no later one";
  plan.within_cache = Copies(67);
  EXPECT_THAT(sizes(raised(plan).value()), ElementsAre(32, 48, 64));
}

TEST(AssayPlan, IsNotRaisedOutOfTheCache) {
  Plan plan;
  plan.sizes = {Iterations(10), Iterations(20), Iterations(30)};
  plan.warm_ups = 16;
  plan.within_cache = Copies(60);
  ASSERT_TRUE(raised(plan));
  plan.within_cache = Copies(17);
  EXPECT_FALSE(raised(plan)) << "nothing begins later";
  plan.sizes = {Iterations(1), Iterations(2), Iterations(3)};
  plan.within_cache = Copies(3);
  EXPECT_FALSE(raised(plan));
  plan.warm_ups = 3;
  ASSERT_TRUE(raised(plan)) << "of which more warm-ups are no more copies";
}

/// A plan of a core whose micro-op cache feeds so many copies.
Plan plan_fed(std::int64_t copies, std::int64_t copy_bytes = 3) {
  Plan plan = plan_of_sizes(100);
  plan.fed_alike = Copies(copies);
  plan.copy_bytes = copy_bytes;
  return plan;
}

TEST(AssayPlan, FillsWhatTheFrontEndIsFedAlike) {
  const Plan filling = *filling_front_end(plan_fed(1'000));
  // Of 800 copies, as many as are twelve times 64.
  EXPECT_THAT(sizes(filling), ElementsAre(232, 616, 1'000));
  EXPECT_EQ(filling.raised, 0);
  EXPECT_EQ(filling.stagger, Copies(10)) << "a 24th of 232";
  EXPECT_FALSE(filling_front_end(plan_fed(300))) << "no longer than it is";
  EXPECT_FALSE(filling_front_end(plan_of_sizes(100))) << "nothing is known";
  EXPECT_FALSE(plan_of_sizes(100).has_places());
  Plan loop = plan_fed(1'000);
  loop.notion = Notion::kLooped;
  EXPECT_FALSE(filling_front_end(loop));
}

TEST(AssayPlan, IsRaisedToLaterCopiesWhereTheFrontEndHasNoRoomForMore) {
  const Plan warm = *raised(*filling_front_end(plan_fed(1'000)));
  EXPECT_THAT(sizes(warm), ElementsAre(232, 616, 1'000)) << "but behind more warm-up runs";
  const Plan later = *raised(warm);
  EXPECT_THAT(sizes(later), ElementsAre(552, 744, 1'000)) << "seven times 64 of 500";
  EXPECT_EQ(later.stagger, Copies(23));
  EXPECT_FALSE(raised(later));
  // What was shortened has room.
  const Plan shorter = shortened(warm, nops(3), 0.2);
  EXPECT_THAT(sizes(shorter), ElementsAre(72, 136, 200));
  EXPECT_EQ(shorter.stagger, Copies(3));
  EXPECT_THAT(sizes(*raised(shorter)), ElementsAre(144, 272, 400));
  EXPECT_EQ(raised(shorter)->stagger, Copies(6));
}

TEST(AssayPlan, ThatFillsTheFrontEndKeepsItsLargestSizeWhenRaised) {
  for (const std::int64_t fed : {160, 179, 997}) {
    Plan plan = plan_fed(fed);
    plan.sizes = {Iterations(10), Iterations(20), Iterations(30)};
    const Plan warm = *raised(*filling_front_end(plan));
    EXPECT_EQ(warm.most_copies(), Copies(fed));
    EXPECT_EQ(raised(warm)->most_copies(), Copies(fed));
  }
}

TEST(AssayPlan, FillsTheFrontEndWithAFewCopiesToo) {
  // Of a block that is so long that only few copies are fed, what was planned is even less.
  Plan plan = plan_fed(17);
  plan.sizes = {Iterations(1), Iterations(2), Iterations(3)};
  const Plan filling = *filling_front_end(plan);
  EXPECT_THAT(sizes(filling), ElementsAre(5, 9, 17));
  EXPECT_EQ(filling.stagger, Copies());
  EXPECT_THAT(sizes(shortened(filling, nops(3), 0.1)), ElementsAre(5, 9, 17)) << "few as they are";
}

TEST(AssayPlan, SizesBeginAtOnePlaceIfThereIsRoomForThat) {
  for (const std::int64_t bytes : {1, 2, 3, 6, 8, 20, 32, 33, 64, 96}) {
    for (const std::int64_t room : {300, 400, 513, 2'700}) {
      SCOPED_TRACE(testing::Message() << bytes << " bytes, " << room << " copies");
      Plan plan = plan_fed(room, bytes);
      plan.sizes = {Iterations(10), Iterations(20), Iterations(30)};
      const Plan filling = *filling_front_end(plan);
      EXPECT_TRUE(filling.has_places());
      for (const Plan& of_places : {filling, held(filling)}) {
        const auto counts = sizes(of_places);
        EXPECT_EQ((counts[1] - counts[0]) * bytes % 64, 0);
        EXPECT_EQ((counts[2] - counts[1]) * bytes % 64, 0);
      }
      const std::int64_t added = filling.added_copies().count();
      EXPECT_GE(added, room * 4 / 5 * 3 / 4);
      EXPECT_LE(added, room * 4 / 5);
    }
  }
  // Of 100 copies of an odd length, there is no room for two periods: half a piece has to do.
  Plan few = plan_fed(100, 5);
  few.sizes = {Iterations(10), Iterations(20), Iterations(30)};
  few = *filling_front_end(few);
  EXPECT_EQ((sizes(few)[2] - sizes(few)[1]) * 5 % 32, 0);
  EXPECT_FALSE(few.has_places());
}

TEST(AssayPlan, WithHeldStoresBeginsWhereNothingIsHeldAnyMore) {
  const Plan filling = *filling_front_end(plan_fed(1'000));
  const Plan later = held(filling);
  EXPECT_EQ(later.first_stores, FirstStores::kHeld);
  EXPECT_THAT(sizes(later), ElementsAre(552, 744, 1'000));
  EXPECT_EQ(later.stagger, Copies(23));
  EXPECT_EQ(later.raised, filling.raised);
  Plan latest = filling;
  latest.sizes = {Iterations(640), Iterations(800), Iterations(960)};
  EXPECT_THAT(sizes(held(latest)), ElementsAre(640, 800, 960)) << "late enough as it is";
  EXPECT_THAT(sizes(held(plan_of_sizes(1))), ElementsAre(1, 2, 3))
      << "there is no room for a later one";
}

TEST(AssayPlan, CopiesThatWalkKeepToBothBounds) {
  for (const auto& [within, fed] : {std::pair(400, 600), std::pair(600, 400)}) {
    Plan plan = plan_fed(fed);
    plan.within_cache = Copies(within);
    plan.sizes = {Iterations(64), Iterations(128), Iterations(192)};
    std::vector<std::vector<std::int64_t>> later;
    for (auto next = raised(plan); next; next = raised(*next)) {
      EXPECT_LE(next->most_copies(), Copies(400));
      later.push_back(sizes(*next));
    }
    EXPECT_THAT(later, ElementsAre(ElementsAre(64, 128, 192), ElementsAre(128, 256, 384),
                                   ElementsAre(208, 272, 400), ElementsAre(272, 336, 400)));
  }
}

TEST(AssayPlan, SizesThatAreNotStaggeredKeepTheirAlignment) {
  // Of 8 bytes, eight copies end at a multiple of 64; three quarters are 75 copies, less a rest.
  Plan plan = plan_fed(100, 0);
  plan.within_cache = Copies(100);
  plan.sizes = {Iterations(24), Iterations(48), Iterations(72)};
  plan.warm_ups = raised(plan)->warm_ups;
  EXPECT_THAT(sizes(*raised(plan)), ElementsAre(48, 72, 96));
}

Plan staggered(std::int64_t copy_bytes, std::int64_t stagger = 10) {
  return {.sizes = {Iterations(500), Iterations(1'500), Iterations(2'500)},
          .stagger = Copies(stagger),
          .copy_bytes = copy_bytes};
}

TEST(Plan, AllSizesAreSmallerAtFurtherAlignmentsByAsManyCopies) {
  for (std::size_t alignment = 0; alignment < 8; ++alignment) {
    const auto fewer = 10 * static_cast<std::int64_t>(alignment);
    EXPECT_EQ(staggered(3).copies_at(alignment, 0), Copies(500 - fewer));
    EXPECT_EQ(staggered(3).copies_at(alignment, 1), Copies(1'500 - fewer));
    EXPECT_EQ(staggered(3).copies_at(alignment, 2), Copies(2'500 - fewer));
    EXPECT_EQ(staggered(3).copies_at(alignment, 3), Copies(2'500)) << "Plan::common_size()";
    EXPECT_EQ(staggered(3, 0).copies_at(alignment, 0, 9), Copies(500));
  }
}

/// In each pass, all eight places come about; those of two alignments in a row stay together.
TEST(Plan, EachPassHasSizesOfItsOwnAndAllPlaces) {
  for (const std::int64_t bytes : {1, 3, 6, 12, 8, 24, 16, 40, 64}) {
    const Plan plan = staggered(bytes);
    std::set<Copies> fewer;
    for (std::uint32_t pass = 0; pass < 100; ++pass) {
      SCOPED_TRACE(testing::Message() << bytes << " bytes, pass " << pass);
      fewer.insert(plan.fewer_at(0, pass));
      EXPECT_LE(plan.fewer_at(0, pass).count(), 500 / 8);
      std::set<std::size_t> places;
      for (std::size_t alignment = 0; alignment < 8; ++alignment) {
        EXPECT_EQ(plan.fewer_at(alignment, pass) - plan.fewer_at(0, pass),
                  Copies(10) * static_cast<std::int64_t>(alignment));
        const std::size_t place = plan.place_at(alignment, pass);
        places.insert(place);
        EXPECT_EQ(place % 32 / 8, (alignment / 2 + plan.turn_at(pass)) % 4);
        EXPECT_EQ((place + 32) % 64, plan.place_at(alignment ^ 1U, pass));
        // Copies that move on by so many bytes less begin so many bytes behind.
        const auto moved = static_cast<std::size_t>(plan.fewer_at(0, pass).count() * bytes);
        EXPECT_EQ(place, (plan.place_at(alignment, 0) + moved) % 64);
      }
      EXPECT_THAT(places, ElementsAre(0, 8, 16, 24, 32, 40, 48, 56));
    }
    EXPECT_GE(fewer.size(), 8U) << bytes;
  }
}

TEST(Plan, AFewPassesHaveSizesThatLieFarApart) {
  std::vector<std::int64_t> fewer;
  for (std::uint32_t pass = 0; pass < 4; ++pass) {
    fewer.push_back(staggered(8).fewer_at(0, pass).count());
  }
  EXPECT_THAT(fewer, ElementsAre(0, 31, 15, 47));
}

TEST(Plan, AllLeadsComeAboutInEightPassesAndAtEightAlignments) {
  for (std::uint32_t i = 0; i < 16; ++i) {
    std::set<std::size_t> at_alignment;
    std::set<std::size_t> in_pass;
    for (std::uint32_t j = 0; j < 8; ++j) {
      at_alignment.insert(Plan::lead_at(i, i + j));
      in_pass.insert(Plan::lead_at(j, i));
    }
    EXPECT_THAT(at_alignment, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
    EXPECT_EQ(in_pass, at_alignment);
  }
}

}  // namespace
}  // namespace assay
