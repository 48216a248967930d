#include "suites/extract/program/elf_contents.h"

#include <fmt/format.h>
#include <gelf.h>
#include <cstring>

#include <algorithm>

#include "profiler/support/clipped.h"
#include "profiler/support/error.h"
#include "suites/extract/program/foreign_program.h"

namespace assay {
namespace {

/// The length of the longest name that is read. The limit keeps the time for reading all names
/// short even if they overlap.
constexpr std::size_t kLongestName = std::size_t{16} * 1024;

constexpr std::string_view kCutOff = "the file is cut off or damaged";

/// Reads one file with libelf, which checks the offsets that it follows itself; all others are
/// checked here.
class ElfReader {
 public:
  ElfReader(std::span<const std::uint8_t> file, const std::string& shown)
      : shown_(shown), elf_(nullptr, elf_end) {
    contents_.file = file;
  }

  ElfContents read() {
    check_identification();
    // The cast is safe: libelf asks for writable memory, but writes only when told to.
    char* const start = const_cast<char*>(reinterpret_cast<const char*>(contents_.file.data()));
    elf_version(EV_CURRENT);
    elf_.reset(elf_memory(start, contents_.file.size()));
    if (!elf_) fail_libelf();
    if (elf_kind(elf_.get()) != ELF_K_ELF) {
      fail_cut("it begins with a class, a byte order or a version that no ELF file has");
    }
    GElf_Ehdr header;
    if (gelf_getehdr(elf_.get(), &header) == nullptr) fail_libelf();
    contents_.header = header;
    check_header();
    read_segments();
    read_sections();
    return std::move(contents_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{} {}", shown_, what));
  }
  [[noreturn]] void fail_cut(const std::string& what) const {
    throw InputError(fmt::format("{}: {}: {}", shown_, what, kCutOff));
  }
  [[noreturn]] void fail_libelf() const {
    const char* const why = elf_errmsg(-1);
    fail_cut(fmt::format("libelf says {}", clipped(why != nullptr ? why : "nothing")));
  }

  void check_identification() const {
    const std::span<const std::uint8_t> file = contents_.file;
    if (file.size() < SELFMAG || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0) {
      fail(describe_foreign_program(file));
    }
    if (file.size() < EI_NIDENT + sizeof(Elf64_Half) * 2) fail_cut("it has no whole header");
    const bool big = file[EI_DATA] == ELFDATA2MSB;
    const auto machine =
        static_cast<Elf64_Half>(big ? file[18] << 8 | file[19] : file[19] << 8 | file[18]);
    if (machine != EM_X86_64) {
      fail(fmt::format("is for {}{}: assay takes machine code for x86-64 alone",
                       machine_name(machine), big ? ", big-endian" : ""));
    }
    if (big) fail("is big-endian, as no x86-64 program is: it is damaged");
    if (file[EI_CLASS] == ELFCLASS32) {
      fail("is of the x32 ABI (32-bit pointers): assay takes 64-bit programs alone");
    }
    if (file.size() < sizeof(Elf64_Ehdr)) fail_cut("it has no whole header");
  }

  void check_header() const {
    const Elf64_Ehdr& header = contents_.header;
    if (header.e_type == ET_CORE) fail("is a core dump: give the program that it is of");
    if (header.e_type != ET_REL && header.e_type != ET_EXEC && header.e_type != ET_DYN) {
      fail(fmt::format("is an ELF file of the unknown type {}", header.e_type));
    }
    check_table("section", header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr));
    check_table("segment", header.e_phoff, header.e_phnum, sizeof(Elf64_Phdr));
  }

  void check_table(std::string_view what, std::uint64_t offset, std::uint64_t count,
                   std::uint64_t size) const {
    if (offset == 0) return;
    const std::uint64_t bytes = std::max<std::uint64_t>(count, 1) * size;
    if (fits(offset, bytes)) return;
    fail_cut(fmt::format("its {} table should end at byte {}, but the file has only {} bytes", what,
                         offset + bytes, contents_.file.size()));
  }

  bool fits(std::uint64_t offset, std::uint64_t bytes) const {
    return offset <= contents_.file.size() && bytes <= contents_.file.size() - offset;
  }

