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

TEST(ShiftOfAlignments, IsThereWhereSizesBeginAtDifferentPlaces) {
  const Block block = block_of("4801d8");  // three bytes
  EXPECT_EQ(shift_of_alignments(plan_of(Notion::kUnrolled, 40), block), 8);
  EXPECT_EQ(shift_of_alignments(plan_of(Notion::kUnrolled, 32), block), 0);
  EXPECT_EQ(shift_of_alignments(plan_of(Notion::kUnrolled, 64), block), 0);
  EXPECT_EQ(shift_of_alignments(plan_of(Notion::kLooped, 40), block), 0);
}

TEST(WithinOnePage, KeepsThePlaceWithinALine) {
  const Block block = block_of("4801d8");
  const std::array<Iterations, 1> sizes = {Iterations(100)};
  const auto made = std::get<Kernel>(
      unroll(block, sizes, bhive_initial_state(), subject::kCode + subject::kPageSize - 256));
  for (const std::uint64_t shift : {0, 8, 56}) {
    const Kernel moved = Workbench::within_one_page(made.moved_to(made.start + shift));
    EXPECT_EQ(moved.first_copy % 64, shift);
    EXPECT_EQ(moved.first_copy / subject::kPageSize, (moved.first_copy + 299) / subject::kPageSize);
  }
}

/// What the eight alignments are for: each size begins at the same places as every other.
TEST(ShiftOfAlignments, GivesEachSizeTheSamePlaces) {
  const Block block = block_of("4801d8");
  const Plan plan = plan_of(Notion::kUnrolled, 40);
  std::set<std::set<std::uint64_t>> places_of_sizes;
  for (const Iterations size : plan.sizes) {
    std::set<std::uint64_t> places;
    for (std::uint64_t alignment = 0; alignment < 8; ++alignment) {
      const std::uint64_t first = alignment * shift_of_alignments(plan, block);
      const auto before = static_cast<std::uint64_t>(120 - size.count()) * block.bytes.size();
      places.insert((first + before) % 64);
    }
    places_of_sizes.insert(places);
  }
  EXPECT_EQ(places_of_sizes.size(), 1U);
}

}  // namespace
}  // namespace assay
