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
  /// Adds to the count of an address; a sum too large for 64 bits becomes the largest number.
  void add(std::uint64_t address, std::uint64_t count);

  /// The sums, sorted by address, each address once; valid until the next addition.
  std::span<const AddressCount> sorted();

 private:
  void merge();

  std::vector<AddressCount> items_;  ///< the first `merged_` are sorted, with each address once
  std::size_t merged_ = 0;
};

/// What ran of one object, that is a program or a library. Addresses are those of its file (ELF
/// virtual addresses), wherever it was loaded.
struct ExecutedObject {
  AddressCounts instructions;  ///< how often each instruction ran, by its first byte's address
  AddressCounts targets;       ///< how many jumps and calls went to an address
  AddressCounts repeats;       ///< jumps from an instruction to itself: a rep's iterations
};

/// What ran, by the names of the objects.
using ExecutedCode = std::map<std::string, ExecutedObject>;

/// Adds all counts of `from` to `to`.
void add_executed(ExecutedCode& to, ExecutedCode& from);

}  // namespace assay
