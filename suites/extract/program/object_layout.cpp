#include "suites/extract/program/object_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "profiler/support/error.h"
#include "profiler/support/rounding.h"

namespace assay {
namespace {

/// The first address of the layout: where linkers put programs that are not relocated.
constexpr std::uint64_t kBase = 0x400000;
/// The largest layout: 32-bit displacements reach all of it from anywhere in it.
constexpr std::uint64_t kMostRoom = std::uint64_t{1} << 30;
constexpr std::uint64_t kPage = 4096;
/// Room for a symbol that is defined elsewhere and whose size is unknown: a cache line, so that two
/// such symbols do not share one.
constexpr std::uint64_t kRoomOfUndefined = 64;

/// How a relocation's field is computed, in the psABI's notation: S is the symbol's address, A the
/// addend, P the field's own address, GOT that of the global offset table, G an offset in it.
enum class Formula {
  kNothing,              ///< there is no field
  kAddress,              ///< S + A
  kRelative,             ///< S + A - P
  kGlobalOffset,         ///< G + GOT + A - P: of the pointer to the symbol
  kGlobalOffsetTable,    ///< GOT + A - P
  kThreadOffset,         ///< from the thread pointer, which is at the end of thread-local data
  kThreadSectionOffset,  ///< from the beginning of thread-local data
};

struct RelocationKind {
  std::uint32_t type;
  Formula formula;
  int size;  ///< bytes
};

constexpr RelocationKind kRelocationKinds[] = {
    {R_X86_64_NONE, Formula::kNothing, 0},
    {R_X86_64_64, Formula::kAddress, 8},
    {R_X86_64_32, Formula::kAddress, 4},
    {R_X86_64_32S, Formula::kAddress, 4},
    {R_X86_64_16, Formula::kAddress, 2},
    {R_X86_64_8, Formula::kAddress, 1},
    {R_X86_64_PC64, Formula::kRelative, 8},
    {R_X86_64_PC32, Formula::kRelative, 4},
    {R_X86_64_PLT32, Formula::kRelative, 4},
    {R_X86_64_PC16, Formula::kRelative, 2},
    {R_X86_64_PC8, Formula::kRelative, 1},
    {R_X86_64_GOTPCREL, Formula::kGlobalOffset, 4},
    {R_X86_64_GOTPCRELX, Formula::kGlobalOffset, 4},
    {R_X86_64_REX_GOTPCRELX, Formula::kGlobalOffset, 4},
    {R_X86_64_GOTPCREL64, Formula::kGlobalOffset, 8},
    {R_X86_64_GOTTPOFF, Formula::kGlobalOffset, 4},
    {R_X86_64_TLSGD, Formula::kGlobalOffset, 4},
    {R_X86_64_TLSLD, Formula::kGlobalOffset, 4},
    {R_X86_64_GOTPC32_TLSDESC, Formula::kGlobalOffset, 4},
    {R_X86_64_TLSDESC_CALL, Formula::kNothing, 0},
    {R_X86_64_GOTPC32, Formula::kGlobalOffsetTable, 4},
    {R_X86_64_GOTPC64, Formula::kGlobalOffsetTable, 8},
    {R_X86_64_TPOFF32, Formula::kThreadOffset, 4},
    {R_X86_64_TPOFF64, Formula::kThreadOffset, 8},
    {R_X86_64_DTPOFF32, Formula::kThreadSectionOffset, 4},
    {R_X86_64_DTPOFF64, Formula::kThreadSectionOffset, 8},
};

const RelocationKind* kind_of(std::uint32_t type) {
  const auto* const found = std::ranges::find(kRelocationKinds, type, &RelocationKind::type);
  return found == std::end(kRelocationKinds) ? nullptr : found;
}

}  // namespace

ObjectLayout::ObjectLayout(const ElfContents& elf, const std::string& shown)
    : elf_(elf), shown_(shown), next_(kBase) {
  placement_.sections.resize(elf.sections.size());
  buffers_->resize(elf.sections.size());
  place_sections(true);
  next_ = rounded_up(next_, kPage);
  place_sections(false);
  const auto table = std::ranges::find(elf.sections, std::uint32_t{SHT_SYMTAB},
                                       [](const ElfSection& each) { return each.header.sh_type; });
  if (table == elf.sections.end()) return;
  place_symbols(static_cast<std::size_t>(table - elf.sections.begin()));
  for (const ElfSection& section : elf.sections) {
    if (section.header.sh_type == SHT_RELA) relocate(section);
  }
}

void ObjectLayout::fail(const std::string& what) const {
  throw InputError(fmt::format("{}: {}: the file is damaged", shown_, what));
}

std::uint64_t ObjectLayout::take(std::uint64_t size, std::uint64_t alignment) {
  const std::uint64_t step = std::has_single_bit(alignment) ? std::min(alignment, kPage) : 1;
  const std::uint64_t address = rounded_up(next_, step);
  if (size > kMostRoom || address + size > kBase + kMostRoom) {
    throw InputError(
        fmt::format("{} is too large to be laid out: its sections take more than {} "
                    "GiB of memory",
                    shown_, kMostRoom >> 30));
  }
  next_ = address + size;
  return address;
}

void ObjectLayout::place_sections(bool executable) {
  for (std::size_t i = 0; i < elf_.sections.size(); ++i) {
    const ElfSection& section = elf_.sections[i];
    if (section.is_allocated() && section.is_executable() == executable) place_section(i);
  }
}

void ObjectLayout::place_section(std::size_t index) {
  const ElfSection& section = elf_.sections[index];
  Placement::Place& place = placement_.sections[index];
  place.address = take(section.header.sh_size, section.header.sh_addralign);
  place.placed = true;
  (*buffers_)[index].assign(section.bytes.begin(), section.bytes.end());
  place.bytes = (*buffers_)[index];
  if ((section.header.sh_flags & SHF_TLS) == 0) return;
  if (thread_end_ == 0) thread_begin_ = place.address;
  thread_end_ = next_;
}

void ObjectLayout::place_symbols(std::size_t table) {
  const ElfSection& section = elf_.sections[table];
  const std::size_t link = section.header.sh_link;
  const PackedTable<Elf64_Sym> symbols(section.bytes);
  const SymbolSections sections(elf_, table);
  symbols_.resize(symbols.size());
  known_.resize(symbols.size());
  table_ = take(8 * symbols.size(), kPage);
  // Symbol 0 is reserved: it stands for no symbol.
  for (std::size_t i = 1; i < symbols.size(); ++i) {
    const Elf64_Sym symbol = symbols[i];
    const std::uint32_t home = sections.of(symbol, i);
    const bool special = symbol.st_shndx >= SHN_LORESERVE && symbol.st_shndx != SHN_XINDEX;
    known_[i] = true;
    if (symbol.st_shndx == SHN_ABS) {
      symbols_[i] = symbol.st_value;
    } else if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_COMMON) {
      symbols_[i] = place_undefined(symbol);
      if (symbol.st_shndx == SHN_COMMON || link >= elf_.sections.size()) continue;
      const std::string_view name = string_at(elf_.sections[link].bytes, symbol.st_name);
      imports_.push_back({.address = symbols_[i], .name = name});
      imports_.push_back({.address = global_offset(i), .name = name});
    } else if (!special && home < placement_.sections.size() && placement_.sections[home].placed) {
      symbols_[i] = placement_.sections[home].address + symbol.st_value;
    } else {
      known_[i] = false;
    }
  }
}

