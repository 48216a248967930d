#include "tests/fuzz/neighbours.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace assay::fuzz {
namespace {

struct KnownBlock {
  const char* what;
  Bytes bytes;
  Reason prepared;  ///< its reason when it is measured up to preparing
};

/// Divides by 1 if RCX is 0, else by 0: neg rcx; sbb ecx, ecx; inc ecx; xor edx, edx; div ecx.
constexpr const char* kFaultUnlessZero = "48f7d919c9ffc131d2f7f1";

/// Faults unless what `hex` leaves in RCX is this word: mov rdx, word; xor rcx, rdx.
Bytes faults_unless(const std::string& hex, std::uint64_t word) {
  Bytes bytes = bytes_from_hex(hex + "48ba");
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(word >> 8 * i));
  const Bytes rest = bytes_from_hex(std::string("4831d1") + kFaultUnlessZero);
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return bytes;
}

std::vector<KnownBlock> known_blocks() {
  const InitialState state = distinct_initial_state();
  const auto block = [](const char* what, const std::string& hex, Reason prepared) {
    return KnownBlock{what, bytes_from_hex(hex), prepared};
  };
  return {
      block("an addition", "4801d8", Reason::kStopped),        // add rax, rbx
      block("a load", "488b03", Reason::kStopped),             // mov rax, [rbx]
      block("pushes and pops", "50535b58", Reason::kStopped),  // push, push, pop, pop
      block("a walk", "4883c408415c415d", Reason::kStopped),   // add rsp, 8; pop r12; pop r13
      block("page aliasing", "488b03488b8b00100000", Reason::kStopped),  // [rbx], [rbx + 4096]
      // mov rcx, [rbx]; [rbx + 0x40000]; [rsp - 4096]
      {"memory", faults_unless("488b0b", state.memory_word), Reason::kStopped},
      {"memory far off", faults_unless("488b8b00000400", state.memory_word), Reason::kStopped},
      {"memory below RSP", faults_unless("488b8c2400f0ffff", state.memory_word), Reason::kStopped},
      // pushfq; pop rcx; and ecx, 0x47500 (AC, NT, DF, TF, IOPL but for IF and OF)
      block("flags", std::string("9c5981e100750400") + kFaultUnlessZero, Reason::kStopped),
      // stmxcsr [rbx]; mov ecx, [rbx]; and ecx, 0x7f80; xor ecx, 0x1f80
      block("MXCSR", std::string("0fae1b8b0b81e1807f000081f1801f0000") + kFaultUnlessZero,
            Reason::kStopped),
      // fnstcw [rbx]; movzx ecx, word ptr [rbx]; xor ecx, 0x37f
      block("the x87 control word", std::string("d93b0fb70b81f17f030000") + kFaultUnlessZero,
            Reason::kStopped),
      // fld1; fstp st(0): overflows where the x87 stack is not empty
      block("the x87 stack", "d9e8ddd8", Reason::kStopped),
      // movq rcx, xmm7; mov rdx, xmm7's word; xor rcx, rdx
      // movq rcx, xmm7
      {"a vector register", faults_unless("66480f7ef9", state.vector_word), Reason::kStopped},
      // movq rcx, mm0; movq rcx, mm7
      {"an MMX register", faults_unless("480f7ec1", state.vector_word), Reason::kStopped},
      {"another MMX register", faults_unless("480f7ef9", state.vector_word), Reason::kStopped},
      // xor ecx, ecx; div ecx
      block("a division by zero", "31c9f7f1", Reason::kArithmeticFault),
  };
}

const std::vector<KnownBlock>& blocks() {
  static const std::vector<KnownBlock> kBlocks = known_blocks();
  return kBlocks;
}

constexpr std::array kBothNotions = {Notion::kUnrolled, Notion::kLooped};

Measurement measure(Profiler& profiler, std::size_t number) {
  return profiler.measure({blocks().at(number / kBothNotions.size()).bytes},
                          kBothNotions.at(number % kBothNotions.size()), {.last = Stage::kPrepare});
}

/// How many copies a slow block has depends on how long it took, and is left out.
std::string facts_of(const Measurement& measurement) {
  return fmt::format("{} ({}), {} pages, state {}, loop end {}, traits {}",
                     name(measurement.outcome.reason), measurement.outcome.detail,
                     measurement.pages, measurement.initial_state, measurement.loop_end,
                     to_string(measurement.traits));
}

}  // namespace

Neighbours::Neighbours(Profiler& profiler) {
  for (std::size_t i = 0; i < blocks().size() * kBothNotions.size(); ++i) {
    const Measurement measurement = measure(profiler, i);
    facts_.push_back(facts_of(measurement));
    const KnownBlock& block = blocks()[i / kBothNotions.size()];
    if (measurement.outcome.reason == block.prepared) continue;
    throw std::runtime_error(fmt::format("{} comes to {}", block.what, facts_.back()));
  }
}

std::optional<std::string> Neighbours::check(Profiler& profiler, std::uint64_t number) const {
  const std::size_t at = number % facts_.size();
  const std::string facts = facts_of(measure(profiler, at));
  if (facts == facts_[at]) return std::nullopt;
  return fmt::format("{}, {}, is now\n  {}, and was\n  {}", blocks()[at / kBothNotions.size()].what,
                     name(kBothNotions.at(at % kBothNotions.size())), facts, facts_[at]);
}

std::optional<std::string> Neighbours::check_all(Profiler& profiler) const {
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    if (auto wrong = check(profiler, i)) return wrong;
  }
  return std::nullopt;
}

}  // namespace assay::fuzz
