#include "profiler/running/loaded_block.h"

#include <gtest/gtest.h>

#include <set>

#include "profiler/subject/layout.h"
#include "tests/profiler/block/block_of.h"

namespace assay {
namespace {

Plan plan_of(Notion notion, std::int64_t n) {
  return {notion, Copies(1), {Iterations(n), Iterations(2 * n), Iterations(3 * n)}};
}

TEST(ShiftOfAlignment, IsThereWhereSizesBeginAtDifferentPlaces) {
  const Block block = block_of("4801d8");  // three bytes
  for (std::size_t alignment = 0; alignment < 8; ++alignment) {
    EXPECT_EQ(shift_of_alignment(plan_of(Notion::kUnrolled, 40), block, alignment),
              alignment % 4 * 8);
    EXPECT_EQ(shift_of_alignment(plan_of(Notion::kUnrolled, 32), block, alignment), 0);
    EXPECT_EQ(shift_of_alignment(plan_of(Notion::kUnrolled, 64), block, alignment), 0);
    EXPECT_EQ(shift_of_alignment(plan_of(Notion::kLooped, 40), block, alignment), 0);
  }
}

TEST(WithinOnePage, KeepsThePlaceWithinALine) {
  const Block block = block_of("4801d8");
  const std::array<Iterations, 1> sizes = {Iterations(100)};
  const auto made = std::get<Kernel>(
      unroll(block, sizes, bhive_initial_state(), subject::kCode + subject::kPageSize - 256));
  for (const std::uint64_t shift : {0, 8, 24}) {
    const Kernel moved = Workbench::within_one_page(made.moved_to(made.start + shift));
    EXPECT_EQ(moved.first_copy % 64, shift);
    EXPECT_EQ(moved.first_copy / subject::kPageSize, (moved.first_copy + 299) / subject::kPageSize);
  }
}

TEST(WithinOnePage, GivesUpThePlaceRatherThanThePage) {
  const Block block = block_of("4801d8");
  const std::array<Iterations, 1> sizes = {Iterations(1365)};  // 4,095 bytes
  const auto made = std::get<Kernel>(unroll(block, sizes, bhive_initial_state(), subject::kCode));
  const Kernel moved = Workbench::within_one_page(made.moved_to(made.start + 8));
  EXPECT_EQ(moved.first_copy % subject::kPageSize, 0);
}

/// What the alignments are for: each size begins at the same places as every other.
TEST(ShiftOfAlignment, GivesEachSizeTheSamePlaces) {
  const Block block = block_of("4801d8");
  const Plan plan = plan_of(Notion::kUnrolled, 40);
  std::set<std::set<std::uint64_t>> places_of_sizes;
  for (const Iterations size : plan.sizes) {
    std::set<std::uint64_t> places;
    for (std::uint64_t alignment = 0; alignment < 8; ++alignment) {
      const std::uint64_t first = shift_of_alignment(plan, block, alignment);
      const auto before = static_cast<std::uint64_t>(120 - size.count()) * block.bytes.size();
      places.insert((first + before) % 32);
    }
    places_of_sizes.insert(places);
  }
  EXPECT_EQ(places_of_sizes.size(), 1U);
}

TEST(ShiftOfAlignment, BringsSizesToTheirPlaces) {
  for (const char* const hex : {"4801d8", "90", "0f1f4000", "0f1f440000"}) {
    const Block block = block_of(hex);
    const auto bytes = static_cast<std::int64_t>(block.bytes.size());
    for (const std::int64_t stagger : {0, 7}) {
      const Plan plan{.sizes = {Iterations(200), Iterations(456), Iterations(712)},
                      .stagger = Copies(stagger),
                      .copy_bytes = bytes};
      for (std::size_t alignment = 0; alignment < 8; ++alignment) {
        for (std::uint32_t pass = 0; pass < 8; ++pass) {
          for (std::size_t size = 0; size < plan.sizes.size(); ++size) {
            const Copies ahead = plan.most_copies() - plan.copies_at(alignment, size, pass);
            const auto place = shift_of_alignment(plan, block, alignment) +
                               static_cast<std::uint64_t>(ahead.count() * bytes);
            EXPECT_EQ(place % 64, plan.place_at(alignment, pass)) << hex;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay
