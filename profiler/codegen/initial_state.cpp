#include "profiler/codegen/initial_state.h"

namespace assay {
namespace {

constexpr std::uint64_t kAddress = 0x1234'5600;
// As a double 1.0000002; as two floats 1.0 (low) and 1.875 (high).
constexpr std::uint64_t kVectorWord = 0x3ff0'0000'3f80'0000;
constexpr std::uint32_t kAllMasked = 0x1f80;
constexpr std::uint32_t kFlushToZero = 0x8000;
constexpr std::uint32_t kDenormalsAreZero = 0x0040;

}  // namespace

InitialState bhive_initial_state() {
  InitialState state;
  state.general.fill(kAddress);
  state.memory_word = kAddress;
  state.segment_base = kAddress;
  state.vector_word = kVectorWord;
  state.mxcsr = kAllMasked | kFlushToZero | kDenormalsAreZero;
  return state;
}

}  // namespace assay
