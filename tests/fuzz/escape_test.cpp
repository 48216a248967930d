// Blocks that write to assay's own memory in the subject: to every field and every area, told and
// untold. None may change what becomes of another block.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "profiler/subject/layout.h"
#include "profiler/support/error.h"
#include "tests/fuzz/attack.h"
#include "tests/fuzz/neighbours.h"
#include "tests/processor_at_hand.h"

namespace assay::fuzz {
namespace {

using subject::Report;
using subject::Request;

/// When a block does what it should not.
enum class When {
  kAlways,
  kFlushing,  ///< where MXCSR.FTZ is set, as it is in timed runs
  kLate,      ///< from its twentieth copy on, which no trace comes to
  kByTime,    ///< in one of sixteen copies, as the time-stamp counter has it
  kByState    ///< always, at an address that the initial state has in a register
};
constexpr std::array kAllWhens = {When::kAlways, When::kFlushing, When::kLate, When::kByTime,
                                  When::kByState};
constexpr std::array kNamesOfWhens = {"always", "by MXCSR", "late", "by the time", "by the state"};

struct Action {
  const char* what;
  const char* hex;  ///< on [rdx]
};
constexpr std::array kActions = {
    Action{"stores ones", "48c702ffffffff"},      // mov qword ptr [rdx], -1
    Action{"stores 0", "48c70200000000"},         // mov qword ptr [rdx], 0
    Action{"adds 1", "48830201"},                 // add qword ptr [rdx], 1
    Action{"stores its own address", "488912"}};  // mov [rdx], rdx

std::vector<std::uint64_t> targets() {
  std::vector<std::uint64_t> all;
  const auto add = [&](std::uint64_t first, std::uint64_t size, std::uint64_t step) {
    for (std::uint64_t at = 0; at + 8 <= size; at += step) all.push_back(first + at);
  };
  add(subject::kProgram, subject::kPageSize, 1024);
  add(subject::kRequest, offsetof(Request, kernel_entry) + 32, 8);
  add(subject::kRequest + offsetof(Request, counters), 64 + 256, 8);
  add(subject::kRequest + offsetof(Request, phase_mask), 64, 8);
  add(subject::kRequest + offsetof(Request, pages), 64, 8);
  add(subject::kStack, subject::kStackSize - 256, 0x1000);
  add(subject::kStackTop - 256, 256, 8);
  add(subject::kReport, offsetof(Report, readings) + 64, 8);
  add(subject::kReport + offsetof(Report, readings), sizeof(Report::readings), 0x1000);
  add(subject::kTrace, subject::kTraceSize, 0x1000);
  add(subject::kCode, subject::kCodeSize, 0x1'8000);
  all.push_back(subject::kCounterPages);
  return all;
}

/// A block that acts on an address of assay's own, when it is time, and on its own memory else.
BlockSpec attack(When when, const Action& action, std::uint64_t target) {
  if (when == When::kByState) return {bytes_from_hex(action.hex), fmt::format("rdx={:#x}", target)};
  // mov edx, kBase >> 20; shl rdx, 20; add rdx, target - kBase: no operand shows the address
  static_assert(subject::kBase >> 20 == 0x5ec'7000);
  std::string hex = "ba0070ec0548c1e2144881c2";
  const std::uint64_t offset = target - subject::kBase;
  for (int i = 0; i < 4; ++i) hex += fmt::format("{:02x}", offset >> 8 * i & 0xff);
  switch (when) {
    case When::kAlways:
    case When::kByState:
      break;
    case When::kFlushing:
      // stmxcsr [rbx + 0x3000]; mov ecx, [rbx + 0x3000]; test ecx, 0x8000; cmovz rdx, rbx
      hex += "0fae9b003000008b8b00300000f7c100800000480f44d3";
      break;
    case When::kLate:
      hex += "4983c0014983f814480f42d3";  // add r8, 1; cmp r8, 20; cmovb rdx, rbx
      break;
    case When::kByTime:
      // mov rcx, rdx; rdtsc; mov rdx, rcx; test eax, 0x3c0; cmovnz rdx, rbx
      hex += "4889d10f314889caa9c0030000480f45d3";
      break;
  }
  return {bytes_from_hex(hex + action.hex), when == When::kLate ? "r8=0" : ""};
}

class Escape : public testing::TestWithParam<Notion> {};

TEST_P(Escape, ChangesNothingOfAnotherBlock) {
  std::unique_ptr<Profiler> profiler;
  try {
    profiler = std::make_unique<Profiler>(quick_settings(), processor_at_hand());
  } catch (const EnvironmentError& error) {
    GTEST_SKIP() << error.what();
  }
  const Neighbours neighbours(*profiler);
  std::uint64_t tried_in_all = 0;
  for (const When when : kAllWhens) {
    int tried = 0;
    int found = 0;
    for (const Action& action : kActions) {
      for (const std::uint64_t target : targets()) {
        const Measurement measurement = profiler->measure(attack(when, action, target), GetParam());
        const Reason reason = measurement.outcome.reason;
        ++tried;
        found += measurement.outcome.measured() ? 0 : 1;
        const std::string what = fmt::format("{} at {:#x}, {}", action.what, target,
                                             kNamesOfWhens.at(static_cast<std::size_t>(when)));
        // What depends on the time alone may not be seen, and spoils the block's own readings. What
        // sets back the number of runs goes on until the time is up.
        if (when != When::kByTime) {
          EXPECT_TRUE(reason == Reason::kSubjectMemory || reason == Reason::kSubjectDamaged ||
                      reason == Reason::kTimeLimit)
              << what << ": " << name(reason) << " " << measurement.outcome.detail;
        }
        for (int i = 0; i < 3; ++i) {
          const auto wrong = neighbours.check(*profiler, tried_in_all++);
          ASSERT_FALSE(wrong) << what << ": " << *wrong;
        }
      }
    }
    const auto wrong = neighbours.check_all(*profiler);
    ASSERT_FALSE(wrong) << *wrong;
    fmt::print("{:>12}: {} tried, {} without a number, 0 that changed another block\n",
               kNamesOfWhens.at(static_cast<std::size_t>(when)), tried, found);
  }
}

/// What becomes of single blocks that write to assay's memory at an address of the state's.
class EscapeByState : public testing::TestWithParam<Notion> {
 protected:
  void SetUp() override {
    try {
      profiler_ = std::make_unique<Profiler>(quick_settings(), processor_at_hand());
    } catch (const EnvironmentError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  Outcome outcome_of(const std::string& hex, const std::string& state) {
    return profiler_->measure({bytes_from_hex(hex), state}, GetParam()).outcome;
  }

  std::unique_ptr<Profiler> profiler_;
};

TEST_P(EscapeByState, IsSeenWhereATraceIsWiped) {
  // 73 NOPs; fxsave64 [rbx]: stores other values than addresses over the records of all copies.
  std::string hex;
  for (int i = 0; i < 73; ++i) hex += "90";
  const Outcome outcome =
      outcome_of(hex + "480fae03", fmt::format("rbx={:#x}", subject::kTrace - 160));
  EXPECT_EQ(outcome.reason, Reason::kSubjectMemory) << outcome.detail;
}

TEST_P(EscapeByState, IsSeenWhereASegmentIsNoOperands) {
  const std::uint64_t offset = subject::kReport + 0xf000 - bhive_initial_state().segment_base;
  for (const char* const hex : {"640f01fc", "650f01fc", "642e0f01fc"}) {  // clzero at fs:[rax]
    const Outcome outcome = outcome_of(hex, fmt::format("bhive rax={:#x}", offset));
    // Not every core has it.
    EXPECT_TRUE(outcome.reason == Reason::kSubjectMemory ||
                outcome.reason == Reason::kUnsupportedInstruction)
        << hex << ": " << name(outcome.reason) << " " << outcome.detail;
  }
}

INSTANTIATE_TEST_SUITE_P(Notions, EscapeByState,
                         testing::Values(Notion::kUnrolled, Notion::kLooped),
                         [](const auto& value) { return std::string(name(value.param)); });
INSTANTIATE_TEST_SUITE_P(Notions, Escape, testing::Values(Notion::kUnrolled, Notion::kLooped),
                         [](const auto& value) { return std::string(name(value.param)); });

}  // namespace
}  // namespace assay::fuzz
