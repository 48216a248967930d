#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "profiler/sampling/companions.h"

// Which pages of code a core feeds evenly when they run together. Some cores keep micro-ops or
// instructions of one page out of their caches while those of another are in use, if the two
// pages' physical addresses are alike in some way: straight-line code that goes through both takes
// up to twice the time, always, for as long as the process lives. (Zen 4: of 500 places for 10 KiB
// of code in scattered pages of 4 KiB, 10; of as many in pages of 2 MiB, none.)

namespace assay {

/// How many pages in a row are tried together. Code of up to so many pages meets no pair of pages
/// in any one set of a cache that was not tried.
inline constexpr std::size_t kPagesTogether = 3;

/// The first page from which on `wanted` pages are fed evenly, or the fewest of them are not.
/// `readings[i]` is how long the same code takes in the pages i to i + kPagesTogether - 1; what
/// takes over 5 % and a step of the clock longer than the median is not fed evenly. There must be
/// `wanted` readings, less the kPagesTogether - 1 whose pages go on behind these, at least.
std::size_t first_even_page(std::span<const std::uint32_t> readings, std::size_t wanted,
                            const ReadingStep& step);

}  // namespace assay
