#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "profiler/block/block.h"
#include "profiler/sampling/companions.h"
#include "profiler/support/units.h"

// Which pages of code a core feeds evenly when they run together. Some cores keep micro-ops or
// instructions of one page out of their caches while those of another are in use, if the two
// pages' physical addresses are alike in some way: straight-line code that goes through both takes
// up to twice the time, always, for as long as the process lives. (Zen 4: of 500 places for 10 KiB
// of code in scattered pages of 4 KiB, 10; of as many in pages of 2 MiB, none.)

namespace assay {

/// A block whose micro-ops take much room in the cache of these, and which is as fast as the front
/// end: it shows where code is not fed evenly, or not by that cache.
Block roomy_block();

/// How many pages in a row are tried together. Code of up to so many pages meets no pair of pages
/// in any one set of a cache that was not tried.
inline constexpr std::size_t kPagesTogether = 3;

/// A page from which on `wanted` pages are fed evenly, or the fewest of them are not: where there
/// are several, mostly another one in the next turn. What pages do beside others than their
/// neighbours was not tried (the companions', those of another alignment, the program's); so a
/// block that meets a pair there that is not fed evenly does not in the next subject. (Zen 5: of 90
/// processes whose subjects all had the same pages, five left over a tenth of 74 blocks of dense
/// code without a steady state.) `readings[i]` is how long the same code takes in the pages i to i
/// + kPagesTogether - 1; what takes over 5 % and a step of the clock longer than the median is not
/// fed evenly. There must be `wanted` readings, less the kPagesTogether - 1 whose pages go on
/// behind these, at least.
std::size_t first_even_page(std::span<const std::uint32_t> readings, std::size_t wanted,
                            const ReadingStep& step, std::uint32_t turn);

/// The rounds that tell how code bends, and how often each size runs in a row in them: only the
/// last of these runs counts.
inline constexpr std::uint32_t kBendRounds = 64;
inline constexpr std::size_t kBendRuns = 2;

/// How much longer the further copies of straight-line code take than the nearer ones, as a share
/// of both: 0 where each copy takes the same. `readings` are of kBendRounds rounds of kBendRuns
/// runs at each of three sizes, ascending and equally far apart; `step` is that of the clock in
/// them.
///
/// The middle and the larger size also run copies, in front of those of the smaller one, that may
/// lie in a page that is alike with that of their entry: then all runs of one size wait for a line
/// of code or two, for as long as the process lives. (Zen 5: 30 cycles, or 1.9 % of the reference
/// chain's difference, in one subject of 400, but in a quarter of some processes' subjects: all
/// values measured there were too low by that.)
double bend(std::span<const std::uint32_t> readings, Reading step);

/// The first of so many places, from 0, at which code bends by less than `most` in either
/// direction; where there is none, that of the least bend. `bend_at` is asked for no more of them
/// than it takes.
std::size_t straight_place(std::size_t places, double most,
                           const std::function<double(std::size_t)>& bend_at);

}  // namespace assay