std::uint64_t ObjectLayout::place_undefined(const Elf64_Sym& symbol) {
  const std::uint64_t size = symbol.st_shndx == SHN_COMMON ? symbol.st_size : 0;
  return take(std::max<std::uint64_t>(size, kRoomOfUndefined), kRoomOfUndefined);
}

void ObjectLayout::relocate(const ElfSection& relocations) {
  const std::size_t target = relocations.header.sh_info;
  if (target >= placement_.sections.size()) fail("relocations are for a section that is not there");
  if (!placement_.sections[target].placed) return;
  const PackedTable<Elf64_Rela> table(relocations.bytes);
  for (std::size_t i = 0; i < table.size(); ++i) apply(table[i], target);
}

void ObjectLayout::apply(const Elf64_Rela& relocation, std::size_t target) {
  const Placement::Place& place = placement_.sections[target];
  const std::uint64_t symbol = ELF64_R_SYM(relocation.r_info);
  if (symbol >= symbols_.size()) fail("a relocation is against a symbol that is not there");
  if (relocation.r_offset >= place.bytes.size()) fail("a relocation is outside of its section");
  const RelocationKind* const kind = kind_of(ELF64_R_TYPE(relocation.r_info));
  const std::uint64_t at = place.address + relocation.r_offset;
  const auto addend = static_cast<std::uint64_t>(relocation.r_addend);
  const std::uint64_t value = symbols_[symbol] + addend;
  if (kind == nullptr || (symbol != 0 && !known_[symbol])) {
    unknown_fields_.push_back(at);
    return;
  }
  switch (kind->formula) {
    case Formula::kNothing:
      return;
    case Formula::kAddress:
      if (kind->size == 8) pointers_.push_back(value);
      return fill(target, relocation.r_offset, value, kind->size);
    case Formula::kRelative:
      return fill(target, relocation.r_offset, value - at, kind->size);
    case Formula::kGlobalOffset:
      return fill(target, relocation.r_offset, global_offset(symbol) + addend - at, kind->size);
    case Formula::kGlobalOffsetTable:
      return fill(target, relocation.r_offset, table_ + addend - at, kind->size);
    case Formula::kThreadOffset:
      return fill(target, relocation.r_offset, value - thread_end_, kind->size);
    case Formula::kThreadSectionOffset:
      return fill(target, relocation.r_offset, value - thread_begin_, kind->size);
  }
}

void ObjectLayout::fill(std::size_t target, std::uint64_t offset, std::uint64_t value, int size) {
  std::vector<std::uint8_t>& bytes = (*buffers_)[target];
  const auto width = static_cast<std::size_t>(size);
  if (bytes.size() - offset < width) fail("a relocation's field ends outside of its section");
  std::memcpy(bytes.data() + offset, &value, width);  // little-endian: the low bytes
}

void ObjectLayout::add_references(Image& image) const {
  image.imports.insert(image.imports.end(), imports_.begin(), imports_.end());
  for (const std::uint64_t pointer : pointers_) {
    if (!image.code_at(pointer).empty()) image.pointed_at.push_back(pointer);
  }
  image.unknown_fields.insert(image.unknown_fields.end(), unknown_fields_.begin(),
                              unknown_fields_.end());
}

}  // namespace assay
