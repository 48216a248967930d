#include "profiler/codegen/initial_state.h"

#include <algorithm>
#include <iterator>

#include "profiler/subject/layout.h"
#include "profiler/support/cache_line.h"

namespace assay {
namespace {

using enum GeneralRegister;

constexpr std::uint64_t kBhiveAddress = 0x1234'5600;
constexpr std::uint64_t kPage = 0x0123'4000;
constexpr std::uint64_t kHighPage = 0x1234'0000'1000;

/// Which line of its page each register of `distinct` points to, indexed by GeneralRegister.
constexpr std::array<std::uint64_t, kGeneralRegisters> kLines = {
    15, 9,  3,  21, 36, 47, 12, 6,   // RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI
    18, 24, 30, 56, 27, 33, 50, 53,  // R8 to R15
};
constexpr std::uint64_t kMemoryLine = 59;
static_assert(64 * kCacheLine == subject::kPageSize);

/// A number that is small, not 0, and keeps an address aligned if it is added to the address.
constexpr std::uint64_t kNumber = 64;
constexpr std::uint64_t kNumberWord = kNumber << 32 | kNumber;

// This word is 1.0000002 as a double, and 1.0 (low) and 1.875 (high) as two floats.
constexpr std::uint64_t kVectorWord = 0x3ff0'0000'3f80'0000;

std::uint64_t& at(InitialState& state, GeneralRegister reg) {
  return state.general.at(static_cast<std::size_t>(reg));
}

InitialState state_of_vectors(std::string_view name) {
  InitialState state;
  state.name = name;
  state.vector_word = kVectorWord;
  state.mxcsr = kAllMasked | kFlushToZero | kDenormalsAreZero;
  return state;
}

InitialState distinct_in(std::uint64_t page, std::uint64_t memory_word, std::string_view name) {
  InitialState state = state_of_vectors(name);
  std::ranges::transform(kLines, state.general.begin(),
                         [&](std::uint64_t line) { return page + line * kCacheLine; });
  state.segment_base = page;
  state.memory_word = memory_word;
  return state;
}

InitialState apart_initial_state(std::string_view name) {
  InitialState state = distinct_in(kHighPage, kHighPage + kMemoryLine * kCacheLine, name);
  constexpr std::uint64_t kAbove = 2 * subject::kPageSize;
  constexpr std::uint64_t kReturnAddress = 8;  // RSP is as on entry to a function
  at(state, kRsp) += kAbove + kReturnAddress;
  return state;
}

InitialState numbers_initial_state(std::string_view name) {
  InitialState state = apart_initial_state(name);
  state.memory_word = kNumberWord;
  for (const GeneralRegister reg : {kRax, kRcx, kRdx}) at(state, reg) = 0;
  return state;
}

InitialState upper_numbers_initial_state(std::string_view name) {
  InitialState state = apart_initial_state(name);
  state.memory_word = 0;
  std::fill(state.general.begin() + static_cast<int>(kR8), state.general.end(), kNumber);
  return state;
}

InitialState zero_initial_state(std::string_view name) {
  InitialState state = apart_initial_state(name);
  const std::uint64_t stack = at(state, kRsp);
  state.general.fill(0);
  at(state, kRsp) = stack;
  state.memory_word = 0;
  return state;
}

InitialState bhive_state(std::string_view name) {
  InitialState state = state_of_vectors(name);
  state.general.fill(kBhiveAddress);
  state.memory_word = kBhiveAddress;
  state.segment_base = kBhiveAddress;
  state.frames = 1;
  return state;
}

InitialState distinct_state(std::string_view name) {
  constexpr std::uint64_t kUpperHalf = kNumber << 32;
  InitialState state = distinct_in(kPage, kUpperHalf + kPage + kMemoryLine * kCacheLine, name);
  return state;
}

/// The distance between two addresses of `spaced`: twice the 64 pages that the smallest first-level
/// data TLB holds.
constexpr std::uint64_t kRoom = 128 * subject::kPageSize;

InitialState spaced_state(std::string_view name) {
  InitialState state = distinct_state(name);
  std::uint64_t room = 1;
  for (int i = 0; i < kGeneralRegisters; ++i) {
    const auto reg = static_cast<GeneralRegister>(i);
    if (reg != kRdx) at(state, reg) += kRoom * room++;
  }
  state.memory_word += kRoom * room++;
  state.segment_base += kRoom * room;
  return state;
}

struct Profile {
  std::string_view name;
  InitialState (*state)(std::string_view name);
};

constexpr std::array kProfiles = {
    Profile{"distinct", distinct_state},
    Profile{"bhive", bhive_state},
    Profile{"apart", apart_initial_state},
    Profile{"numbers", numbers_initial_state},
    Profile{"upper_numbers", upper_numbers_initial_state},
    Profile{"zero", zero_initial_state},
    Profile{"spaced", spaced_state},
};

using Names = std::span<const std::string_view>;

struct Ladder {
  Reason reason;
  Names states;
};

constexpr std::string_view kAll[] = {"apart", "numbers", "upper_numbers", "zero"};
// Each list below leaves out the states that do not remove the cause of its reasons, since trying
// them would only cost time.
constexpr std::string_view kWithPointers[] = {"apart", "numbers", "upper_numbers"};
constexpr std::string_view kWithNumbers[] = {"numbers", "upper_numbers", "zero"};
constexpr std::string_view kWithDivisors[] = {"numbers", "upper_numbers"};
constexpr std::string_view kOfOtherAlignment[] = {"apart", "zero"};

constexpr Ladder kLadders[] = {
    {Reason::kNullPage, kWithPointers},
    {Reason::kKernelAddress, kAll},
    {Reason::kNoncanonicalAddress, kAll},
    {Reason::kGeneralProtection, kAll},
    {Reason::kSubjectMemory, kAll},
    {Reason::kMisalignedAccess, kOfOtherAlignment},
    {Reason::kArithmeticFault, kWithDivisors},
    {Reason::kPageLimit, kWithNumbers},
    {Reason::kCacheReach, kWithNumbers},
    {Reason::kTlbReach, kWithNumbers},
};

}  // namespace

InitialState bhive_initial_state() { return bhive_state("bhive"); }
InitialState distinct_initial_state() { return distinct_state("distinct"); }

std::vector<std::string_view> initial_state_names() {
  std::vector<std::string_view> names;
  for (const Profile& profile : kProfiles) names.push_back(profile.name);
  return names;
}

std::optional<InitialState> initial_state_named(std::string_view name) {
  const auto found = std::ranges::find(kProfiles, name, &Profile::name);
  if (found == kProfiles.end()) return std::nullopt;
  return found->state(found->name);
}

InitialState with_overrides(InitialState state, const StateOverrides& overrides) {
  for (const auto& [reg, value] : overrides.registers) {
    at(state, reg) = value;
  }
  if (overrides.memory_word) state.memory_word = *overrides.memory_word;
  if (!overrides.code.empty()) state.code = overrides.code;
  if (overrides.frames) state.frames = *overrides.frames;
  return state;
}

std::span<const std::string_view> fallback_states(Reason reason) {
  const auto found = std::ranges::find(kLadders, reason, &Ladder::reason);
  return found == std::end(kLadders) ? Names() : found->states;
}

}  // namespace assay
