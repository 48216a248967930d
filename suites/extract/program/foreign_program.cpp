#include "suites/extract/program/foreign_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "profiler/support/clipped.h"

namespace assay {
namespace {

using namespace std::string_view_literals;

struct ForeignKind {
  std::string_view magic;
  std::string_view what;
};

// Files that are easily given by mistake in place of a program, by their first bytes.
constexpr ForeignKind kForeignKinds[] = {
    {"!<thin>\n"sv, "is a thin archive, which only names its members: give the object files"},
    {"BC\xc0\xde"sv, "is LLVM bitcode, not machine code: compile it first (clang -c)"},
    {"\xde\xc0\x17\x0b"sv, "is LLVM bitcode, not machine code: compile it first (clang -c)"},
    {"MZ"sv, "is a Windows program (PE): assay reads ELF files"},
    {"\xcf\xfa\xed\xfe"sv, "is a Mach-O program: assay reads ELF files"},
    {"\xce\xfa\xed\xfe"sv, "is a Mach-O program: assay reads ELF files"},
    {"\xca\xfe\xba\xbe"sv,
     "is a Mach-O program for several machines, or Java: assay reads ELF files"},
    {"\0asm"sv, "is WebAssembly: assay reads ELF files"},
    {"\x1f\x8b"sv, "is gzip-compressed: decompress it first (gzip -dc FILE)"},
    {"\x28\xb5\x2f\xfd"sv, "is zstd-compressed: decompress it first (zstd -dc FILE)"},
    {"\xfd\x37zXZ\0"sv, "is xz-compressed: decompress it first (xz -dc FILE)"},
};

struct Machine {
  Elf64_Half number;
  std::string_view name;
};

constexpr Machine kMachines[] = {
    {EM_386, "32-bit x86"},
    {EM_IAMCU, "Intel MCU"},
    {EM_AARCH64, "AArch64"},
    {EM_ARM, "32-bit ARM"},
    {EM_RISCV, "RISC-V"},
    {EM_PPC64, "64-bit PowerPC"},
    {EM_PPC, "PowerPC"},
    {EM_S390, "IBM Z"},
    {EM_MIPS, "MIPS"},
    {EM_SPARC, "SPARC"},
    {EM_SPARCV9, "64-bit SPARC"},
    {EM_IA_64, "Itanium"},
    {EM_ALPHA, "Alpha"},
    {EM_BPF, "BPF"},
    {EM_AMDGPU, "AMD GPUs"},
    {EM_CUDA, "CUDA"},
    {EM_LOONGARCH, "LoongArch"},
    {EM_68K, "Motorola 68000"},
};

std::string script_text(std::string_view start) {
  const std::string_view line = start.substr(2, start.find('\n') - 2);
  const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
  const std::string_view rest = line.substr(first);
  return fmt::format("is a script for {}: give that program, or what the script runs",
                     clipped(rest.substr(0, rest.find_first_of(" \t\r"))));
}

}  // namespace

std::string describe_foreign_program(std::span<const std::uint8_t> file) {
  const std::string_view start(reinterpret_cast<const char*>(file.data()),
                               std::min<std::size_t>(file.size(), 256));
  if (start.starts_with("#!")) return script_text(start);
  const auto* const found = std::ranges::find_if(
      kForeignKinds, [&](const ForeignKind& kind) { return start.starts_with(kind.magic); });
  if (found != std::end(kForeignKinds)) return std::string(found->what);
  return fmt::format("is neither an ELF file nor an archive; it starts with {}",
                     clipped(start.substr(0, 8)));
}

std::string machine_name(Elf64_Half machine) {
  const auto* const found = std::ranges::find(kMachines, machine, &Machine::number);
  return found != std::end(kMachines) ? std::string(found->name)
                                      : fmt::format("machine {}", machine);
}

}  // namespace assay
