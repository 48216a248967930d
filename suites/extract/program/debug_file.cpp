#include "suites/extract/program/debug_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <libelf.h>

#include <cstdint>
#include <span>

namespace assay {

DebugFile::DebugFile(const std::string& path)
    : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (file_.get() < 0) return;
  elf_version(EV_CURRENT);
  // A mapping of its own: where sections are compressed, libelf writes their new sizes into the
  // section headers in memory.
  elf_.reset(elf_begin(file_.get(), ELF_C_READ_MMAP_PRIVATE, nullptr));
  if (elf_) dwarf_.reset(dwarf_begin_elf(elf_.get(), DWARF_C_READ, nullptr));
}

std::string DebugFile::separate_path(const std::string& folder) const {
  const void* id = nullptr;
  const ssize_t size = elf_ ? dwelf_elf_gnu_build_id(elf_.get(), &id) : -1;
  if (size < 2) return "";
  const std::span bytes(static_cast<const std::uint8_t*>(id), static_cast<std::size_t>(size));
  std::string path = fmt::format("{}/.build-id/{:02x}/", folder, bytes.front());
  for (const std::uint8_t byte : bytes.subspan(1)) path += fmt::format("{:02x}", byte);
  return path + ".debug";
}

void DebugFile::End::operator()(Elf* elf) const { elf_end(elf); }
void DebugFile::End::operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }

}  // namespace assay
