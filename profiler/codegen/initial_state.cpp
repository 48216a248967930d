#include "profiler/codegen/initial_state.h"

#include <algorithm>

namespace assay {
namespace {

using enum GeneralRegister;

constexpr std::uint64_t kBhiveAddress = 0x1234'5600;
constexpr std::uint64_t kPage = 0x0123'4000;
constexpr std::uint64_t kHighPage = 0x1234'0000'1000;
constexpr std::uint64_t kLine = 64;

/// The line of its page that each register of `distinct` points to, by GeneralRegister.
constexpr std::array<std::uint64_t, kGeneralRegisters> kLines = {
    15, 9,  3,  21, 36, 47, 12, 6,   // RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI
    18, 24, 30, 56, 27, 33, 50, 53,  // R8 to R15
};
constexpr std::uint64_t kMemoryLine = 59;

/// In both halves of a memory word: a number that is small, not 0, and that pointers and vectors
/// stay aligned by.
constexpr std::uint64_t kNumber = 64;
constexpr std::uint64_t kNumberWord = kNumber << 32 | kNumber;

// As a double 1.0000002; as two floats 1.0 (low) and 1.875 (high).
constexpr std::uint64_t kVectorWord = 0x3ff0'0000'3f80'0000;
constexpr std::uint32_t kAllMasked = 0x1f80;
constexpr std::uint32_t kFlushToZero = 0x8000;
constexpr std::uint32_t kDenormalsAreZero = 0x0040;

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
                         [&](std::uint64_t line) { return page + line * kLine; });
  state.segment_base = page;
  state.memory_word = memory_word;
  return state;
}

InitialState numbers_initial_state() { return distinct_in(kHighPage, kNumberWord, "numbers"); }

InitialState zero_initial_state() {
  InitialState state = distinct_in(kPage, 0, "zero");
  for (int i = 0; i < kGeneralRegisters; ++i) {
    if (static_cast<GeneralRegister>(i) != kRsp) state.general.at(i) = 0;
  }
  return state;
}

InitialState upper_initial_state() {
  InitialState state = distinct_in(kPage, kNumberWord, "upper");
  std::fill(state.general.begin() + static_cast<int>(kR8), state.general.end(), kNumber);
  return state;
}

struct Profile {
  std::string_view name;
  InitialState (*state)();
};

constexpr std::array kProfiles = {
    Profile{"distinct", distinct_initial_state}, Profile{"bhive", bhive_initial_state},
    Profile{"numbers", numbers_initial_state},   Profile{"zero", zero_initial_state},
    Profile{"upper", upper_initial_state},
};

constexpr std::array<std::string_view, 4> kLadder = {"numbers", "zero", "upper", "bhive"};

}  // namespace

InitialState bhive_initial_state() {
  InitialState state = state_of_vectors("bhive");
  state.general.fill(kBhiveAddress);
  state.memory_word = kBhiveAddress;
  state.segment_base = kBhiveAddress;
  return state;
}

InitialState distinct_initial_state() {
  constexpr std::uint64_t kUpperHalf = kNumber << 32;
  return distinct_in(kPage, kUpperHalf + kPage + kMemoryLine * kLine, "distinct");
}

std::vector<std::string_view> initial_state_names() {
  std::vector<std::string_view> names;
  for (const Profile& profile : kProfiles) names.push_back(profile.name);
  return names;
}

std::optional<InitialState> initial_state_named(std::string_view name) {
  const auto found = std::ranges::find(kProfiles, name, &Profile::name);
  if (found == kProfiles.end()) return std::nullopt;
  return found->state();
}

InitialState with_overrides(InitialState state, const StateOverrides& overrides) {
  for (const auto& [reg, value] : overrides.registers) {
    state.general.at(static_cast<std::size_t>(reg)) = value;
  }
  if (overrides.memory_word) state.memory_word = *overrides.memory_word;
  if (!overrides.code.empty()) state.code = overrides.code;
  if (overrides.frames) state.frames = *overrides.frames;
  return state;
}

std::span<const std::string_view> fallback_states(Reason reason) {
  switch (reason) {
    case Reason::kNullPage:
    case Reason::kKernelAddress:
    case Reason::kNoncanonicalAddress:
    case Reason::kMisalignedAccess:
    case Reason::kSubjectMemory:
    case Reason::kArithmeticFault:
    case Reason::kPageLimit:
      return kLadder;
    default:
      return {};
  }
}

}  // namespace assay
