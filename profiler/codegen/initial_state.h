#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/block/bytes.h"
#include "profiler/block/verdict.h"
#include "profiler/subject/layout.h"

namespace assay {

/// The values of registers and memory before each run.
struct InitialState {
  std::string name;                                        ///< the name that is stored with results
  std::array<std::uint64_t, kGeneralRegisters> general{};  ///< indexed by GeneralRegister
  std::uint64_t memory_word = 0;   ///< what every aligned 8-byte word of a frame holds
  std::uint64_t segment_base = 0;  ///< the base of both FS and GS
  std::uint64_t vector_word = 0;   ///< what every 8-byte lane of every vector register holds
  std::uint32_t mxcsr = 0;
  /// Code that runs untimed, once in each run, after the registers are loaded and before the first
  /// copy; none if empty. It must be a block that decode() accepts, without a final branch or a
  /// RIP-relative operand.
  Bytes code;
  /// The physical pages that virtual pages are mapped to in turn: 1 to subject::kMaxFrames, or
  /// subject::kOwnFrames.
  int frames = subject::kOwnFrames;

  bool pages_share_frames() const { return frames != subject::kOwnFrames; }
};

/// MXCSR of a new process: all floating-point exceptions are masked.
inline constexpr std::uint32_t kAllMasked = 0x1f80;
// Bits of MXCSR that a state may set: FTZ and DAZ.
inline constexpr std::uint32_t kFlushToZero = 0x8000;
inline constexpr std::uint32_t kDenormalsAreZero = 0x0040;

/// The largest size of a state's own code, in bytes of machine code.
inline constexpr std::size_t kLargestInitCode = 1024;

/// The values that a user asks for in place of a profile's own.
struct StateOverrides {
  struct Register {
    GeneralRegister reg;
    std::uint64_t value;
  };
  std::vector<Register> registers;  ///< if two are for the same register, the later one counts
  std::optional<std::uint64_t> memory_word;
  Bytes code;  ///< what InitialState::code is to be; empty: the state's own
  std::optional<int> frames;
};

/// The state that BHive uses: all pages are mapped to one frame, and every general register and
/// every memory word holds the same address, so that a pointer that is loaded can be followed, any
/// number of times. The address, 0x12345600, is BHive's (Chen et al., "BHive: A Benchmark Suite and
/// Measurement Framework for Validating x86-64 Basic Block Performance Models", IISWC 2019). It is
/// far above page 0 and far below 2^31, so that offsets in both directions can be mapped and 32-bit
/// arithmetic preserves it. Vector lanes hold ordinary numbers however they are read: doubles near
/// 1, floats of 1 and 1.875. All floating-point exceptions are masked. Subnormals are flushed (FTZ
/// and DAZ), because the assists that they cause are a separate matter.
InitialState bhive_initial_state();

/// Like BHive's state, but every general register holds a different address, so that accesses
/// through different registers do not alias by accident:
/// - all addresses lie in one page, so that most blocks need only that one. Mapping a page is what
///   costs time (30 us);
/// - the addresses are three lines of 64 bytes apart, so that displacements from -64 to 127 do not
///   meet. There are 384 bytes of the page above RSP and 320 below RBP that belong to no other
///   register, since stack frames are accessed in these directions; the segment base is the start
///   of the page. Accesses with larger displacements, or scaled indices, may reach any line;
/// - all addresses are multiples of 64, so that any vector is aligned, through a base, a base and
///   an index, or RSP as it is in the middle of a function. A shift by CL is then a shift by 0,
///   which preserves an address;
/// - RDX is the smallest address, so that a quotient of RDX:RAX does not overflow;
/// - the page, 0x1234000, is far above page 0, and low: 64 times an address is still below 2^31, so
///   that adding, scaling and sign extension in 32 bits leave a positive number.
/// All memory words hold one more address, 0x40'0123'4e40, so that every pointer that is loaded
/// leads there. Its lower half is also a valid address; its upper half, which a 32-bit load may
/// read, is a small number that is not 0.
InitialState distinct_initial_state();

/// The names of all profiles: the two above, the fallbacks of fallback_states(), and `spaced`: like
/// `distinct`, but at least 512 KiB lie between the addresses of any two registers, so that no
/// pointer that walks comes to where another one leads. Still RDX is the smallest, and 64 times an
/// address is below 2^31. The fallbacks are:
/// - `apart`: like `distinct`, but RSP points two pages above the others, to 8 more than a multiple
///   of 16 as on entry to a function, and all addresses are above 2^32. Copies of a prologue or
///   epilogue walk over a stack, and pop what another copy stored, or load what it pushed: here two
///   pages in either direction lie between. A difference, or a negated number of 32 bits, leads
///   down from a high address, not below 0;
/// - `numbers`: like `apart`, but RAX, RCX and RDX (results, counts and dividends) are 0, and both
///   halves of a memory word are 64. What each copy multiplies or shifts stays 0; indices, strides
///   and divisors that are loaded are small and not 0;
/// - `upper_numbers`: like `apart`, but R8 to R15 are 64 and memory words are 0: for blocks that
///   keep pointers in the lower eight registers and numbers in the others;
/// - `zero`: like `apart`, but all general registers except RSP and all of memory are 0: nothing
///   that is shifted, multiplied, negated, added or loaded becomes anything else. Such a block
///   accesses page 0 and its neighbours, so that this state helps most where the system lets a
///   process map those.
std::vector<std::string_view> initial_state_names();
/// The profile with that name; nothing if there is none.
std::optional<InitialState> initial_state_named(std::string_view name);

/// The state, with its own values replaced by the overrides.
InitialState with_overrides(InitialState state, const StateOverrides& overrides);

/// The names of the profiles that a block is tried under, one after the other until it runs, if it
/// ended with `reason` under the first state. That first state may be among them: skip it. If none
/// helps, the block keeps the reason that it had under the first state. Empty for reasons that no
/// other state would change.
std::span<const std::string_view> fallback_states(Reason reason);

}  // namespace assay
