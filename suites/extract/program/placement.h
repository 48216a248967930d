#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "suites/extract/program/elf_contents.h"
#include "suites/extract/program/image.h"

namespace assay {

/// Where a file's sections lie in memory, and what they hold there.
struct Placement {
  struct Place {
    std::uint64_t address = 0;
    std::span<const std::uint8_t> bytes;
    bool placed = false;  ///< false if it is not loaded: the other fields mean nothing then
  };
  std::vector<Place> sections;  ///< by index
};

/// The placement of a linked file, as its section headers say.
Placement linked_placement(const ElfContents& elf);

/// Adds the placed sections to the image's ranges, or the loaded segments if the file has no
/// sections. Throws InputError, with a message that begins with `shown`, if any two overlap.
void add_ranges(const ElfContents& elf, const Placement& placement, const std::string& shown,
                Image& image);

/// Adds the function symbols of both symbol tables, if the file has sections. The image must have
/// its ranges already.
void add_functions(const ElfContents& elf, const Placement& placement, Image& image);

/// Adds a function symbol if it lies in an executable range; its size is cut to that range.
void add_function(const Elf64_Sym& symbol, std::uint64_t address, std::string_view name,
                  Image& image);

/// Gives the index of the section that a symbol is defined in, from the table of extended indices
/// if the index does not fit into the symbol itself.
class SymbolSections {
 public:
  SymbolSections(const ElfContents& elf, std::size_t symbol_table);
  std::uint32_t of(const Elf64_Sym& symbol, std::size_t index) const;

 private:
  PackedTable<Elf64_Word> extended_;
};

}  // namespace assay
