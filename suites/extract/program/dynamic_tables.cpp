#include "suites/extract/program/dynamic_tables.h"

#include <algorithm>

#include "suites/extract/program/placement.h"

namespace assay {
namespace {

// Tags of packed relative relocations (DT_RELRSZ, DT_RELR), in the gABI since 2022: Debian 12's
// <elf.h> may not have them.
constexpr Elf64_Sxword kRelativeTableSize = 35;
constexpr Elf64_Sxword kRelativeTable = 36;

struct Extent {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool contains(std::uint64_t place) const { return place - address < size; }
};

class DynamicTables {
 public:
  DynamicTables(const ElfContents& elf, Image& image) : elf_(elf), image_(image) {}

  void add() {
    for (const ElfSegment& segment : elf_.segments) {
      if (segment.header.p_type == PT_DYNAMIC) read_tags(segment.bytes);
    }
    if (!image_.has_sections) add_exported_functions();
    add_arrays();
    add_relocations(relocations_);
    add_relocations(plt_relocations_);
    add_packed_relocations();
  }

 private:
  void read_tags(std::span<const std::uint8_t> bytes) {
    const PackedTable<Elf64_Dyn> table(bytes);
    for (std::size_t i = 0; i < table.size() && table[i].d_tag != DT_NULL; ++i) {
      take(table[i].d_tag, table[i].d_un.d_val);
    }
  }

  void take(Elf64_Sxword tag, std::uint64_t value) {
    switch (tag) {
      case DT_SYMTAB:
        symbols_ = value;
        return;
      case DT_STRTAB:
        strings_ = value;
        return;
      case DT_RELA:
        relocations_.address = value;
        return;
      case DT_RELASZ:
        relocations_.size = value;
        return;
      case DT_JMPREL:
        plt_relocations_.address = value;
        return;
      case DT_PLTRELSZ:
        plt_relocations_.size = value;
        return;
      case kRelativeTable:
        packed_.address = value;
        return;
      case kRelativeTableSize:
        packed_.size = value;
        return;
      case DT_INIT_ARRAY:
        arrays_[0].address = value;
        return;
      case DT_INIT_ARRAYSZ:
        arrays_[0].size = value;
        return;
      case DT_FINI_ARRAY:
        arrays_[1].address = value;
        return;
      case DT_FINI_ARRAYSZ:
        arrays_[1].size = value;
        return;
      case DT_INIT:
      case DT_FINI:
        add_entry(value);
        return;
      default:
        return;
    }
  }

  bool is_code(std::uint64_t address) const { return !image_.code_at(address).empty(); }
  void add_entry(std::uint64_t address) {
    if (is_code(address)) image_.entries.push_back(address);
  }

  std::span<const std::uint8_t> bytes_of(const Extent& extent) const {
    const auto bytes = image_.bytes_at(extent.address);
    return bytes.first(std::min<std::size_t>(bytes.size(), extent.size));
  }

  /// Adds initialisers and finalisers from their arrays, where files that are not relocated have
  /// their addresses; for relocated files add_pointer() does.
  void add_arrays() {
    for (const Extent& array : arrays_) {
      const PackedTable<std::uint64_t> table(bytes_of(array));
      for (std::size_t i = 0; i < table.size(); ++i) add_entry(table[i]);
    }
  }

  void add_pointer(std::uint64_t place, std::uint64_t target) {
    if (!is_code(target)) return;
    const bool initialiser =
        std::ranges::any_of(arrays_, [&](const Extent& array) { return array.contains(place); });
    (initialiser ? image_.entries : image_.pointed_at).push_back(target);
  }

  void add_relocations(const Extent& extent) {
    const PackedTable<Elf64_Rela> table(bytes_of(extent));
    for (std::size_t i = 0; i < table.size(); ++i) add_relocation(table[i]);
  }

  void add_relocation(const Elf64_Rela& relocation) {
    const auto addend = static_cast<std::uint64_t>(relocation.r_addend);
    switch (ELF64_R_TYPE(relocation.r_info)) {
      case R_X86_64_RELATIVE:
        return add_pointer(relocation.r_offset, addend);
      case R_X86_64_IRELATIVE:
        return add_entry(addend);
      case R_X86_64_GLOB_DAT:
      case R_X86_64_JUMP_SLOT:
      case R_X86_64_64:
        return add_symbol_pointer(relocation);
      default:
        return;
    }
  }

  Elf64_Sym symbol_at(std::uint64_t index) const {
    // The index has 32 bits, so that the product does not overflow.
    const std::uint64_t address = symbols_ + index * sizeof(Elf64_Sym);
    const auto bytes = image_.bytes_at(address);
    if (bytes.size() < sizeof(Elf64_Sym)) return {};
    return PackedTable<Elf64_Sym>(bytes)[0];
  }

  void add_symbol_pointer(const Elf64_Rela& relocation) {
    const Elf64_Sym symbol = symbol_at(ELF64_R_SYM(relocation.r_info));
    const std::string_view name = string_at(image_.bytes_at(strings_), symbol.st_name);
    // The symbol of a resolver (IFUNC) has the resolver's address, not that of the function it
    // chooses.
    const bool here = symbol.st_shndx != SHN_UNDEF && is_code(symbol.st_value) &&
                      ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC;
    if (name.empty() && !here) return;
    image_.imports.push_back(
        {.address = relocation.r_offset, .name = name, .target = here ? symbol.st_value : 0});
  }

  /// Adds the pointers of DT_RELR. An even entry is the address of a pointer; an odd one is a
  /// bitmap that says which of the next 63 words behind those covered so far hold pointers too.
  void add_packed_relocations() {
    const PackedTable<std::uint64_t> table(bytes_of(packed_));
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const std::uint64_t entry = table[i];
      if ((entry & 1) == 0) {
        add_pointer_in(entry);
        next = entry + 8;
        continue;
      }
      for (unsigned bit = 1; bit < 64; ++bit) {
        if ((entry >> bit & 1) != 0) add_pointer_in(next + 8 * (bit - 1));
      }
      next += std::uint64_t{63} * 8;
    }
  }

  void add_pointer_in(std::uint64_t place) {
    const auto bytes = image_.bytes_at(place);
    if (bytes.size() >= 8) add_pointer(place, PackedTable<std::uint64_t>(bytes)[0]);
  }

  /// Adds the functions that the file exports. Nothing gives the number of symbols; but linkers put
  /// the strings behind them, so that the distance bounds it.
  void add_exported_functions() {
    const std::uint64_t room = strings_ > symbols_ ? strings_ - symbols_ : 0;
    const auto bytes = image_.bytes_at(symbols_);
    const PackedTable<Elf64_Sym> table(bytes.first(std::min<std::size_t>(bytes.size(), room)));
    for (std::size_t i = 0; i < table.size(); ++i) {
      const Elf64_Sym symbol = table[i];
      const unsigned type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC)) continue;
      const auto name = string_at(image_.bytes_at(strings_), symbol.st_name);
      add_function(symbol, symbol.st_value, name, image_);
    }
  }

  const ElfContents& elf_;
  Image& image_;
  std::uint64_t symbols_ = 0;
  std::uint64_t strings_ = 0;
  Extent relocations_;
  Extent plt_relocations_;
  Extent packed_;
  Extent arrays_[2];
};

}  // namespace

void add_dynamic_references(const ElfContents& elf, Image& image) {
  DynamicTables(elf, image).add();
}

}  // namespace assay
