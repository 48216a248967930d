#include "profiler/codegen/emitter.h"

#include <algorithm>
#include <array>
#include <limits>

#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr std::uint8_t u8(unsigned value) { return static_cast<std::uint8_t>(value); }
unsigned number(GeneralRegister reg) { return static_cast<unsigned>(reg); }
unsigned low3(unsigned reg) { return reg & 7; }
unsigned high(unsigned reg) { return (reg >> 3) & 1; }

/// ModRM for [RIP + disp32] with the given register field.
std::uint8_t modrm_rip(unsigned reg) { return u8(low3(reg) << 3 | 5); }
std::uint8_t modrm_registers(unsigned reg, unsigned rm) {
  return u8(0xc0 | low3(reg) << 3 | low3(rm));
}

// The REX prefix: 0100 W R X B.
constexpr unsigned kRex = 0x40;
constexpr unsigned kRexW = 0x48;

// The two-byte VEX prefix: C5, then ~R vvvv L pp with vvvv unused (1111).
std::uint8_t vex2(unsigned reg, unsigned length, unsigned pp) {
  return u8((high(reg) ^ 1) << 7 | 0x78 | length << 2 | pp);
}

constexpr unsigned kLoad = 0x10;
constexpr unsigned kStore = 0x11;

}  // namespace

void Emitter::bytes(std::span<const std::uint8_t> code) {
  code_.insert(code_.end(), code.begin(), code.end());
}

void Emitter::bytes(std::initializer_list<std::uint8_t> code) {
  code_.insert(code_.end(), code.begin(), code.end());
}

void Emitter::constant(std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) {
    code_.push_back(u8(static_cast<unsigned>(value >> (8 * i)) & 0xff));
  }
}

void Emitter::patch(std::uint64_t address, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) {
    code_.at(address - start_ + static_cast<std::uint64_t>(i)) =
        static_cast<std::uint8_t>(value >> (8 * i));
  }
}

void Emitter::pointer(std::uint64_t target) {
  pointers_.push_back(static_cast<std::uint32_t>(size()));
  constant(target, 8);
}

void Emitter::patch_outward(std::uint64_t address, std::uint64_t target, std::uint64_t next) {
  patch(address, target - next, 4);
  outward_.push_back(static_cast<std::uint32_t>(address - start_));
}

