#include "profiler/machine/stand_in.h"

#include <gtest/gtest.h>

#include <variant>

namespace assay {
namespace {

/// The instruction support of a machine whose CPUID has all bits set, or none.
InstructionSupport support(bool everything) {
  const std::uint32_t bits = everything ? ~std::uint32_t{0} : 0;
  SupportFacts facts;
  facts.cpuid = [bits](std::uint32_t, std::uint32_t) {
    return CpuidAnswer{bits, bits, bits, bits};
  };
  return InstructionSupport(facts);
}

std::optional<Outcome> refusal(const char* hex, const InstructionSupport& support) {
  return refuse_stand_ins(std::get<Block>(decode(bytes_from_hex(hex))), support);
}

TEST(StandIn, RefusesWhatWouldRunAsAnotherInstruction) {
  const auto refused = refusal("4801d8f30fbcc3", support(false));  // add rax, rbx; tzcnt eax, ebx
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->reason, Reason::kUnsupportedInstruction);
  EXPECT_EQ(refused->detail,
            "tzcnt eax, ebx at offset 3 would run as bsf: not supported here: bmi1");
  EXPECT_TRUE(refusal("f30fbdc3", support(false)));  // lzcnt eax, ebx
}

TEST(StandIn, LetsPassWhatIsSupported) {
  EXPECT_FALSE(refusal("f30fbcc3", support(true)));
  EXPECT_FALSE(refusal("f30fbdc3", support(true)));
}

TEST(StandIn, LeavesToTheCpuWhatFaultsThere) {
  EXPECT_FALSE(refusal("c5f458c2", support(false)));  // vaddps ymm0, ymm1, ymm2
  EXPECT_FALSE(refusal("f30fb8c3", support(false)));  // popcnt eax, ebx
  EXPECT_FALSE(refusal("0fbcc3", support(false)));    // bsf eax, ebx
  EXPECT_FALSE(refusal("f30f1efa", support(false)));  // endbr64
}

TEST(StandIn, RefusesHintsThatWouldMeanNothing) {
  EXPECT_TRUE(refusal("0f1c03", support(false)));   // cldemote [rbx]
  EXPECT_TRUE(refusal("f30f1ec8", support(true)));  // rdsspd eax: no process has a shadow stack
}

}  // namespace
}  // namespace assay
