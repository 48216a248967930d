#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A piece of an image: a section, or a segment of a file without sections.
struct ImageRange {
  std::uint64_t address = 0;
  std::uint64_t size = 0;               ///< in memory; address + size does not wrap
  std::span<const std::uint8_t> bytes;  ///< at most `size`; what lies behind them is zero (.bss)
  std::uint64_t end() const { return address + size; }
  bool contains(std::uint64_t place) const { return place - address < size; }
};

struct FunctionSymbol {
  std::uint64_t address = 0;  ///< in an executable range
  std::uint64_t size = 0;     ///< bytes, at most as many as the range holds; 0: not known
  std::string_view name;      ///< as the file has it, mangled; may be empty
};

/// Code that one frame description entry covers: a function, or a part of one (cold code).
struct FrameRange {
  std::uint64_t start = 0;
  std::uint64_t end = 0;  ///< above start, and in the same executable range
};

/// Where control goes on when something was thrown.
struct LandingPad {
  std::uint64_t address = 0;   ///< in an executable range
  std::uint64_t function = 0;  ///< start of the frame range whose calls it is for
};

/// Something that is found by name when the program is loaded or linked.
struct Import {
  /// Of the pointer to it, in the global offset table, or, in an object file, of the place that
  /// stands for it.
  std::uint64_t address = 0;
  std::string_view name;
  /// Where the image itself defines it, in an executable range; 0: elsewhere.
  std::uint64_t target = 0;
};

/// One ELF file, or member of an archive, as it lies in memory. Addresses are those of the file
/// itself, as objdump prints them; an object file's sections are laid out one behind the other as a
/// linker would, from an address of our own, and their relocations applied.
///
/// All lists are sorted by address; ranges of one list are disjoint and not empty. Made by
/// ProgramFile (program_file.h) alone. What the spans and names point to is kept alive by
/// `storage`.
struct Image {
  std::string name;  ///< "sqlite3", "libz.a(deflate.o)": UTF-8, without the folder
  std::vector<ImageRange> executable;
  std::vector<ImageRange> data;
  std::vector<FunctionSymbol> functions;  ///< no two of one address and name
  std::vector<FrameRange> frames;         ///< disjoint
  std::vector<LandingPad> landing_pads;
  std::vector<Import> imports;
  /// Code that the file itself names as such: entry point, initialisers, finalisers, resolvers.
  std::vector<std::uint64_t> entries;
  /// Places in executable ranges that pointers in the image's data lead to.
  std::vector<std::uint64_t> pointed_at;
  /// Object files: where a field stands that could not be filled in; each is 8 bytes at most.
  std::vector<std::uint64_t> unknown_fields;
  bool has_symbol_table = false;  ///< .symtab; without it only what is exported has a name
  bool has_sections = true;
  std::shared_ptr<const void> storage;

  /// The bytes from an address on, as far as its range has any; none outside.
  std::span<const std::uint8_t> bytes_at(std::uint64_t address) const;
  /// The same of executable ranges alone.
  std::span<const std::uint8_t> code_at(std::uint64_t address) const;
  /// The symbol of the function that holds the address; one without a size reaches to the next.
  /// Nothing if there is none.
  const FunctionSymbol* function_at(std::uint64_t address) const;
  /// What the pointer, or the place, at that address stands for; nullptr: nothing by name.
  const Import* import_at(std::uint64_t address) const;
};

}  // namespace assay
