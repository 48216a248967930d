#include "profiler/block/zydis.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiler/block/bytes.h"

namespace assay {
namespace {

using Actions = ZydisOperandActions;

/// What the instruction does to a register that is an operand by itself; 0 if it is none.
Actions done_to(ZydisRegister reg, const std::string& hex) {
  Actions actions = 0;
  const Decoded decoded = decode_one(bytes_from_hex(hex)).value();
  for (const ZydisDecodedOperand& operand : decoded.operands()) {
    const bool same = operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.reg.value == reg;
    if (same) actions |= operand.actions;
  }
  return actions;
}

// By the Intel SDM, volume 2, each string instruction moves the address of each of its memory
// operands.
TEST(DecodeOne, KnowsThatStringInstructionsMoveTheirAddresses) {
  struct Case {
    const char* name;
    std::vector<std::string> opcodes;
    bool source;
    bool destination;
  };
  const Case kCases[] = {
      {"movs", {"a4", "a5"}, true, true},  {"cmps", {"a6", "a7"}, true, true},
      {"stos", {"aa", "ab"}, false, true}, {"lods", {"ac", "ad"}, true, false},
      {"scas", {"ae", "af"}, false, true}, {"ins", {"6c", "6d"}, false, true},
      {"outs", {"6e", "6f"}, true, false},
  };
  const auto expected = [](bool moved, Actions actions) { return moved ? actions : Actions{0}; };
  for (const Case& each : kCases) {
    for (const std::string& opcode : each.opcodes) {
      SCOPED_TRACE(each.name + (" " + opcode));
      const Actions once = ZYDIS_OPERAND_ACTION_READWRITE;
      EXPECT_EQ(done_to(ZYDIS_REGISTER_RSI, opcode), expected(each.source, once));
      EXPECT_EQ(done_to(ZYDIS_REGISTER_RDI, opcode), expected(each.destination, once));
      EXPECT_EQ(done_to(ZYDIS_REGISTER_ESI, "67" + opcode), expected(each.source, once));
      EXPECT_EQ(done_to(ZYDIS_REGISTER_EDI, "67" + opcode), expected(each.destination, once));
      const Actions maybe = ZYDIS_OPERAND_ACTION_READ_CONDWRITE;  // RCX may be 0
      EXPECT_EQ(done_to(ZYDIS_REGISTER_RSI, "f3" + opcode), expected(each.source, maybe));
      EXPECT_EQ(done_to(ZYDIS_REGISTER_RDI, "f3" + opcode), expected(each.destination, maybe));
      EXPECT_EQ(done_to(ZYDIS_REGISTER_RCX, "f3" + opcode), maybe);
    }
  }
}

TEST(DecodeOne, TellsSseFromStringInstructionsOfTheSameName) {
  for (const char* hex : {"f20fc20f00", "f20f100f"}) {  // cmpsd xmm1, [rdi], 0; movsd xmm1, [rdi]
    EXPECT_EQ(done_to(ZYDIS_REGISTER_RDI, hex), 0) << hex;
  }
}

TEST(DecodeOne, KnowsThatXlatReadsItsIndex) {
  EXPECT_EQ(done_to(ZYDIS_REGISTER_AL, "d7"), ZYDIS_OPERAND_ACTION_READWRITE);
  EXPECT_EQ(done_to(ZYDIS_REGISTER_RBX, "d7"), 0);
}

}  // namespace
}  // namespace assay
