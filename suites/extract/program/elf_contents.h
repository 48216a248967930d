#pragma once

#include <elf.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suites/extract/program/byte_reader.h"

namespace assay {

struct ElfSection {
  std::string_view name;
  Elf64_Shdr header{};
  std::span<const std::uint8_t> bytes;  ///< empty if the file does not hold the section (.bss)

  bool is_allocated() const { return (header.sh_flags & SHF_ALLOC) != 0; }
  bool is_executable() const {
    return is_allocated() && (header.sh_flags & SHF_EXECINSTR) != 0 && !bytes.empty();
  }
};

struct ElfSegment {
  Elf64_Phdr header{};
  std::span<const std::uint8_t> bytes;  ///< what the file holds of the segment
};

/// The tables of one 64-bit x86 ELF file, checked: every span lies in the file, no section or
/// segment wraps around the address space, and sections do not share bytes of the file, so that
/// reading each of them once takes no longer than reading the file.
struct ElfContents {
  Elf64_Ehdr header{};
  std::vector<ElfSection> sections;  ///< by index; empty if the file has none
  std::vector<ElfSegment> segments;
  std::span<const std::uint8_t> file;

  bool is_relocatable() const { return header.e_type == ET_REL; }
  /// The first section with this name, or of this type, that holds bytes; nullptr if there is none.
  const ElfSection* section_named(std::string_view name) const;
  const ElfSection* section_of_type(std::uint32_t type) const;
};

/// Reads the tables of an ELF file. Throws InputError, with a message that begins with `shown`, for
/// a file that is not ELF, not for x86-64 in 64-bit mode, a core dump, cut off or damaged. The
/// bytes must outlive the result.
ElfContents read_elf(std::span<const std::uint8_t> file, const std::string& shown);

/// The zero-terminated string at the offset; empty if none begins there, or if it is unreasonably
/// long.
std::string_view string_at(std::span<const std::uint8_t> strings, std::uint64_t offset);

}  // namespace assay
