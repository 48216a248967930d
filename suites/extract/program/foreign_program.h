#pragma once

#include <elf.h>

#include <cstdint>
#include <span>
#include <string>

namespace assay {

/// Describes a file that is neither ELF nor an archive, and says what to give instead: "is a script
/// for "/bin/sh": ...".
std::string describe_foreign_program(std::span<const std::uint8_t> file);

/// The name of a machine by ELF's e_machine, "AArch64"; "machine 12345" if it is not known here.
std::string machine_name(Elf64_Half machine);

}  // namespace assay
