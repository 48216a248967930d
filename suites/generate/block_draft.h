#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/support/cache_line.h"
#include "suites/generate/form_encoder.h"
#include "suites/generate/needs.h"

namespace assay {

/// Thrown where a block cannot be made; what() gives the reason: "no helper writes 80 bits of
/// memory".
class NoBlock : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where a memory operand lies, the same in all copies of the block.
struct Location {
  int base = 0;  ///< number of the general register that holds the address
  int displacement = 0;
};

/// One block while it is put together around instructions of one form: which registers are free,
/// which hold what, and the code so far. Registers by their use:
/// - R14: the base of memory operands whose base the form leaves open;
/// - R15, XMM15, K7, MM7: constants, which hold what the initial state has there and are never
///   written. Other registers are set to them where they must not wait for earlier instructions;
/// - R13, R12, R11: further constants, for values that a Need asks for;
/// - the others: operands and temporaries. RSP is used only where the form itself uses it.
class BlockDraft {
 public:
  explicit BlockDraft(const InstructionForm& form);

  const InstructionForm& form() const { return form_; }
  const Decoded& example() const { return example_; }
  /// The uses of the form's example. Instructions that are made have other registers where
  /// `chosen`.
  const std::vector<OperandUse>& uses() const { return uses_; }

  /// Takes a register that nothing else in the block uses; throws NoBlock if none is left.
  int take(Carrier carrier);
  int free_registers(Carrier carrier) const;
  /// Chooses a register of its own for each operand whose register the form leaves open, and gives
  /// registers the initial values that the form needs.
  OperandChoice choose();
  /// The register, or other place, that the use stands for in an instruction with this choice.
  static Place place_in(const OperandUse& use, const OperandChoice& choice);
  /// Whether the form computes an address and accesses nothing there (lea).
  bool computes_address() const;
  /// Where a memory operand lies in an instruction with this choice; throws NoBlock if it has no
  /// base register.
  Location location_of(const OperandUse& memory, const OperandChoice& choice);

  /// The number of a general register that holds what `for_register` needs for as long as the block
  /// runs: it must never be written.
  int constant(const Need& need, int for_register);
  /// Makes the register hold this value when the block begins.
  void begin_with(int general_register, std::uint64_t value);

  void add(const Bytes& code);
  void add_form(const OperandChoice& choice);
  /// Adds code that sets each vector of indices to zeros, except that of the use `except`, if there
  /// is one.
  void add_zero_indices(const OperandChoice& choice, const OperandUse* except = nullptr);
  /// Adds code that sets the use's place to a constant, so that what reads it waits for nothing: by
  /// MOV, MOVAPS and the like, KMOVQ, TEST, or a store.
  void add_break(const OperandUse& use, const OperandChoice& choice);

  /// The one of these two that goes with the form, so that the block does not mix legacy SSE with
  /// AVX instructions.
  ZydisMnemonic vector_mnemonic(ZydisMnemonic legacy, ZydisMnemonic vex) const;
  /// Whether the instructions that go with the form can move a vector of this many bits.
  bool has_vectors_of(int bits) const;
  /// The width of the widest vector register that the form has; 128 if it has none.
  int vector_bits() const { return vector_bits_; }

  const Bytes& code() const { return code_; }
  /// The names of the forms that add_break() added, in order.
  const std::vector<std::string>& breaks() const { return breaks_; }
  /// The initial state that the block needs, as text: `distinct` and what is changed in it.
  std::string state() const;

 private:
  void reserve(const OperandUse& use);
  void fill_needs(const OperandChoice& choice);
  Bytes break_code(const OperandUse& use, const OperandChoice& choice);
  Bytes store_constant(const OperandUse& use, const OperandChoice& choice);
  Bytes set_vector(const OperandUse& use, int number, const Need& need) const;

  const InstructionForm& form_;
  Decoded example_;
  std::vector<OperandUse> uses_;
  std::map<Carrier, std::vector<int>> free_;  ///< registers that take() gives, from the front
  std::vector<int> free_constants_{13, 12, 11};
  std::map<int, int> address_constants_;           ///< by the register that they stand in for
  std::map<std::uint64_t, int> number_constants_;  ///< by value
  std::map<int, std::uint64_t> initial_;           ///< by register
  int vector_bits_ = 128;
  Bytes code_;
  std::vector<std::string> breaks_;
};

inline constexpr int kMemoryBase = 14;
inline constexpr int kGeneralConstant = 15;
inline constexpr int kVectorConstant = 15;
inline constexpr int kMaskConstant = 7;
inline constexpr int kMmxConstant = 7;
/// The distance in bytes between memory operands of copies that must not access the same line.
inline constexpr int kLine = static_cast<int>(kCacheLine);

/// The name of the form of this instruction; empty if it does not decode.
std::string form_name_of(const Bytes& code);

}  // namespace assay
