#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/codegen/loop_end.h"
#include "profiler/machine/limits.h"
#include "profiler/measurement/measurement.h"
#include "profiler/support/units.h"

namespace assay {

/// Runs that only warm up, of a block about which nothing is known (interleaved_round).
inline constexpr int kUsualWarmUps = 3;

/// What becomes of the first stores of straight-line code. A core's store buffer takes them in as
/// fast as they are executed, and lets them leave at its own rate. If that is less, it fills up,
/// and only then copies take as long as they always will: on a Zen 5, where two leave in a cycle
/// and 2.1 come, after 1,000 copies. What takes longer than its stores is better not held: the
/// front end gets ahead meanwhile of copies that it feeds slowly, which hides for as many how
/// slowly.
enum class FirstStores {
  kFree,  ///< they leave at once, as they do of a block that stores nothing
  /// Likewise; but if the block, which nothing bounds more than its stores, seems quicker than they
  /// leave, it may be run again with them held.
  kMayBeHeld,
  kHeld,  ///< they are held back until the buffer is full (unroll())
};

/// How a block is to be run.
struct Plan {
  Notion notion = Notion::kUnrolled;
  Copies body{1};  ///< copies in the body: one or more in a loop; one if unrolled
  /// How many times the body is executed in a run of each size, in a row or in a loop; ascending.
  /// Each protocol chooses its own sizes, three at most.
  std::vector<Iterations> sizes;
  /// Runs of the largest size, whenever a series comes to it, that only warm up
  /// (interleaved_round).
  int warm_ups = kUsualWarmUps;
  int raised = 0;  ///< how often a plan that gave no value was replaced by a larger one
  /// The most copies that stay within the first-level data cache, if that is known to be less than
  /// twice the largest size; else 0. No plan is raised beyond that.
  Copies within_cache{};
  /// The most copies of straight-line code that the micro-op cache feeds, if the core has to be fed
  /// by it (Features::fed_instructions); else 0. No plan is raised beyond that either.
  Copies fed_alike{};
  /// How many copies fewer all sizes have at each alignment (KernelRun::alignment) than at the one
  /// before, and some more in most passes over the alignments (fewer_at). On some cores, the time
  /// that so many copies take is off a straight line by some cycles, up or down, always the same at
  /// one size and another at the next. The mean over sizes is not. (Zen 4: by 2 to 5 cycles. Zen 5:
  /// by 1 to 5.)
  Copies stagger{};
  /// How many bytes a copy has, if sizes are to begin at one place and to be staggered; else 0.
  std::int64_t copy_bytes = 0;
  FirstStores first_stores = FirstStores::kFree;
  LoopShape loop{};  ///< of a loop
  /// Whether preparing is to find out how the loop can end (LoopEndChoice); until then it is as
  /// `loop` has it.
  bool end_is_open = false;

  bool operator==(const Plan&) const = default;

  /// Whether copies walk over so much of the first-level data cache that it bounds their number.
  bool walks() const { return within_cache > Copies(); }
  /// The index of the size that is the same at all alignments: that of the largest one or, if that
  /// is staggered, of one more, behind it, which has as many copies at each alignment as the
  /// largest one has at the first.
  std::size_t common_size() const { return sizes.size() - (stagger > Copies() ? 0 : 1); }
  /// How many copies a run of a size executes. `size` is the size's index, from 0.
  Copies copies(std::size_t size) const { return Copies(sizes.at(size).count() * body.count()); }
  /// The same at an alignment, of common_size() too, in a pass over all of them, from 0.
  Copies copies_at(std::size_t alignment, std::size_t size, std::uint32_t pass = 0) const {
    if (size == sizes.size()) return most_copies();
    return copies(size) - fewer_at(alignment, pass);
  }
  /// How many copies fewer all sizes have there.
  Copies fewer_at(std::size_t alignment, std::uint32_t pass) const;
  /// The fewest copies behind which code lies at the same place within kPiece bytes again.
  /// Staggered sizes differ by multiples of it, as far as there is room. Some blocks have two
  /// steady times, and how the front end meets the first copy decides which of them all that follow
  /// take (Zen 5: `lea rsp, [rbp - 40]` and six POPs, 5.00 or 6.00 cycles). Behind one and the same
  /// entry, that is mostly a matter of where the first copy begins: sizes that begin elsewhere
  /// would take different times a copy, and their difference would be neither.
  Copies period() const;
  /// Where copies begin there, of all staggered sizes: how many bytes behind a multiple of kPiece.
  /// At eight alignments these are all multiples of 8, in each pass, and at two in a row they lie
  /// half a piece apart.
  std::size_t place_at(std::size_t alignment, std::uint32_t pass) const;
  /// Whether all sizes begin at these places, and not only at the same ones within a part of a
  /// piece.
  bool has_places() const;
  /// By how many pairs of alignments in a row the places of that pass have moved on from those of
  /// the first.
  std::size_t turn_at(std::uint32_t pass) const;
  static constexpr std::size_t kPiece = 64;
  /// How many NOPs stand in front of the first copy there (Kernel::set_lead): at each alignment
  /// another number, and in eight passes at each of them all.
  static std::size_t lead_at(std::size_t alignment, std::uint32_t pass);
  /// The greatest common divisor of sizes that are not staggered; 0 without a plan.
  Iterations unit() const {
    std::int64_t unit = 0;
    for (const Iterations size : sizes) unit = std::gcd(unit, size.count());
    return Iterations(unit);
  }
  /// The unroll factor n, which is the number of copies at the smallest size; 0 without a plan.
  Copies fewest_copies() const { return sizes.empty() ? Copies() : copies(0); }
  Copies most_copies() const { return sizes.empty() ? Copies() : copies(sizes.size() - 1); }
  /// How many more copies the largest size has than the smallest.
  Copies added_copies() const { return most_copies() - fewest_copies(); }

 private:
  Copies fewer_in(std::uint32_t pass) const;
  std::size_t bytes_moved_in(std::uint32_t pass) const {
    return static_cast<std::size_t>(fewer_in(pass).count() * copy_bytes);
  }
};

/// The fewest copies that make `instructions` instructions, if one copy has `in_copy`.
Copies copies_making(std::int64_t instructions, std::int64_t in_copy);

/// Refuses by kTooLarge if the copies do not fit the first-level instruction cache (of `cache_size`
/// bytes) beside the other code that runs; nothing if they do.
std::optional<Outcome> no_room(const Block& block, Copies copies, std::size_t cache_size);

/// The least that each execution of the body asks of the core: the demand of its copies and, in a
/// loop, of DEC and the branch that leads back.
Demand demand_of(const Block& block, const Plan& plan);
/// The least core cycles that a copy takes on a core with these limits.
double floor_of(const Plan& plan, const Block& block, const MachineLimits& limits);

}  // namespace assay
