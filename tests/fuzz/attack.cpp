#include "tests/fuzz/attack.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/block/text.h"
#include "tests/fuzz/invariants.h"

namespace assay::fuzz {
namespace {

using std::chrono::milliseconds;

/// The largest number of mapped ranges of a subject: its own memory, stack, code and counter pages,
/// the vsyscall page, and what a probe maps.
constexpr std::size_t kMostMappings = 32;

struct Probe {
  const char* what;
  const char* hex;
  Reason prepared;  ///< its reason when it is measured up to preparing
};

// Known blocks. Those about a part of the processor's state divide by 1 if it is as it should be,
// and by 0 if not.
constexpr Probe kProbes[] = {
    // add rax, rbx
    {"an addition", "4801d8", Reason::kStopped},
    // mov rax, [rbx]
    {"a load", "488b03", Reason::kStopped},
    // pushfq; pop rcx; and ecx, 0x47500 (AC, NT, DF, TF, IOPL but for IF and OF); neg ecx;
    // sbb ecx, ecx; inc ecx; xor edx, edx; div ecx
    {"flags", "9c5981e100750400f7d919c9ffc131d2f7f1", Reason::kStopped},
    // stmxcsr [rbx]; mov ecx, [rbx]; and ecx, 0x7f80; xor ecx, 0x1f80; neg; sbb; inc; div as above
    {"MXCSR", "0fae1b8b0b81e1807f000081f1801f0000f7d919c9ffc131d2f7f1", Reason::kStopped},
    // fnstcw [rbx]; movzx ecx, word ptr [rbx]; xor ecx, 0x37f; the same
    {"the x87 control word", "d93b0fb70b81f17f030000f7d919c9ffc131d2f7f1", Reason::kStopped},
    // fld1; fstp st(0): overflows where the x87 stack is not empty
    {"the x87 stack", "d9e8ddd8", Reason::kStopped},
    // xor ecx, ecx; div ecx
    {"a division by zero", "31c9f7f1", Reason::kArithmeticFault},
};

/// Whether a block that runs and is steady may have this reason: on a busy machine not all are
/// measured.
bool may_become_of_steady_block(Reason reason) {
  return reason == Reason::kNone || reason == Reason::kInterference ||
         reason == Reason::kUnstable || reason == Reason::kNoSteadyState;
}

std::string describe(const Input& input, std::uint64_t seed, std::uint64_t number) {
  return fmt::format("seed {}, number {}, {}, {}: {}\n({})", seed, number, name(input.kind),
                     name(input.notion), hex_from_bytes(input.bytes), text_of(input.bytes));
}

}  // namespace

Settings quick_settings() {
  Settings settings;
  settings.target_instructions = 100;
  settings.page_limit = 24;
  settings.time_limit = milliseconds(20);
  settings.target_relative = 0.1;
  settings.accept_relative = 0.3;
  settings.sampling_budget = milliseconds(1);
  settings.visit_patience = milliseconds(5);
  settings.validation = false;
  return settings;
}

Attack::Attack(const InputSource& source, std::uint64_t seed, int processor)
    : source_(source), seed_(seed), profiler_(settings_, processor), before_(host_state()) {}

std::optional<std::string> Attack::run(std::uint64_t number) {
  const Input input = source_.input(number);
  const std::string what = fmt::format("seed {}, number {}, {}: {}", seed_, number,
                                       name(input.notion), hex_from_bytes(input.bytes));
  watchdog_.watch(what);
  const auto start = std::chrono::steady_clock::now();
  const Measurement measurement = profiler_.measure({input.bytes}, input.notion);
  const auto taken = std::chrono::steady_clock::now() - start;
  watchdog_.rest();
  ++figures_.inputs;
  ++figures_.by_kind.at(static_cast<std::size_t>(input.kind));
  ++figures_.by_reason[measurement.outcome.reason];
  if (taken > figures_.slowest) {
    figures_.slowest = taken;
    figures_.slowest_number = number;
  }
  const auto wrong = violation(input, settings_, measurement);
  if (!wrong) return std::nullopt;
  return fmt::format("{}\n{} {} {}\n{}", *wrong, name(measurement.outcome.verdict()),
                     name(measurement.outcome.reason), measurement.outcome.detail,
                     describe(input, seed_, number));
}

std::optional<std::string> Attack::check_surroundings() {
  constexpr std::string_view kWhat = "known blocks";
  watchdog_.watch(kWhat);
  auto wrong = check_known_blocks();
  watchdog_.rest();
  if (wrong) return wrong;
  const std::string changed = difference(before_, host_state());
  if (!changed.empty()) return changed;
  const std::vector<pid_t> subjects = children();
  if (subjects.size() != 1) return fmt::format("{} children beside the subject", subjects.size());
  if (mappings(subjects[0]) > kMostMappings) {
    return fmt::format("the subject has {} mapped ranges", mappings(subjects[0]));
  }
  return std::nullopt;
}

std::optional<std::string> Attack::check_known_blocks() {
  for (const Probe& probe : kProbes) {
    const Measurement measurement = profiler_.measure({bytes_from_hex(probe.hex)},
                                                      Notion::kUnrolled, {.last = Stage::kPrepare});
    if (measurement.outcome.reason != probe.prepared) {
      return fmt::format("{} now comes to {}, {}", probe.what, name(measurement.outcome.reason),
                         measurement.outcome.detail);
    }
  }
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    const Measurement measurement = profiler_.measure({bytes_from_hex("4801d8")}, notion);
    if (may_become_of_steady_block(measurement.outcome.reason)) continue;
    return fmt::format("a steady block ({}) is now {}, {}", name(notion),
                       name(measurement.outcome.reason), measurement.outcome.detail);
  }
  return std::nullopt;
}

}  // namespace assay::fuzz
