#pragma once

#include <memory>
#include <string>
#include <vector>

#include "suites/extract/program/elf_contents.h"
#include "suites/extract/program/image.h"
#include "suites/extract/program/placement.h"

namespace assay {

/// The sections of one object file, laid out as a linker would do it: code first, data behind it,
/// then a global offset table and room for symbols that are defined elsewhere, so that operands
/// point at data as in a linked program. The relocations that x86-64 compilers write are applied
/// (psABI, "Relocation Types"); thread-local ones as in an executable.
class ObjectLayout {
 public:
  /// Throws InputError, with a message that begins with `shown`, if the sections need more room
  /// than 32-bit displacements span, or if a table refers to something that is not there.
  ObjectLayout(const ElfContents& elf, const std::string& shown);

  const Placement& placement() const { return placement_; }
  /// Adds to the image what relocations tell: imports, pointers to code, and fields that could not
  /// be filled in. The image must have its ranges already.
  void add_references(Image& image) const;
  /// Keeps the bytes of the placement alive.
  std::shared_ptr<const void> storage() const { return buffers_; }

 private:
  using Buffers = std::vector<std::vector<std::uint8_t>>;
  [[noreturn]] void fail(const std::string& what) const;
  void place_sections(bool executable);
  void place_section(std::size_t index);
  std::uint64_t take(std::uint64_t size, std::uint64_t alignment);
  void place_symbols(std::size_t table);
  std::uint64_t place_undefined(const Elf64_Sym& symbol);
  void relocate(const ElfSection& relocations);
  void apply(const Elf64_Rela& relocation, std::size_t target);
  void fill(std::size_t target, std::uint64_t offset, std::uint64_t value, int size);
  std::uint64_t global_offset(std::size_t symbol) const { return table_ + 8 * symbol; }

  const ElfContents& elf_;
  const std::string& shown_;
  Placement placement_;
  std::shared_ptr<Buffers> buffers_ = std::make_shared<Buffers>();
  std::uint64_t next_;              ///< the first free address
  std::uint64_t table_ = 0;         ///< address of the global offset table
  std::uint64_t thread_begin_ = 0;  ///< start of thread-local data; its end is 0 if there is none
  std::uint64_t thread_end_ = 0;
  std::vector<std::uint64_t> symbols_;  ///< addresses of symbols, by index
  std::vector<bool> known_;             ///< whether a symbol has an address, by index
  std::vector<Import> imports_;
  std::vector<std::uint64_t> pointers_;  ///< values of 64-bit fields
  std::vector<std::uint64_t> unknown_fields_;
};

}  // namespace assay
