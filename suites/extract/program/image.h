#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A piece of an image: a section, or a segment if the file has no sections.
struct ImageRange {
  std::uint64_t address = 0;
  std::uint64_t size = 0;               ///< size in memory; address + size does not wrap
  std::span<const std::uint8_t> bytes;  ///< at most `size`; the rest of the range is zeros (.bss)
  std::uint64_t end() const { return address + size; }
  bool contains(std::uint64_t place) const { return place - address < size; }
};

struct FunctionSymbol {
  std::uint64_t address = 0;  ///< in an executable range
  std::uint64_t size = 0;     ///< in bytes, not beyond the range; 0 if it is not known
  std::string_view name;      ///< as the file has it, mangled; may be empty
};

/// Code that one frame description entry covers: a function, or a part of one (cold code).
struct FrameRange {
  std::uint64_t start = 0;
  std::uint64_t end = 0;  ///< above start, and in the same executable range
};

/// A place where control goes on after an exception was thrown.
struct LandingPad {
  std::uint64_t address = 0;   ///< in an executable range
  std::uint64_t function = 0;  ///< start of the frame range whose calls it serves
};

/// A function or object that is found by name when the program is loaded or linked.
struct Import {
  /// Where the pointer to it lies, in the global offset table; in an object file also the address
  /// that stands in for it.
  std::uint64_t address = 0;
  std::string_view name;
  /// Its address if the image itself defines it in an executable range; 0 otherwise.
  std::uint64_t target = 0;
};

/// One ELF file, or member of an archive, as it lies in memory. Addresses are those of the file
/// itself, as objdump prints them. The sections of an object file are laid out one after the other
/// as a linker would do it, from an address of our choice, and their relocations are applied.
///
/// All lists are sorted by address; ranges of one list are disjoint and not empty. Only ProgramFile
/// (program_file.h) makes images. `storage` keeps alive what the spans and names point to.
struct Image {
  std::string name;  ///< "sqlite3", "libz.a(deflate.o)": UTF-8, without the folder
  /// Path of the file, where its debugging information is looked for; empty for an object file,
  /// whose addresses here are not those of its debugging information.
  std::string path;
  std::vector<ImageRange> executable;
  std::vector<ImageRange> data;
  std::vector<FunctionSymbol> functions;  ///< no two with the same address and name
  std::vector<FrameRange> frames;         ///< disjoint
  std::vector<LandingPad> landing_pads;
  std::vector<Import> imports;
  /// Addresses that the file itself says are code: entry point, initialisers, finalisers,
  /// resolvers.
  std::vector<std::uint64_t> entries;
  /// Addresses in executable ranges that pointers in the image's data lead to.
  std::vector<std::uint64_t> pointed_at;
  /// In object files, addresses of fields that could not be filled in; each has 8 bytes at most.
  std::vector<std::uint64_t> unknown_fields;
  bool has_symbol_table = false;  ///< .symtab; without it only exported functions have names
  bool has_sections = true;
  std::shared_ptr<const void> storage;

  /// The bytes from an address to the end of the bytes of its range; none outside of all ranges.
  std::span<const std::uint8_t> bytes_at(std::uint64_t address) const;
  /// As bytes_at(), but only in executable ranges.
  std::span<const std::uint8_t> code_at(std::uint64_t address) const;
  /// The symbol of the function that holds the address, or nullptr. A function without a size
  /// reaches to the next one.
  const FunctionSymbol* function_at(std::uint64_t address) const;
  /// The import whose address this is, or nullptr.
  const Import* import_at(std::uint64_t address) const;
};

}  // namespace assay
