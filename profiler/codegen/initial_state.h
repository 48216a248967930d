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

namespace assay {

/// The values of registers and memory before each run.
struct InitialState {
  std::string name;                                        ///< what results call it
  std::array<std::uint64_t, kGeneralRegisters> general{};  ///< by GeneralRegister
  std::uint64_t memory_word = 0;                           ///< every aligned 8-byte word of a frame
  std::uint64_t segment_base = 0;                          ///< FS and GS base
  std::uint64_t vector_word = 0;  ///< every 8-byte lane of every vector register
  std::uint32_t mxcsr = 0;
  /// Runs untimed, once in each run, after the registers are loaded and before the first copy.
  /// Empty: nothing. A block that decode() accepts, without a final branch or RIP-relative operand.
  Bytes code;
  int frames = 1;  ///< physical pages that take turns as the page behind a virtual one; 1 to 4
};

/// Of init code, in bytes of machine code.
inline constexpr std::size_t kLargestInitCode = 1024;

/// What a user asks for in place of a profile's own values.
struct StateOverrides {
  struct Register {
    GeneralRegister reg;
    std::uint64_t value;
  };
  std::vector<Register> registers;  ///< of two for one register, the later counts
  std::optional<std::uint64_t> memory_word;
  Bytes code;  ///< as InitialState::code
  std::optional<int> frames;
};

/// BHive's: every general register and every memory word holds the same address, so that a pointer
/// that is loaded can be followed, and so on without end. The address, 0x12345600, is theirs (Chen
/// et al., "BHive: A Benchmark Suite and Measurement Framework for Validating x86-64 Basic Block
/// Performance Models", IISWC 2019); it is far above page 0 and far below 2^31, so offsets in both
/// directions stay mappable and 32-bit arithmetic keeps it. Vector lanes hold ordinary numbers
/// read as anything: doubles near 1, floats of 1 and 1.875. All floating-point exceptions are
/// masked, subnormals are flushed (FTZ and DAZ), since their assists are a case of their own.
InitialState bhive_initial_state();

/// As BHive's, but every general register holds an address of its own, so that accesses through
/// different registers don't alias by accident:
/// - all addresses lie in one page, so that most blocks need one. The page is what costs time (30
///   us to map). Four frames keep pages apart that a block comes to from there;
/// - they are three lines of 64 bytes apart, so that displacements from -64 to 127 don't meet. RSP
///   has 384 bytes above it and RBP 320 below, as stack frames are reached so; the segment base has
///   the page's start. What is further away, or scaled, lands where it lands;
/// - all are multiples of 64: any vector is aligned, through a base, a base and an index, or RSP as
///   it is in the middle of a function; and a shift by CL is a shift by 0, which keeps an address;
/// - RDX is the smallest, so that a quotient of RDX:RAX fits;
/// - the page, 0x1234000, is far above page 0, and low: 64 times an address is still below 2^31, so
///   that adding, scaling and sign extension in 32 bits keep a positive number.
/// Memory words hold an address of their own, 0x40'0123'4e40, which is all that every loaded
/// pointer leads to. Its lower half is as good an address; its upper half, which a load of 32 bits
/// may take, is a small number and not 0.
InitialState distinct_initial_state();

/// The names of all profiles: the two above, and those of the ladder:
/// - `apart`: as `distinct`, but RSP two pages above the others, at 8 more than a multiple of 16 as
///   at a function's entry, and all above 2^32. Copies of a prologue or epilogue walk over a stack,
///   and pop what another copy stored, or load what it pushed: here two pages in either direction
///   lie between. A difference or a negated number of 32 bits leads down from a high address, not
///   below 0;
/// - `numbers`: as `apart`, but RAX, RCX and RDX (results, counts and dividends) are 0, and both
///   halves of a memory word are 64. What is multiplied or shifted by each copy stays 0,
///   loaded indices, strides and divisors are small and not 0;
/// - `upper_numbers`: as `apart`, but R8 to R15 are 64 and memory words 0: for blocks that keep
///   pointers in the lower eight and numbers in the others;
/// - `zero`: as `apart`, but all general registers other than RSP and all of memory are 0: nothing
///   that is shifted, multiplied, negated, added or loaded becomes anything else. What is accessed
///   is page 0 and its neighbours, so it helps most where the system lets a process map that.
std::vector<std::string_view> initial_state_names();
/// The profile of that name; nothing if there is none.
std::optional<InitialState> initial_state_named(std::string_view name);

/// The state with what was asked for in place of its own values.
InitialState with_overrides(InitialState state, const StateOverrides& overrides);

/// The ladder: the names of the profiles that a block is tried under, one after the other until it
/// runs, when it came to `reason` under the first one (which may be among them: skip it). If none
/// helps, the reason under the first one is the block's. Empty for reasons that no other state
/// would change.
std::span<const std::string_view> fallback_states(Reason reason);

}  // namespace assay
