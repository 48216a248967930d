#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "suites/extract/elf_contents.h"
#include "suites/extract/image.h"

namespace assay {

/// Where a file's sections lie in memory, and what they hold there.
struct Placement {
  struct Place {
    std::uint64_t address = 0;
    std::span<const std::uint8_t> bytes;
    bool placed = false;  ///< false for what is not loaded: the others mean nothing
  };
  std::vector<Place> sections;  ///< by index
};

/// Of a linked file: where its headers say.
Placement linked_placement(const ElfContents& elf);

/// Adds the placed sections to the image's ranges, or the loaded segments of a file without
/// sections. Throws InputError that begins with `shown` if any two overlap.
void add_ranges(const ElfContents& elf, const Placement& placement, const std::string& shown,
                Image& image);

/// Adds the names of functions: of both symbol tables, where there are sections. Needs the ranges.
void add_functions(const ElfContents& elf, const Placement& placement, Image& image);

/// Adds a function symbol, if it lies in an executable range, cut to it.
void add_function(const Elf64_Sym& symbol, std::uint64_t address, std::string_view name,
                  Image& image);

/// The index of the section that a symbol is defined in, where it does not fit into the symbol
/// itself: by the table of extended indices.
class SymbolSections {
 public:
  SymbolSections(const ElfContents& elf, std::size_t symbol_table);
  std::uint32_t of(const Elf64_Sym& symbol, std::size_t index) const;

 private:
  PackedTable<Elf64_Word> extended_;
};

}  // namespace assay
