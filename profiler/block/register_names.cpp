#include "profiler/block/register_names.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

constexpr std::array<std::string_view, kGeneralRegisters> kGeneralRegisterNames = {
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

}  // namespace

std::string_view name(GeneralRegister reg) {
  return kGeneralRegisterNames.at(static_cast<std::size_t>(reg));
}

template <>
std::optional<GeneralRegister> named<GeneralRegister>(std::string_view name) {
  return value_named<GeneralRegister>(kGeneralRegisterNames, name);
}

}  // namespace assay