std::span<const std::uint8_t> recommended_nop(std::size_t size) {
  static constexpr std::array<std::array<std::uint8_t, kLongestNop>, kLongestNop> kNops = {{
      {0x90},
      {0x66, 0x90},
      {0x0f, 0x1f, 0x00},
      {0x0f, 0x1f, 0x40, 0x00},
      {0x0f, 0x1f, 0x44, 0x00, 0x00},
      {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
      {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
      {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
      {0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
  }};
  return std::span(kNops.at(size - 1)).first(size);
}

void Emitter::rip_relative(std::uint64_t target) {
  const auto distance = static_cast<std::int64_t>(target - (address() + 4));
  if (distance != static_cast<std::int32_t>(distance)) {
    throw Error("a kernel's own operand is out of reach");
  }
  if (target < start_ || target > address()) outward_.push_back(static_cast<std::uint32_t>(size()));
  constant(static_cast<std::uint64_t>(distance), 4);
}

void Emitter::align(std::uint64_t alignment, std::uint64_t remainder) {
  std::uint64_t gap = (remainder - address()) % alignment;
  while (gap > 0) {
    const std::uint64_t size = std::min<std::uint64_t>(gap, kLongestNop);
    bytes(recommended_nop(size));
    gap -= size;
  }
}

void Emitter::decrement(GeneralRegister reg) {
  const unsigned r = number(reg);
  bytes({u8(kRexW | high(r)), 0xff, modrm_registers(1, r)});
}

void Emitter::store_rcx_at_rax(int size) {
  constexpr std::uint8_t kRcxAtRax = 0x08;  // ModRM
  if (size == 2) bytes({0x66});
  if (size == 8) bytes({u8(kRexW)});
  bytes({size == 1 ? u8(0x88) : u8(0x89), kRcxAtRax});
}

void Emitter::mfence() { bytes({0x0f, 0xae, 0xf0}); }

void Emitter::increment(GeneralRegister reg) {
  const unsigned r = number(reg);
  constexpr std::uint8_t kDisplacement8 = 0x40;  // ModRM.mod
  constexpr std::uint8_t kRexRegAndBase = 5;
  const unsigned low = r & 7;
  bytes({u8(kRexW | (r >= 8 ? kRexRegAndBase : 0)), 0x8d, u8(kDisplacement8 | low << 3 | low)});
  constexpr unsigned kSibFollows = 4;
  constexpr std::uint8_t kBaseAlone = 0x24;
  if (low == kSibFollows) bytes({kBaseAlone});
  bytes({1});
}

void Emitter::jump(std::uint64_t target) {
  bytes({0xe9});
  rip_relative(target);
}

void Emitter::jump_through(std::uint64_t pointer) {
  bytes({0xff, 0x25});
  rip_relative(pointer);
}

void Emitter::far_jump(std::uint64_t pointer) {
  bytes({0x48, 0xff, 0x2d});
  rip_relative(pointer);
}

void Emitter::ret() { bytes({0xc3}); }

void Emitter::jump_if_zero(std::uint64_t target) {
  bytes({0x0f, 0x84});
  rip_relative(target);
}

void Emitter::jump_if_not_zero(std::uint64_t target) {
  const auto distance = static_cast<std::int64_t>(target - (address() + 2));
  if (distance == static_cast<std::int8_t>(distance)) {
    bytes({0x75, static_cast<std::uint8_t>(distance)});
    return;
  }
  bytes({0x0f, 0x85});
  rip_relative(target);
}

void Emitter::move_pointer(GeneralRegister reg, std::uint64_t target) {
  const unsigned r = number(reg);
  bytes({u8(kRexW | high(r)), u8(0xb8 | low3(r))});
  pointer(target);
}

void Emitter::move_immediate(GeneralRegister reg, std::uint64_t value) {
  const unsigned r = number(reg);
  if (value <= std::numeric_limits<std::uint32_t>::max()) {  // mov r32, imm32 zeroes the upper half
    if (high(r)) bytes({u8(kRex | 1)});
    bytes({u8(0xb8 | low3(r))});
    constant(value, 4);
    return;
  }
  bytes({u8(kRexW | high(r)), u8(0xb8 | low3(r))});
  constant(value, 8);
}

void Emitter::set_flags_to_reset_values() {
  bytes({0x6a, 0x02, 0x9d});  // push 2 (bit 1 of RFLAGS is always set); popfq
}

void Emitter::clear_arithmetic_flags() {
  bytes({0xb8, 0x01, 0x00, 0x00, 0x00, 0x83, 0xc0, 0x00});  // mov eax, 1; add eax, 0
}

void Emitter::load(GeneralRegister reg, std::uint64_t from) {
  const unsigned r = number(reg);
  bytes({u8(kRexW | high(r) << 2), 0x8b, modrm_rip(r)});
  rip_relative(from);
}

void Emitter::store(GeneralRegister reg, std::uint64_t to) {
  const unsigned r = number(reg);
  bytes({u8(kRexW | high(r) << 2), 0x89, modrm_rip(r)});
  rip_relative(to);
}

void Emitter::store_low_half(GeneralRegister reg, std::uint64_t to) {
  const unsigned r = number(reg);
  bytes({u8(kRex | high(r) << 2), 0x89, modrm_rip(r)});
  rip_relative(to);
}

void Emitter::move_low_half(GeneralRegister to, GeneralRegister from) {
  bytes({u8(kRex | high(number(from)) << 2 | high(number(to))), 0x89,
         modrm_registers(number(from), number(to))});
}

void Emitter::subtract_low_half(GeneralRegister from, GeneralRegister what) {
  bytes({u8(kRex | high(number(what)) << 2 | high(number(from))), 0x29,
         modrm_registers(number(what), number(from))});
}

void Emitter::square_low_half(GeneralRegister reg) {  // imul r32, r32
  const unsigned n = number(reg);
  if (high(n)) bytes({u8(kRex | high(n) << 2 | high(n))});
  bytes({0x0f, 0xaf, modrm_registers(n, n)});
}

void Emitter::add_low_half(GeneralRegister to, GeneralRegister what) {  // lea r32, [r64 + r64]
  const unsigned t = number(to), w = number(what);
  bytes({u8(kRex | high(t) << 2 | high(w) << 1 | high(t)), 0x8d, u8(low3(t) << 3 | 4),
         u8(low3(w) << 3 | low3(t))});
}

void Emitter::move_eax_to_vector(int vector, bool vex) {
  move_doubleword(0x6e, vector, GeneralRegister::kRax, vex);
}

void Emitter::move_vector_to_low_half(GeneralRegister to, int vector, bool vex) {
  move_doubleword(0x7e, vector, to, vex);
}

void Emitter::move_doubleword(unsigned opcode, int vector, GeneralRegister reg, bool vex) {
  const auto v = static_cast<unsigned>(vector);
  if (vector >= 16) {  // EVEX.128.66.0F.W0; the fields are explained at move_zmm
    bytes({0x62, u8((high(v) ^ 1) << 7 | 0x61), 0x7d, 0x08});
  } else if (vex) {
    bytes({0xc5, vex2(v, 0, 1)});
  } else {
    bytes({0x66, u8(kRex | high(v) << 2), 0x0f});
  }
  bytes({u8(opcode), modrm_registers(v, number(reg))});
}

void Emitter::load_stack_pointer_from_itself() { bytes({0x48, 0x8b, 0x24, 0x24}); }
void Emitter::lfence() { bytes({0x0f, 0xae, 0xe8}); }
void Emitter::rdtsc() { bytes({0x0f, 0x31}); }
void Emitter::rdpmc() { bytes({0x0f, 0x33}); }
void Emitter::reset_x87() { bytes({0xdb, 0xe3}); }  // fninit: empty stack, all exceptions masked
void Emitter::zero_upper_vectors() { bytes({0xc5, 0xf8, 0x77}); }
void Emitter::zero_low_vectors() { bytes({0xc5, 0xfc, 0x77}); }  // vzeroall

void Emitter::zero_vector(int vector) {  // xorps v, v
  const auto v = static_cast<unsigned>(vector);
  bytes({u8(kRex | high(v) << 2 | high(v)), 0x0f, 0x57, modrm_registers(v, v)});
}

void Emitter::zero_high_vector(int vector) {  // vpxord v, v, v of 128 bits: EVEX.66.0F.W0 EF
  const auto v = static_cast<unsigned>(vector);
  // P0: ~R ~X ~B ~R' 0 mmm, where X and B extend the second operand as R' and R do the first;
  // P1: W ~vvvv 1 pp; P2: length 0, ~V' (the fifth bit of vvvv).
  const unsigned bit3 = high(v) ^ 1;
  const unsigned bit4 = (v >> 4 & 1) ^ 1;
  const unsigned p0 = bit3 << 7 | bit4 << 6 | bit3 << 5 | bit4 << 4 | 1;
  const unsigned p1 = (~v & 0xf) << 3 | 0x05;
  bytes({0x62, u8(p0), u8(p1), u8(bit4 << 3), 0xef, modrm_registers(v, v)});
}

void Emitter::load_mxcsr(std::uint64_t from) {
  bytes({0x0f, 0xae, modrm_rip(2)});
  rip_relative(from);
}

void Emitter::load_mmx(int reg, std::uint64_t from) {  // movq
  bytes({0x0f, 0x6f, modrm_rip(static_cast<unsigned>(reg))});
  rip_relative(from);
}

void Emitter::load_xmm(int vector, std::uint64_t from) {  // movups
  const auto v = static_cast<unsigned>(vector);
  bytes({u8(kRex | high(v) << 2), 0x0f, 0x10, modrm_rip(v)});
  rip_relative(from);
}

void Emitter::load_ymm(int vector, std::uint64_t from, bool full) {
  move_ymm(kLoad, vector, from, full);
}

void Emitter::load_zmm(int vector, std::uint64_t from, int bits) {
  move_zmm(kLoad, vector, from, bits);
}

void Emitter::store_ymm(int vector, std::uint64_t to, bool full) {
  move_ymm(kStore, vector, to, full);
}

void Emitter::store_zmm(int vector, std::uint64_t to, int bits) {
  move_zmm(kStore, vector, to, bits);
}

void Emitter::move_ymm(unsigned opcode, int vector, std::uint64_t address, bool full) {
  const auto v = static_cast<unsigned>(vector);
  bytes({0xc5, vex2(v, full ? 1 : 0, 0), u8(opcode), modrm_rip(v)});
  rip_relative(address);
}

// vmovups, encoded with EVEX.0F.W0.
void Emitter::move_zmm(unsigned opcode, int vector, std::uint64_t address, int bits) {
  const auto v = static_cast<unsigned>(vector);
  const unsigned length = bits == 512 ? 2 : bits == 256 ? 1 : 0;
  // P0: ~R ~X ~B ~R' 0 mmm; register bit 3 is R, bit 4 is R'. X and B are unused by RIP-relative.
  const unsigned p0 = (high(v) ^ 1) << 7 | 0x60 | ((v >> 4) ^ 1) << 4 | 1;
  const unsigned p2 = length << 5 | 0x08;  // no masking, ~V' set
  bytes({0x62, u8(p0), 0x7c, u8(p2), u8(opcode), modrm_rip(v)});
  rip_relative(address);
}

void Emitter::store_mask(int mask, std::uint64_t to) {  // kmovw m16, k: VEX.L0.0F.W0 91
  bytes({0xc5, 0xf8, 0x91, modrm_rip(static_cast<unsigned>(mask))});
  rip_relative(to);
}

void Emitter::store_mxcsr(std::uint64_t to) {
  bytes({0x0f, 0xae, modrm_rip(3)});
  rip_relative(to);
}

void Emitter::store_x87_status(std::uint64_t to) {  // fnstsw m16
  bytes({0xdd, modrm_rip(7)});
  rip_relative(to);
}

void Emitter::clear_x87_exceptions() { bytes({0xdb, 0xe2}); }  // fnclex

void Emitter::set_mask_ones(int mask) {  // kxnorq k, k, k: VEX.L1.0F.W1 46
  const auto k = static_cast<unsigned>(mask);
  bytes({0xc4, 0xe1, u8(0x80 | (~k & 0xf) << 3 | 1 << 2), 0x46, modrm_registers(k, k)});
}

}  // namespace assay
