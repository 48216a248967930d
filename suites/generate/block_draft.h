#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "suites/generate/form_encoder.h"
#include "suites/generate/needs.h"

namespace assay {

/// A block cannot be made, for a reason that what() says: "no helper writes 80 bits of memory".
class NoBlock : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where a memory operand lies in all copies.
struct Location {
  int base = 0;  ///< of the general registers, with the address in it
  int displacement = 0;
};

/// One block while it is put together around instructions of one form: which registers are free,
/// which hold what, and the code so far. Registers by their use:
/// - R14: the base of memory operands that the form leaves a choice of;
/// - R15, XMM15, K7, MM7: constants, whatever the initial state has there, never written: what
/// other
///   registers are set to where their own value must not wait for an earlier instruction;
/// - R13, R12, R11: further constants that a need asks for;
/// - the others: operands and temporaries. RSP only where the form says so.
class BlockDraft {
 public:
  explicit BlockDraft(const InstructionForm& form);

  const InstructionForm& form() const { return form_; }
  const Decoded& example() const { return example_; }
  /// Of the form's example: registers that are chosen are not those of any instruction made.
  const std::vector<OperandUse>& uses() const { return uses_; }

  /// A register that nothing else has; throws NoBlock if there is none left.
  int take(Carrier carrier);
  int free_registers(Carrier carrier) const;
  /// A choice with a register of its own for each operand that has a choice, address registers
  /// holding what they must.
  OperandChoice choose();
  /// The register of that use in an instruction with that choice.
  static Place place_in(const OperandUse& use, const OperandChoice& choice);
  /// Whether it computes an address and accesses nothing there (lea).
  bool computes_address() const;
  Location location_of(const OperandUse& memory, const OperandChoice& choice);

  /// A general register that holds what is needed, for as long as the block runs: never write it.
  int constant(const Need& need, int for_register);
  /// The register holds this when the block begins.
  void begin_with(int general_register, std::uint64_t value);

  void add(const Bytes& code);
  void add_form(const OperandChoice& choice);
  /// Sets vectors of indices to zeros; of `except`, if it is not nullptr, they come from elsewhere.
  void add_zero_indices(const OperandChoice& choice, const OperandUse* except = nullptr);
  /// Sets the place to a constant, so that it waits for nothing: by MOV, MOVAPS and the like,
  /// KMOVQ, TEST, or a store.
  void add_break(const OperandUse& use, const OperandChoice& choice);

  /// Which of the SSE and AVX instructions go with the form, without a change between the two.
  ZydisMnemonic vector_mnemonic(ZydisMnemonic legacy, ZydisMnemonic vex) const;
  /// Whether one of the instructions that go with the form moves a vector of so many bits.
  bool has_vectors_of(int bits) const;
  /// Of the widest vector register that the form has; 128 if it has none.
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
  std::map<Carrier, std::vector<int>> free_;  ///< taken from the front
  std::vector<int> free_constants_{13, 12, 11};
  std::map<int, int> address_constants_;           ///< by the register they stand for
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
/// Between the memory operands of copies that must not meet.
inline constexpr int kLine = 64;

/// The name of the form that the one instruction has.
std::string form_name_of(const Bytes& code);

}  // namespace assay
