#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "profiler/sampling/companions.h"
#include "profiler/sampling/round.h"
#include "profiler/support/units.h"

namespace assay {

/// How often data that lie badly may be brought into the cache anew, each time that they are
/// brought in. Each time takes some microseconds.
inline constexpr std::uint32_t kMostLayoutRetries = 6;

/// How long a run of the size that all alignments have in common takes at most if its data lie well
/// in the first-level data cache. Which ways of their sets lines come to lie in is chance, and
/// matters on some cores: two loads of one cycle get in each other's way if their lines lie in the
/// same way and bank (Zen 4: `mov rax, [r14+16]; cmp [r13+16], rax` takes 0.67 cycles, or 1.09 in
/// one of eight layouts). In a program as well, lines lie differently each time, and mostly well.
/// So a block is run in layouts that are as quick as the quickest that is no exception: that three
/// of those tried share. A run that a neighbour slows exceeds the limit too, whatever the layout;
/// and so does each run at an alignment of the code that is slower than the others.
///
/// `readings` are those of a first_round(), in layouts that were drawn independently. There is no
/// limit if the round tells no layouts, or no three are alike.
std::optional<Reading> layout_limit(const Round& first_round,
                                    std::span<const std::uint32_t> readings,
                                    const ReadingStep& step);

}  // namespace assay
