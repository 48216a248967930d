#include "suites/extract/program/placement.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/support/error.h"

namespace assay {
namespace {

void add_range(std::uint64_t address, std::uint64_t size, std::span<const std::uint8_t> bytes,
               bool executable, Image& image) {
  if (size == 0) return;
  // A file of debugging information has a .text without bytes: that is no code.
  if (executable && bytes.empty()) return;
  (executable ? image.executable : image.data).push_back({address, size, bytes});
}

void add_sections(const ElfContents& elf, const Placement& placement, Image& image) {
  for (std::size_t i = 0; i < placement.sections.size(); ++i) {
    const Placement::Place& place = placement.sections[i];
    if (!place.placed) continue;
    const ElfSection& section = elf.sections[i];
    add_range(place.address, section.header.sh_size, place.bytes, section.is_executable(), image);
  }
}

void add_segments(const ElfContents& elf, Image& image) {
  for (const ElfSegment& segment : elf.segments) {
    const Elf64_Phdr& header = segment.header;
    if (header.p_type != PT_LOAD) continue;
    const std::uint64_t size = std::max<std::uint64_t>(header.p_memsz, segment.bytes.size());
    add_range(header.p_vaddr, size, segment.bytes, (header.p_flags & PF_X) != 0, image);
  }
}

void check_disjoint(std::vector<ImageRange> all, const std::string& shown) {
  std::ranges::sort(all, {}, &ImageRange::address);
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i - 1].end() <= all[i].address) continue;
    throw InputError(fmt::format(
        "{}: two of its sections or segments overlap at address 0x{:x}: the file is damaged", shown,
        all[i].address));
  }
}

bool is_function(const Elf64_Sym& symbol) {
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF;
}

void add_functions_of(const ElfContents& elf, std::size_t table, const Placement& placement,
                      Image& image) {
  const ElfSection& section = elf.sections[table];
  const std::size_t strings = section.header.sh_link;
  if (strings >= elf.sections.size()) return;
  const PackedTable<Elf64_Sym> symbols(section.bytes);
  const SymbolSections section_indices(elf, table);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const Elf64_Sym symbol = symbols[i];
    if (!is_function(symbol)) continue;
    std::uint64_t address = symbol.st_value;
    if (elf.is_relocatable()) {
      const std::uint32_t home = section_indices.of(symbol, i);
      if (home >= placement.sections.size() || !placement.sections[home].placed) continue;
      address += placement.sections[home].address;
    }
    add_function(symbol, address, string_at(elf.sections[strings].bytes, symbol.st_name), image);
  }
}

}  // namespace

Placement linked_placement(const ElfContents& elf) {
  Placement placement;
  for (const ElfSection& section : elf.sections) {
    // Thread-local zeros (.tbss) have an address, but take no room there.
    const bool in_threads =
        section.header.sh_type == SHT_NOBITS && (section.header.sh_flags & SHF_TLS) != 0;
    placement.sections.push_back({.address = section.header.sh_addr,
                                  .bytes = section.bytes,
                                  .placed = section.is_allocated() && !in_threads});
  }
  return placement;
}

void add_ranges(const ElfContents& elf, const Placement& placement, const std::string& shown,
                Image& image) {
  image.has_sections = std::ranges::any_of(placement.sections, &Placement::Place::placed);
  image.has_sections ? add_sections(elf, placement, image) : add_segments(elf, image);
  std::vector<ImageRange> all = image.executable;
  all.insert(all.end(), image.data.begin(), image.data.end());
  check_disjoint(std::move(all), shown);
  std::ranges::sort(image.executable, {}, &ImageRange::address);
  std::ranges::sort(image.data, {}, &ImageRange::address);
}

void add_functions(const ElfContents& elf, const Placement& placement, Image& image) {
  for (std::size_t i = 0; i < elf.sections.size(); ++i) {
    const std::uint32_t type = elf.sections[i].header.sh_type;
    if (elf.sections[i].bytes.empty()) continue;
    if (type == SHT_SYMTAB) image.has_symbol_table = true;
    if (type == SHT_SYMTAB || type == SHT_DYNSYM) add_functions_of(elf, i, placement, image);
  }
}

void add_function(const Elf64_Sym& symbol, std::uint64_t address, std::string_view name,
                  Image& image) {
  const std::uint64_t left = image.code_at(address).size();
  if (left == 0) return;
  image.functions.push_back({address, std::min<std::uint64_t>(symbol.st_size, left), name});
}

SymbolSections::SymbolSections(const ElfContents& elf, std::size_t symbol_table) {
  for (const ElfSection& section : elf.sections) {
    if (section.header.sh_type == SHT_SYMTAB_SHNDX && section.header.sh_link == symbol_table) {
      extended_ = PackedTable<Elf64_Word>(section.bytes);
    }
  }
}

std::uint32_t SymbolSections::of(const Elf64_Sym& symbol, std::size_t index) const {
  if (symbol.st_shndx != SHN_XINDEX) return symbol.st_shndx;
  return index < extended_.size() ? extended_[index] : std::uint32_t{SHN_UNDEF};
}

}  // namespace assay
