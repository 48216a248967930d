#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "profiler/block/bytes.h"
#include "profiler/subject/confinement.h"
#include "profiler/subject/subject.h"
#include "tests/profiler/subject/subject_fixture.h"

namespace assay::subject {
namespace {

/// Stores a doubleword of ones at an address. Ends without ret.
std::string store_at(std::uint64_t address) { return hex_from_bytes(storing(address, ~0U)); }

TEST_F(SubjectTest, HasAlmostNothingMapped) {
  for (const std::string& range : mapped_ranges()) {
    if (range.starts_with("ffffffff")) continue;  // the vsyscall page, which is the kernel's
    EXPECT_TRUE(is_own_address(std::stoull(range, nullptr, 16))) << range;
  }
}

TEST_F(SubjectTest, HasNoRightsLeft) {
  const Confinement confinement = confinement_of(subject_.pid());
  EXPECT_TRUE(confinement.filters_system_calls);
  EXPECT_TRUE(confinement.no_new_privileges);
  EXPECT_TRUE(confinement.no_capabilities);
  std::ifstream limits("/proc/" + std::to_string(subject_.pid()) + "/limits");
  int found = 0;
  for (std::string line; std::getline(limits, line);) {
    for (const char* name : {"Max open files", "Max file size", "Max processes", "Max core file"}) {
      if (!line.starts_with(name)) continue;
      EXPECT_THAT(line, testing::ContainsRegex(" 0 +0 ")) << line;
      ++found;
    }
  }
  EXPECT_EQ(found, 4);
}

TEST_F(SubjectTest, HasNoDescriptorButItsTwo) {
  const std::string folder = "/proc/" + std::to_string(subject_.pid()) + "/fd/";
  EXPECT_EQ(access((folder + "3").c_str(), F_OK), 0);
  EXPECT_EQ(access((folder + "4").c_str(), F_OK), 0);
  for (int number = 0; number < 100; ++number) {
    if (number == kArenaDescriptor || number == kFrameDescriptor) continue;
    EXPECT_NE(access((folder + std::to_string(number)).c_str(), F_OK), 0) << number;
  }
}

TEST_F(SubjectTest, ItsOwnCodeCannotBeWritten) {
  // mov rax, kCode; mov [rax], ecx
  EXPECT_EQ(fault_of("48b800004000c75e00008908c3").outcome.reason, Reason::kSubjectMemory);
  expect_works();
}

TEST_F(SubjectTest, WhatIsAskedForCannotBeWritten) {
  for (std::uint64_t at = 0; at < sizeof(Request); at += 64) {
    const Fault fault = fault_of(store_at(kRequest + at) + "c3");
    EXPECT_EQ(fault.outcome.reason, Reason::kSubjectMemory) << at;
  }
  expect_works();
}

TEST_F(SubjectTest, ANumberOfRunsThatWasWrittenIsNoticed) {
  const std::string store = store_at(kReport + offsetof(Report, runs));
  EXPECT_EQ(fault_of(store + "c3").outcome.reason, Reason::kSubjectDamaged);
  // mov eax, 0x12345600; mov rcx, [rax]: a page that is missed does not hide it
  EXPECT_EQ(fault_of(store + "b800563412488b08c3").outcome.reason, Reason::kSubjectDamaged);
  expect_works();
}

TEST_F(SubjectTest, NothingWrittenToTheReportOutlastsTheSeries) {
  for (std::uint64_t at = 0; at < offsetof(Report, readings); at += 4) {
    run(store_at(kReport + at) + "c3");
    expect_works();
  }
}

TEST_F(SubjectTest, TheStackLeadsTheProgramNowhere) {
  // lea rdi, [rsp - 0x4000]; mov ecx, 0x800; mov eax, 0; rep stosq; jmp [kRequest + next_run]
  const std::string fill = "488dbc2400c0ffffb900080000b800000000f348ab";
  const std::uint64_t pointer = kRequest + offsetof(Request, next_run);
  const auto result = run(fill + hex_from_bytes(setting_rax(pointer)) + "ff20");
  EXPECT_FALSE(result.fault) << result.fault->outcome.detail;
}

TEST_F(SubjectTest, TheKeyOfItsSystemCallsIsInNoneOfItsMemory) {
  // A page is mapped, so that the key has been in use.
  EXPECT_EQ(run("b800563412488b08c3").pages_mapped, 1);
  const SystemCallKey key = subject_.key();
  ASSERT_NE(key.fourth, 0U);
  ASSERT_NE(key.fifth, 0U);
  std::size_t searched = 0;
  for (const std::string& range : mapped_ranges()) {
    if (range.starts_with("ffffffff")) continue;
    const std::uint64_t end = std::stoull(range.substr(range.find('-') + 1), nullptr, 16);
    for (std::uint64_t at = std::stoull(range, nullptr, 16); at < end; at += kPageSize) {
      for (const std::uint32_t word : page_at(at)) {
        EXPECT_TRUE(word != key.fourth && word != key.fifth) << std::hex << at;
      }
      ++searched;
    }
  }
  EXPECT_GT(searched, 300U);
}

TEST_F(SubjectTest, AGuardedRunEndsWhereItTouchesWhatAssayWritesTo) {
  const std::array<std::uint64_t, 1> entries = {kCode};
  const auto fault_at = [&](std::uint64_t address) {
    // mov eax, 0x12345600; mov ecx, [rax]: a page that is missed; mov rax, address; mov ecx, [rax]
    subject_.load_code(
        0, bytes_from_hex("b8005634128b08" + hex_from_bytes(setting_rax(address)) + "8b08"));
    return subject_.run_guarded(kCode, {entries}, {});
  };
  for (std::uint64_t at = kStack; at < kStack + kWritableSize; at += kPageSize / 2) {
    const Fault fault = fault_at(at);
    EXPECT_EQ(fault.outcome.reason, Reason::kSubjectMemory);
    EXPECT_EQ(fault.address, at);
    EXPECT_EQ(fault.registers.rip, kCode + 17);
    EXPECT_FALSE(Subject::ends_at_counts(fault));
    EXPECT_EQ(subject_.pages(), 1);
  }
  EXPECT_TRUE(Subject::ends_at_counts(fault_at(kReport + offsetof(Report, counts))));
  expect_works();
  EXPECT_EQ(subject_.unexpected_mapping(), std::nullopt);
}

TEST_F(SubjectTest, SystemCallsOfItsProgramNeedTheKey) {
  // Calls subject_change_pages without the key, with a page to map: mov rbx, kStack; mov qword ptr
  // [rbx], 0x7000000; xor ebp, ebp; mov r15d, 1; xor r12d, r12d; xor r13d, r13d; jmp [report]
  const Fault fault = fault_of(
      "48bb00002000c75e000048c7030000000731ed41bf010000004531e44531ed"
      "48b80000"
      "2100c75e0000"
      "ff6018");
  static_assert(kStack == 0x5ec7'0020'0000 && kReport == 0x5ec7'0021'0000);
  static_assert(offsetof(Report, change_pages) == 0x18);
  EXPECT_EQ(fault.outcome.reason, Reason::kSubjectDamaged) << fault.outcome.detail;
  for (const std::string& range : mapped_ranges()) EXPECT_FALSE(range.starts_with("07000000"));
}

}  // namespace
}  // namespace assay::subject
