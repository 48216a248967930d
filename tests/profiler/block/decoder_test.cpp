#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "profiler/block/block.h"
#include "tests/profiler/block/block_of.h"

namespace assay {
namespace {

using testing::HasSubstr;

Refusal refusal(const std::string& hex) {
  auto decoded = decode(bytes_from_hex(hex));
  if (const auto* found = std::get_if<Refusal>(&decoded)) return *found;
  ADD_FAILURE() << hex << " was not refused";
  return {};
}

TEST(Decode, KeepsBytesAndInstructions) {
  const Block decoded = block_of("4801d8480fafca90");
  EXPECT_EQ(hex_from_bytes(decoded.bytes), "4801d8480fafca90");
  ASSERT_EQ(decoded.instructions.size(), 3u);
  EXPECT_EQ(decoded.instructions[1].offset, 3u);
  EXPECT_EQ(decoded.instructions[1].length, 4u);
  EXPECT_EQ(decoded.instructions[2].offset, 7u);
  EXPECT_FALSE(decoded.final_branch.has_value());
}

TEST(Decode, RefusesNothing) { EXPECT_EQ(refusal("").outcome.reason, Reason::kEmptyBlock); }

TEST(Decode, RefusesMoreThanTheLargestBlock) {
  EXPECT_TRUE(std::holds_alternative<Block>(decode(Bytes(kLargestBlock, 0x90))));
  const auto decoded = decode(Bytes(kLargestBlock + 1, 0x90));
  EXPECT_EQ(std::get<Refusal>(decoded).outcome.reason, Reason::kTooLarge);
}

TEST(Decode, NamesBytesThatAreNoInstruction) {
  const Refusal found = refusal("4801d806");
  EXPECT_EQ(found.outcome.reason, Reason::kInvalidInstruction);
  EXPECT_EQ(found.instructions, 1u);
  EXPECT_EQ(found.outcome.detail, "the bytes 06 at offset 3 are no whole x86-64 instruction");
}

TEST(Decode, RefusesAnInstructionCutOff) {
  for (const char* hex : {"48", "4801", "48b8112233445566", "90f3", "c5f8", "62f174485840"}) {
    EXPECT_EQ(refusal(hex).outcome.reason, Reason::kInvalidInstruction) << hex;
  }
}

TEST(Decode, RefusesPrefixesBeyondFifteenBytes) {
  EXPECT_EQ(block_of("666666666666666666666666666690").instructions.size(), 1u);
  EXPECT_EQ(refusal("66666666666666666666666666666690").outcome.reason,
            Reason::kInvalidInstruction);
}

// Knights Corner's instructions are undefined on all other CPUs, and the lengths that Zydis gives
// for them are not to be trusted.
TEST(Decode, RefusesKnightsCorner) {
  EXPECT_EQ(refusal("c5f87400").outcome.reason, Reason::kInvalidInstruction);          // jkzd
  EXPECT_EQ(refusal("62f17808587c2401").outcome.reason, Reason::kInvalidInstruction);  // MVEX
}

TEST(Decode, DetailOfARefusalNamesTextAndOffset) {
  const Refusal found = refusal("4801d80fa290");
  EXPECT_EQ(found.outcome.reason, Reason::kVirtualizedInstruction);
  EXPECT_EQ(found.instructions, 1u);
  EXPECT_THAT(found.outcome.detail, HasSubstr("cpuid at offset 3"));
}

TEST(FinalBranch, ShortConditional) {
  const Block decoded = block_of("48ffc975fb");
  ASSERT_TRUE(decoded.final_branch.has_value());
  EXPECT_EQ(decoded.final_branch->displacement_offset, 4u);
  EXPECT_EQ(decoded.final_branch->displacement_size, 1);
}

TEST(FinalBranch, NearConditional) {
  const Block decoded = block_of("900f8411223344");
  ASSERT_TRUE(decoded.final_branch.has_value());
  EXPECT_EQ(decoded.final_branch->displacement_offset, 3u);
  EXPECT_EQ(decoded.final_branch->displacement_size, 4);
}

TEST(FinalBranch, Unconditional) {
  const Block near = block_of("f2e900000000");  // with MPX's bnd prefix
  EXPECT_EQ(near.final_branch->displacement_offset, 2u);
}

TEST(FinalBranch, LoopsAndCounters) {
  for (const char* hex : {"e2fe", "e1fe", "e0fe", "e3fe", "67e3fd", "67e2fd", "2e74fd"}) {
    const Block decoded = block_of(hex);
    ASSERT_TRUE(decoded.final_branch.has_value()) << hex;
    EXPECT_EQ(decoded.final_branch->displacement_size, 1) << hex;
  }
}

TEST(RipRelative, DescribesTheOperand) {
  const Block decoded = block_of("90488b0510000000");  // mov rax, [rip + 16]
  ASSERT_EQ(decoded.rip_relative.size(), 1u);
  const RipRelativeOperand& operand = decoded.rip_relative.front();
  EXPECT_EQ(operand.displacement_offset, 4u);
  EXPECT_EQ(operand.next_instruction, 8u);
  EXPECT_EQ(operand.displacement, 16);
  EXPECT_EQ(operand.size, 8);
  EXPECT_EQ(operand.target(), 24);
}

TEST(RipRelative, CountsFromBehindTheImmediate) {
  const Block decoded = block_of("c705f0ffff7f01000000");  // mov dword ptr [rip + ..], 1
  const RipRelativeOperand& operand = decoded.rip_relative.front();
  EXPECT_EQ(operand.displacement_offset, 2u);
  EXPECT_EQ(operand.next_instruction, 10u);
  EXPECT_EQ(operand.displacement, 0x7ffffff0);
}

TEST(RipRelative, SizesOfWhatIsAccessed) {
  EXPECT_EQ(block_of("660f6f0500010000").rip_relative.front().size, 16);      // movdqa
  EXPECT_EQ(block_of("62f17c48580500010000").rip_relative.front().size, 64);  // vaddps zmm
  EXPECT_EQ(block_of("62f17c58580500010000").rip_relative.front().size, 4);   // {1to16}
  EXPECT_EQ(block_of("0fae0500010000").rip_relative.front().size, 512);       // fxsave
}

TEST(RipRelative, AddressesAndHintsAccessNothing) {
  for (const char* hex : {"488d0500000000",     // lea
                          "0f1f0500000000",     // nop
                          "0f180d00000000",     // prefetcht0
                          "0f0d0d00000000"}) {  // prefetchw
    EXPECT_EQ(block_of(hex).rip_relative.front().size, 0) << hex;
  }
}

TEST(RipRelative, RefusesTheBlocksOwnBytes) {
  EXPECT_EQ(refusal("488b05f9ffffff").outcome.reason, Reason::kRipRelativeCode);  // its first byte
  EXPECT_EQ(refusal("488b05f8ffffff").outcome.reason,
            Reason::kRipRelativeCode);  // the byte before too
  EXPECT_EQ(refusal("488b05ffffffff").outcome.reason, Reason::kRipRelativeCode);  // its last byte
  EXPECT_EQ(refusal("488b050000000090").outcome.reason, Reason::kRipRelativeCode);
  EXPECT_EQ(block_of("488b05f1ffffff").rip_relative.front().target(), -8);  // ends before it
  EXPECT_EQ(block_of("488b0500000000").rip_relative.front().target(), 7);   // begins behind it
}

TEST(RipRelative, RefusesEip) {
  const Refusal found = refusal("678b0500010000");
  EXPECT_EQ(found.outcome.reason, Reason::kRipRelativeRange);
  EXPECT_THAT(found.outcome.detail, HasSubstr("EIP"));
}

TEST(Decode, NeverThrowsForRandomBytes) {
  std::mt19937 random(12345);
  int blocks = 0;
  for (int i = 0; i < 200'000; ++i) {
    Bytes bytes(1 + random() % 16);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    const auto decoded = decode(bytes);
    if (const auto* found = std::get_if<Block>(&decoded)) {
      ++blocks;
      const Instruction& last = found->instructions.back();
      ASSERT_EQ(last.offset + last.length, bytes.size()) << hex_from_bytes(bytes);
    }
  }
  EXPECT_GT(blocks, 1000);
}

TEST(Decoder, CountsInstructionsWithADisplacementAndAnImmediate) {
  EXPECT_EQ(block_of("80780107").wide_instructions, 1);  // cmp byte ptr [rax + 1], 7
  EXPECT_EQ(block_of("8138070000008038074883c107").wide_instructions, 0);  // cmp [rax], 7; ...
  EXPECT_EQ(block_of("48b80000000000000000").wide_instructions, 1);        // movabs rax, 0
  EXPECT_EQ(block_of("b800000000488b4808").wide_instructions, 0);
  EXPECT_EQ(block_of("c740080100000090c7400801000000").wide_instructions, 2);
  EXPECT_EQ(block_of("4839d8740a").wide_instructions, 0)
      << "a branch's distance is no displacement";
}

TEST(Decoder, TellsBlocksThatMayAccessMemory) {
  const auto accesses = [](const char* hex) {
    return std::get<Block>(decode(bytes_from_hex(hex))).accesses_memory;
  };
  EXPECT_TRUE(accesses("4801d8488b03"));         // add rax, rbx; mov rax, [rbx]
  EXPECT_TRUE(accesses("488b034801d8"));         // the same the other way round
  EXPECT_TRUE(accesses("58"));                   // pop rax
  EXPECT_TRUE(accesses("d7"));                   // xlat
  EXPECT_TRUE(accesses("f3a6"));                 // repe cmpsb
  EXPECT_TRUE(accesses("0f01fc"));               // clzero
  EXPECT_TRUE(accesses("c4e269900c03"));         // vpgatherdd xmm1, [rbx + xmm0], xmm2
  EXPECT_TRUE(accesses("890d00000000"));         // mov [rip], ecx
  EXPECT_FALSE(accesses("4801d8488d4308"));      // add rax, rbx; lea rax, [rbx + 8]
  EXPECT_FALSE(accesses("c5f458c14839d874fb"));  // vaddps; cmp rax, rbx; je
}

TEST(Decoder, TellsBlocksThatMayWriteMemory) {
  const auto writes = [](const char* hex) {
    return std::get<Block>(decode(bytes_from_hex(hex))).writes_memory;
  };
  EXPECT_TRUE(writes("488903"));           // mov [rbx], rax
  EXPECT_TRUE(writes("4801d8480103"));     // add rax, rbx; add [rbx], rax
  EXPECT_TRUE(writes("50"));               // push rax
  EXPECT_TRUE(writes("f3aa"));             // rep stosb
  EXPECT_TRUE(writes("0f9403"));           // sete byte ptr [rbx]
  EXPECT_TRUE(writes("660ff7c1"));         // maskmovdqu
  EXPECT_TRUE(writes("0ff7c1"));           // maskmovq
  EXPECT_TRUE(writes("0f01fc"));           // clzero
  EXPECT_TRUE(writes("660f38f803"));       // movdir64b rax, [rbx]
  EXPECT_TRUE(writes("0fae1b"));           // stmxcsr [rbx]
  EXPECT_TRUE(writes("d933"));             // fnstenv [rbx]
  EXPECT_TRUE(writes("0fae03"));           // fxsave [rbx]
  EXPECT_TRUE(writes("0fae23"));           // xsave [rbx]
  EXPECT_TRUE(writes("480fc70e"));         // cmpxchg16b [rsi]
  EXPECT_TRUE(writes("870b"));             // xchg [rbx], ecx
  EXPECT_TRUE(writes("62f27d49a00488"));   // vpscatterdd [rax + 4*zmm1] {k1}, zmm0
  EXPECT_TRUE(writes("c4e2712e03"));       // vmaskmovps [rbx], xmm1, xmm0
  EXPECT_FALSE(writes("488b03"));          // mov rax, [rbx]
  EXPECT_FALSE(writes("58"));              // pop rax
  EXPECT_FALSE(writes("483b03"));          // cmp rax, [rbx]
  EXPECT_FALSE(writes("488d4308"));        // lea rax, [rbx + 8]
  EXPECT_FALSE(writes("0f1f8000000000"));  // nop [rax]
}

}  // namespace
}  // namespace assay
