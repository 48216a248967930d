#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace assay {

/// How often something happened at an address.
struct AddressCount {
  std::uint64_t address = 0;
  std::uint64_t count = 0;
};

/// Sums of counts by address. Memory grows with the distinct addresses, not with the additions.
class AddressCounts {
 public:
  /// A sum too large for 64 bits stays at their largest number.
  void add(std::uint64_t address, std::uint64_t count);

  /// By address, each once; valid until the next addition.
  std::span<const AddressCount> sorted();

 private:
  void merge();

  std::vector<AddressCount> items_;  ///< the first merged_ of them in order, each address once
  std::size_t merged_ = 0;
};

/// What ran of one object: a program or a library. Addresses are those of its file (ELF virtual
/// addresses), wherever it was loaded.
struct ExecutedObject {
  AddressCounts instructions;  ///< at their first bytes: how often each ran
  AddressCounts targets;       ///< where jumps and calls went, and how many of them
  AddressCounts repeats;       ///< jumps from an instruction to itself: a rep's iterations
};

/// What ran, by the objects' names.
using ExecutedCode = std::map<std::string, ExecutedObject>;

/// Adds all of `from`.
void add_executed(ExecutedCode& to, ExecutedCode& from);

}  // namespace assay
