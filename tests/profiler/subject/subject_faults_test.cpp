#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "profiler/subject/subject.h"
#include "tests/profiler/subject/subject_fixture.h"

namespace assay::subject {
namespace {

using namespace std::chrono_literals;

TEST_F(SubjectTest, KernelHalfIsAVerdict) {
  // mov rax, 0xffff800000000000; mov rcx, [rax]
  const Fault fault = fault_of("48b8000000000080ffff488b08c3");
  EXPECT_EQ(fault.outcome.reason, Reason::kKernelAddress);
  expect_works();
}

TEST_F(SubjectTest, LowestPageIsMappedOrAVerdict) {
  // xor eax, eax; mov rcx, [rax]; ret
  const auto result = run("31c0488b08c3");
  if (result.fault) {
    EXPECT_EQ(result.fault->outcome.reason, Reason::kNullPage);
  } else {
    EXPECT_EQ(result.pages_mapped, 1);
  }
  expect_works();
}

TEST_F(SubjectTest, GeneralProtectionIsNotAMissingPage) {
  // mov rax, 0x1122334455667788; mov rcx, [rax]
  const Fault fault = fault_of("48b88877665544332211488b08c3");
  EXPECT_EQ(fault.outcome.reason, Reason::kNoncanonicalAddress);
  EXPECT_EQ(fault.address, 0x1122334455667788U);
  EXPECT_EQ(subject_.pages(), 0);
  expect_works();
}

TEST_F(SubjectTest, NoncanonicalStackIsNotAMissingPage) {
  // mov rsp, 0x1122334455667788; push rax: a stack fault, which arrives as SIGBUS
  EXPECT_EQ(fault_of("48bc887766554433221150c3").outcome.reason, Reason::kNoncanonicalAddress);
  expect_works();
}

TEST_F(SubjectTest, MisalignedOperandIsNamed) {
  // mov eax, 0x12345601; movaps xmm0, [rax]
  const Fault fault = fault_of("b8015634120f2800c3");
  EXPECT_EQ(fault.outcome.reason, Reason::kMisalignedAccess);
  EXPECT_EQ(fault.address, 0x12345601U);
  expect_works();
}

TEST_F(SubjectTest, UnexplainedGeneralProtectionStaysThat) {
  EXPECT_EQ(fault_of("f4").outcome.reason, Reason::kGeneralProtection);  // hlt
  expect_works();
}

TEST_F(SubjectTest, AlignmentCheckIsNamed) {
  // pushfq; or dword ptr [rsp], 0x40000; popfq; mov eax, 0x12345601; mov ecx, [rax]
  EXPECT_EQ(fault_of("9c810c24000004009db8015634128b08c3").outcome.reason,
            Reason::kMisalignedAccess);
  expect_works();
}

TEST_F(SubjectTest, UndefinedOpcodeIsAVerdict) {
  const Fault fault = fault_of("900f0b");
  EXPECT_EQ(fault.outcome.reason, Reason::kUnsupportedInstruction);
  EXPECT_EQ(fault.registers.rip, kCode + 1);
  expect_works();
}

TEST_F(SubjectTest, DivisionErrorIsAVerdict) {
  // xor ecx, ecx; div ecx
  const Fault fault = fault_of("31c9f7f1");
  EXPECT_EQ(fault.outcome.reason, Reason::kArithmeticFault);
  EXPECT_EQ(fault.registers.rip, kCode + 2);
  expect_works();
}

TEST_F(SubjectTest, UnmaskedFloatingPointExceptionIsAVerdict) {
  // push 0; ldmxcsr [rsp]; xorps xmm0, xmm0; divss xmm0, xmm0
  EXPECT_EQ(fault_of("6a000fae14240f57c0f30f5ec0").outcome.reason, Reason::kArithmeticFault);
  expect_works();
}

TEST_F(SubjectTest, TrapsAreVerdicts) {
  EXPECT_EQ(fault_of("cc").outcome.reason, Reason::kTrap);  // int3
  // pushfq; or dword ptr [rsp], 0x100; popfq; nop: a single step
  EXPECT_EQ(fault_of("9c810c24000100009d9090c3").outcome.reason, Reason::kTrap);
  expect_works();
}

TEST_F(SubjectTest, SystemCallsAreDenied) {
  // mov eax, N; syscall, for write, exit_group, kill, fork, mmap and munmap from outside the
  // program
  for (const char* number : {"01", "e7", "3e", "39", "09", "0b"}) {
    const Fault fault = fault_of(std::string("b8") + number + "0000000f05c3");
    EXPECT_EQ(fault.outcome.reason, Reason::kDeniedSystemCall) << number;
  }
  // mov eax, 1; int 0x80: exit, in the 32-bit numbering
  EXPECT_EQ(fault_of("b801000000cd80c3").outcome.reason, Reason::kDeniedSystemCall);
  expect_works();
}

TEST_F(SubjectTest, EndlessLoopHitsTheTimeLimit) {
  const Fault fault = fault_of("ebfe", {.time = 5ms});  // jmp to itself
  EXPECT_EQ(fault.outcome.reason, Reason::kTimeLimit);
  EXPECT_EQ(fault.registers.rip, kCode);
  expect_works();
}

TEST_F(SubjectTest, JumpingAwayIsDamage) {
  // xor eax, eax; jmp rax
  EXPECT_EQ(fault_of("31c0ffe0").outcome.reason, Reason::kSubjectDamaged);
}

}  // namespace
}  // namespace assay::subject
