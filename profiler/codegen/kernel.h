#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/loop_end.h"
#include "profiler/codegen/reads.h"
#include "profiler/support/units.h"

namespace assay {

/// The generated functions that are timed: one body of copies, and an entry for each size at which
/// it is run. All sizes run the same code, so that it is cached alike for all of them. An entry
/// does this:
///
///     save the callee-saved registers and RSP; load MMX registers, empty the x87 stack and load
///     vector registers, as far as the block uses them; load MXCSR, mask registers and the general
///     registers; run the initial state's own code; LFENCE; RDTSC, once or several times (reads.h),
///     or RDPMC of one counter after the other; move each reading to a register that the block
///     leaves alone; clear the flags; reload RAX, RDX and RCX, as far as that changed them; load
///     RSP, and LFENCE or, if Features::returns_drain, LFENCE, RET to what follows, and load RSP;
///     NOPs, unless the JMP is a far one; JMP (on Intel's CPUs a far one) to where the size's
///     number of copies begins in the body, or to the loop over them; LFENCE; RDTSC, or RDPMC in
///     the same order, and the differences; LFENCE; store the differences in the control area;
///     restore; return
///
/// Between the first reading and the last, memory is accessed only by the block, by a far JMP (its
/// target and the segment's descriptor) or the RET (its target) and, if the initial state has code
/// of its own, by the loads of what that code left in RAX, RDX, RCX and RSP. Between the copies
/// there are no branches but the block's and the loop's. What stands between the readings beside
/// the copies is the same at every size, and so drops out of a difference of two sizes. Readings
/// are the low halves of the counters: what a run reads must stay under 2^32. In core cycles, or as
/// the sum of eight time stamps, that is at least a tenth of a second, and the time limit keeps
/// runs below it.
///
/// A size of 0 runs no copy, and no instruction of the loop over them: it reads the cost of the
/// kernel itself.
struct Kernel {
  Bytes code;
  std::uint64_t start = 0;             ///< address of the first byte; the code runs only there
  std::vector<std::uint64_t> entries;  ///< addresses to call, in the order of the sizes (System V)
  std::uint64_t first_copy = 0;        ///< address of the body's first copy
  std::int64_t copies = 0;             ///< number of copies in the body
  std::size_t block_size = 0;
  std::size_t counts = 1;  ///< how many results every run stores in subject::Control::counts
  /// The offsets of the fields in the code that depend on where it lies: distances to targets
  /// outside it, of 4 bytes each.
  std::vector<std::uint32_t> distances;
  /// Likewise, the offsets of addresses in it, of 8 bytes each.
  std::vector<std::uint32_t> pointers;
  std::uint64_t end = 0;  ///< address behind the last copy, if they stand in a row
  /// The offsets of the distances, of 4 bytes, in the entries' near JMPs to the copies; none if
  /// these are far ones. In front of each near JMP there are kLeadBytes of NOPs.
  std::vector<std::uint32_t> jumps;

  static constexpr std::size_t kLeadBytes = 8;

  /// Has the entry of a size run so many of the copies, which must stand in a row, and be reached
  /// by near JMPs.
  void set_size(std::size_t size, Iterations count);

  /// Has every entry execute so many NOPs, 1 to kLeadBytes, in front of its near JMP (at first
  /// there is one): a core dispatches several instructions in a cycle, and so the first copy begins
  /// in another slot of such a group.
  void set_lead(std::size_t instructions);

  /// The code from the first entry on: these two change nothing in front of it.
  std::span<const std::uint8_t> entry_code() const {
    return std::span(code).subspan(entries.front() - start);
  }

  /// The same kernel at another address, which must lie in the code area. At a multiple of 64,
  /// entries begin cache lines.
  Kernel moved_to(std::uint64_t address) const;
  /// Moves this one there.
  void move_to(std::uint64_t address);

  struct Location {
    std::int64_t copy;   ///< number of the copy in the body, from 0
    std::size_t offset;  ///< offset from the block's first byte
  };
  /// Which byte of which copy an address is; nothing if it lies outside the copies.
  std::optional<Location> locate(std::uint64_t address) const;
};

/// Makes a kernel of copies in a row, with an entry for each of `sizes`: its body is a single copy,
/// which runs that many times. The kernel lies at `address`, a multiple of 64, in the subject's
/// code area.
///
/// A final branch leads to the next copy whether it is taken or not; that of the last copy leads to
/// the end of the timed region.
///
/// If the first stores are to be held, a chain of 24 loads stands in front of the copies, on a core
/// whose front end a RET drains (Features::returns_drain): for about a hundred cycles nothing
/// behind it retires, and no store leaves the store buffer, while copies are executed.
///
/// Refuses whatever CopyWriter refuses, and by kNoFreeRegister a block that leaves fewer general
/// and vector registers alone than there are readings (spare_registers.h).
std::variant<Kernel, Outcome> unroll(const Block& block, std::span<const Iterations> sizes,
                                     const InitialState& state, std::uint64_t address,
                                     const Reads& reads = {}, bool holds_stores = false);

/// Makes a kernel that loops over a body of so many copies of the block, with an entry for each of
/// `sizes` that iterates the loop that many times. Where the loop begins in a line, and how it
/// ends, tells `shape`:
/// - kAdded: a register that the block leaves alone counts down, by DEC and JNZ behind the copies.
///   If the block ends in a branch, that branch closes the loop instead: DEC and JZ, which leaves
///   the loop, stand in front of the copies; the last copy's branch leads back to them, and so does
///   a JMP behind it if the branch is conditional. In both forms, the flags that the first copy
///   finds are those of DEC;
/// - kReplaced: DEC and JNZ stand where the block, a single copy, has a compare (if LoopCondition
///   says only_compares) and its branch;
/// - kOwn: nothing is added to the block, a single copy. At each size, the bound's register has the
///   value, or the sentinel's has the place, with which the block's branch is taken once less than
///   the loop is to turn. A sentinel is stored in front of all that is timed.
///
/// Refuses whatever unroll() refuses, and by kNoFreeRegister a block that uses every general
/// register but RSP, unless the end is kOwn.
std::variant<Kernel, Outcome> loop(const Block& block, Copies body,
                                   std::span<const Iterations> sizes, const InitialState& state,
                                   std::uint64_t address, const Reads& reads = {},
                                   const LoopShape& shape = {});

/// Makes a kernel of a loop with the end kOwn that counts its turns instead of cycles: the result
/// of a run is their number. Refuses as loop() does for a loop with the end kAdded.
std::variant<Kernel, Outcome> loop_that_counts(const Block& block,
                                               std::span<const Iterations> sizes,
                                               const InitialState& state, std::uint64_t address,
                                               const LoopShape& shape);

/// The most bytes that a kernel takes with so many copies in its code and `sizes` entries.
std::size_t kernel_size_bound(const Block& block, Copies copies, std::size_t sizes,
                              const InitialState& state, const Reads& reads = {});

}  // namespace assay