  std::span<const std::uint8_t> piece(std::string_view what, std::uint64_t offset,
                                      std::uint64_t size) const {
    if (size == 0) return {};
    if (!fits(offset, size)) {
      fail_cut(
          fmt::format("{} should have {} bytes from byte {} on, but the file has only {} bytes",
                      what, size, offset, contents_.file.size()));
    }
    return contents_.file.subspan(offset, size);
  }

  void check_address(std::string_view what, std::uint64_t address, std::uint64_t size) const {
    if (address + size < address) {
      fail_cut(fmt::format("{} is larger than what is left of the address space", what));
    }
  }

  void read_segments() {
    std::size_t count = 0;
    if (contents_.header.e_phoff == 0) return;
    if (elf_getphdrnum(elf_.get(), &count) != 0) fail_libelf();
    for (std::size_t i = 0; i < count; ++i) {
      ElfSegment segment;
      if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment.header) == nullptr) fail_libelf();
      const Elf64_Phdr& header = segment.header;
      if (header.p_type == PT_NULL) continue;
      const std::string what = fmt::format("segment {}", i);
      // A file of debugging information keeps its program's segments, but not their bytes.
      if (fits(header.p_offset, header.p_filesz)) {
        segment.bytes = piece(what, header.p_offset, header.p_filesz);
      }
      check_address(what, header.p_vaddr, std::max(header.p_memsz, header.p_filesz));
      contents_.segments.push_back(segment);
    }
  }

  void read_sections() {
    std::size_t count = 0;
    if (contents_.header.e_shoff == 0) return;
    if (elf_getshdrnum(elf_.get(), &count) != 0) fail_libelf();
    for (std::size_t i = 0; i < count; ++i) {
      ElfSection section;
      Elf_Scn* const scn = elf_getscn(elf_.get(), i);
      if (scn == nullptr || gelf_getshdr(scn, &section.header) == nullptr) fail_libelf();
      take_bytes(section, i);
      contents_.sections.push_back(section);
    }
    name_sections();
  }

  /// Gives the sections their names. Not by elf_strptr(), which looks for a string's end as far as
  /// the section goes.
  void name_sections() {
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf_.get(), &names) != 0 || names >= contents_.sections.size()) return;
    for (ElfSection& section : contents_.sections) {
      section.name = string_at(contents_.sections[names].bytes, section.header.sh_name);
    }
  }

  void take_bytes(ElfSection& section, std::size_t index) {
    const Elf64_Shdr& header = section.header;
    const std::string what = fmt::format("section {}", index);
    if (section.is_allocated()) check_address(what, header.sh_addr, header.sh_size);
    if (header.sh_type == SHT_NOBITS || header.sh_type == SHT_NULL) return;
    section.bytes = piece(what, header.sh_offset, header.sh_size);
    held_ += section.bytes.size();
    if (held_ > contents_.file.size()) fail_cut("its sections share bytes of the file");
  }

  const std::string& shown_;
  std::unique_ptr<Elf, int (*)(Elf*)> elf_;
  ElfContents contents_;
  std::uint64_t held_ = 0;  ///< bytes of all sections so far
};

}  // namespace

const ElfSection* ElfContents::section_named(std::string_view name) const {
  const auto found = std::ranges::find_if(sections, [&](const ElfSection& section) {
    return section.name == name && !section.bytes.empty();
  });
  return found == sections.end() ? nullptr : &*found;
}

const ElfSection* ElfContents::section_of_type(std::uint32_t type) const {
  const auto found = std::ranges::find_if(sections, [&](const ElfSection& section) {
    return section.header.sh_type == type && !section.bytes.empty();
  });
  return found == sections.end() ? nullptr : &*found;
}

ElfContents read_elf(std::span<const std::uint8_t> file, const std::string& shown) {
  return ElfReader(file, shown).read();
}

std::string_view string_at(std::span<const std::uint8_t> strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const auto* const start = reinterpret_cast<const char*>(strings.data()) + offset;
  const auto* const end = static_cast<const char*>(
      std::memchr(start, '\0', std::min(strings.size() - offset, kLongestName)));
  return end == nullptr ? std::string_view{} : std::string_view(start, end);
}

}  // namespace assay
