#include "suites/generate/operand_use.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "suites/generate/form_table.h"

namespace assay {
namespace {

/// How the form uses the operand with this name: "", "r", "w" or "rw".
std::string access(const char* form, std::string_view name) {
  const InstructionForm* found = form_named(form);
  if (found == nullptr) return "no form";
  const std::vector<OperandUse> uses = uses_of(*decode_one(found->code));
  const auto use = std::ranges::find(uses, name, &OperandUse::name);
  if (use == uses.end()) return "";
  return std::string(use->read ? "r" : "") + (use->written ? "w" : "");
}

struct Access {
  const char* form;
  const char* name;
  const char* how;
};

// How forms use the flags by the manuals of Intel and AMD, not by Zydis.
constexpr Access kFlags[] = {
    {"ADCX r64, r64", "flags", "rw"},
    {"ADOX r32, m32", "flags", "rw"},
    {"CMC", "flags", "rw"},
    {"ADC r64, r64", "flags", "rw"},
    {"SBB m64, r64", "flags", "rw"},
    {"RCL r64, 1", "flags", "rw"},
    {"RCR r64, imm8", "flags", "rw"},
    {"SHL r64, cl", "flags", "rw"},
    {"ADD r64, r64", "flags", "w"},
    {"INC r64", "flags", "w"},
    {"CLC", "flags", "w"},
    {"STC", "flags", "w"},
    {"SAHF", "flags", "w"},
    {"CMP r64, r64", "flags", "w"},
    {"UCOMISD xmm, xmm", "flags", "w"},
    {"PTEST xmm, xmm", "flags", "w"},
    {"CMPSB", "flags", "w"},
    {"BLSR r64, r64", "flags", "w"},
    {"LAHF", "flags", "r"},
    {"CMOVZ r64, r64", "flags", "r"},
    {"SETB r8", "flags", "r"},
    {"JZ rel8", "flags", "r"},
    {"MOVSB", "flags", ""},
    {"CLD", "flags", ""},
    {"STD", "flags", ""},
    {"NOT r64", "flags", ""},
    {"LEA r64, m", "flags", ""},
    {"MULX r64, r64, r64", "flags", ""},
    {"SHLX r64, r64, r64", "flags", ""},
};

TEST(OperandUses, KnowWhatReadsAndWritesTheStatusFlags) {
  for (const Access& each : kFlags) {
    EXPECT_EQ(access(each.form, each.name), each.how) << each.form;
  }
}

constexpr Access kRegisters[] = {
    {"CMPSB", "rsi", "rw"},
    {"CMPSQ", "rdi", "rw"},
    {"SCASB", "rdi", "rw"},
    {"SCASB", "rsi", ""},
    {"REPE CMPSB", "rsi", "rw"},
    {"REPNE SCASW", "rdi", "rw"},
    {"CMPSD xmm, xmm, imm8", "rsi", ""},
    {"LODSB", "rsi", "rw"},
    {"MUL r8", "rax", "rw"},
    {"CBW", "rax", "rw"},
    {"BSF r64, r64", "1", "rw"},
    {"BSR r32, m32", "1", "rw"},
    {"TZCNT r64, r64", "1", "w"},
};

TEST(OperandUses, KnowWhatZydisDoesNot) {
  for (const Access& each : kRegisters) {
    EXPECT_EQ(access(each.form, each.name), each.how) << each.form;
  }
}

}  // namespace
}  // namespace assay
