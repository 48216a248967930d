#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/block/bytes.h"

namespace assay {

inline constexpr std::size_t kLongestNop = 9;  ///< in bytes
/// The NOP of so many bytes, 1 to kLongestNop, that Intel SDM volume 2, "NOP", recommends.
std::span<const std::uint8_t> recommended_nop(std::size_t size);

/// Writes the few x86-64 instructions that surround the copies in a kernel. The encodings are those
/// of Intel's SDM volume 2; a test decodes every one of them. Addresses are absolute: the emitter
/// knows where its code will lie and makes them RIP-relative, so that addressing takes no register.
class Emitter {
 public:
  /// `address` is where the first byte will lie when the code runs.
  explicit Emitter(std::uint64_t address) : start_(address) {}

  std::uint64_t address() const { return start_ + code_.size(); }
  std::size_t size() const { return code_.size(); }
  const Bytes& code() const& { return code_; }
  Bytes take() && { return std::move(code_); }

  void bytes(std::span<const std::uint8_t> code);
  void bytes(std::initializer_list<std::uint8_t> code);
  /// Writes the `size` low bytes of the value, little-endian, as a constant.
  void constant(std::uint64_t value, int size);
  /// Overwrites `size` bytes at an address that already holds code.
  void patch(std::uint64_t address, std::uint64_t value, int size);
  /// Overwrites the 4 bytes at `address` with the distance from `next` to a target outside the
  /// code.
  void patch_outward(std::uint64_t address, std::uint64_t target, std::uint64_t next);
  /// Removes the code from an address on, which must not hold a distance to a target outside.
  void cut(std::uint64_t address) { code_.resize(address - start_); }
  /// The offsets in the code of all distances to targets outside it: they change if the code is
  /// moved to another address.
  std::vector<std::uint32_t> take_outward() && { return std::move(outward_); }
  /// The offsets in the code of all addresses in it: they change likewise.
  std::vector<std::uint32_t> take_pointers() && { return std::move(pointers_); }
  /// Writes the address of something in the code, 8 bytes.
  void pointer(std::uint64_t target);
  /// Writes NOPs, in the recommended multi-byte forms, until address() % alignment == remainder.
  void align(std::uint64_t alignment, std::uint64_t remainder = 0);

  void decrement(GeneralRegister reg);  ///< 64 bits; sets all arithmetic flags except CF
  void store_rcx_at_rax(int size);      ///< 1, 2, 4 or 8 bytes
  void increment(GeneralRegister reg);  ///< 64 bits, by LEA: leaves the flags alone
  void jump(std::uint64_t target);
  void jump_through(std::uint64_t pointer);  ///< to the address at `pointer`
  /// Jumps to the far address at `pointer`: 8 bytes of offset, then 2 of a segment selector. Only
  /// CPUs with Features::code_segment have this.
  void far_jump(std::uint64_t pointer);
  void ret();  ///< to the address that RSP points to
  void jump_if_zero(std::uint64_t target);
  void jump_if_not_zero(std::uint64_t target);  ///< in the short form if that reaches
  /// Sets the register to the address of something in the code.
  void move_pointer(GeneralRegister reg, std::uint64_t target);
  /// The shortest move that sets all 64 bits; leaves the flags alone.
  void move_immediate(GeneralRegister reg, std::uint64_t value);
  void set_flags_to_reset_values();  ///< clears all arithmetic flags and DF; uses the stack
  void clear_arithmetic_flags();     ///< sets RAX to 1

  void load(GeneralRegister reg, std::uint64_t from);            ///< 64 bits
  void store(GeneralRegister reg, std::uint64_t to);             ///< 64 bits
  void store_low_half(GeneralRegister reg, std::uint64_t to);    ///< 32 bits
  void move_low_half(GeneralRegister to, GeneralRegister from);  ///< 32 bits, upper half zeroed
  void subtract_low_half(GeneralRegister from, GeneralRegister what);  ///< 32 bits; sets the flags
  void square_low_half(GeneralRegister reg);  ///< 32 bits; takes three cycles; sets the flags
  /// Adds by LEA: 32 bits, upper half zeroed; leaves the flags alone. `to` may not be RSP, RBP, R12
  /// or R13.
  void add_low_half(GeneralRegister to, GeneralRegister what);
  // These move 32 bits between vector and general registers: without `vex` by legacy SSE, which may
  // leave the rest of a vector register as it is; with `vex` by VEX, which zeroes the rest; and
  // from XMM16 on by EVEX, whatever `vex` says.
  void move_eax_to_vector(int vector, bool vex);
  void move_vector_to_low_half(GeneralRegister to, int vector, bool vex);  ///< RAX to RDI only

  void load_stack_pointer_from_itself();  ///< RSP from [RSP]
  void lfence();
  void mfence();
  void rdtsc();
  void rdpmc();
  void reset_x87();
  void load_mxcsr(std::uint64_t from);
  void zero_upper_vectors();
  void zero_vector(int vector);       ///< legacy SSE: the low 128 bits; vector < 16
  void zero_low_vectors();            ///< AVX: the whole of ZMM0 to ZMM15
  void zero_high_vector(int vector);  ///< AVX-512VL: the whole register; 16 <= vector < 32

  void load_mmx(int reg, std::uint64_t from);                ///< reg < 8; fills its x87 register
  void load_xmm(int vector, std::uint64_t from);             ///< legacy SSE; vector < 16
  void load_ymm(int vector, std::uint64_t from, bool full);  ///< VEX; 256 bits if `full`, else 128
  void load_zmm(int vector, std::uint64_t from, int bits);   ///< EVEX; `bits`: 128, 256 or 512
  void set_mask_ones(int mask);                              ///< AVX-512BW; sets all 64 bits of kN

  void store_ymm(int vector, std::uint64_t to, bool full);  ///< VEX; 256 bits if `full`, else 128
  void store_zmm(int vector, std::uint64_t to, int bits);   ///< EVEX; `bits`: 128, 256 or 512
  void store_mask(int mask, std::uint64_t to);              ///< AVX-512F; the low 16 bits of kN
  void store_mxcsr(std::uint64_t to);                       ///< 32 bits
  void store_x87_status(std::uint64_t to);                  ///< 16 bits
  void clear_x87_exceptions();                              ///< includes the stack-fault flag

 private:
  void rip_relative(std::uint64_t target);  ///< writes the last 4 bytes of an instruction
  // (v)movd: opcode 0x6e moves to the vector register, 0x7e from it.
  void move_doubleword(unsigned opcode, int vector, GeneralRegister reg, bool vex);
  // vmovups: opcode 0x10 loads, 0x11 stores.
  void move_ymm(unsigned opcode, int vector, std::uint64_t address, bool full);
  void move_zmm(unsigned opcode, int vector, std::uint64_t address, int bits);

  std::uint64_t start_;
  Bytes code_;
  std::vector<std::uint32_t> outward_;
  std::vector<std::uint32_t> pointers_;
};

}  // namespace assay
