#include "profiler/codegen/readings.h"

#include <cstddef>

#include "profiler/machine/features.h"
#include "profiler/subject/layout.h"

namespace assay {
namespace {

using enum GeneralRegister;

constexpr std::uint64_t kCounts = subject::kControl + offsetof(subject::Control, counts);
constexpr int kFirstHighVector = 16;

}  // namespace

void ReadingWriter::write_read(std::size_t reading) {
  if (by_rdpmc()) {
    // RDPMC does not wait for what stands in front of it, the reading before included.
    if (reading > 0) code_.lfence();
    code_.move_immediate(kRcx, counters_[reading]);
    code_.rdpmc();
  } else {
    code_.rdtsc();
  }
}

void ReadingWriter::write_first() {
  code_.lfence();
  for (std::size_t i = 0; i < keepers_.size(); ++i) {
    write_read(i);
    if (keepers_[i].general) {
      code_.move_low_half(*keepers_[i].general, kRax);
    } else {
      code_.move_eax_to_vector(keepers_[i].vector, features().avx);
    }
  }
}

void ReadingWriter::write_second() {
  const bool vex = features().avx;
  code_.lfence();
  for (std::size_t i = 0; i < keepers_.size(); ++i) {
    write_read(i);
    const Keeper& keeper = keepers_[i];
    if (keeper.general) {
      code_.subtract_low_half(kRax, *keeper.general);
      code_.move_low_half(*keeper.general, kRax);
    } else {
      code_.move_vector_to_low_half(kRdx, keeper.vector, vex);
      code_.subtract_low_half(kRax, kRdx);
      code_.move_eax_to_vector(keeper.vector, vex);
    }
  }
  code_.lfence();
  for (std::size_t i = 0; i < keepers_.size(); ++i) {
    const Keeper& keeper = keepers_[i];
    if (!keeper.general) code_.move_vector_to_low_half(kRax, keeper.vector, vex);
    code_.store_low_half(keeper.general.value_or(kRax), kCounts + i * sizeof(std::uint32_t));
    // Every kernel leaves these as it found them: zero.
    if (keeper.vector >= kFirstHighVector) code_.zero_high_vector(keeper.vector);
  }
}

}  // namespace assay
