#include "profiler/codegen/readings.h"

#include <cstddef>

#include "profiler/machine/features.h"
#include "profiler/subject/layout.h"

namespace assay {
namespace {

using enum GeneralRegister;

constexpr std::uint64_t kCounts = subject::kReport + offsetof(subject::Report, counts);
constexpr int kFirstHighVector = 16;

}  // namespace

/// Reads the counter or the time-stamp counter; leaves the reading in EAX.
void ReadingWriter::write_read(std::size_t reading) {
  reads_.by_rdpmc() ? write_counter(reading) : write_stamps();
}

void ReadingWriter::write_counter(std::size_t reading) {
  // RDPMC does not wait for the instructions in front of it, so that it could overtake the reading
  // before.
  if (reading > 0) code_.lfence();
  code_.move_immediate(kRcx, reads_.counters[reading]);
  code_.rdpmc();
}

void ReadingWriter::write_stamps() {
  const TimeStamps& stamps = reads_.stamps;
  code_.rdtsc();
  if (stamps.count == 1) return;
  code_.move_low_half(kRcx, kRax);
  for (int i = 1; i < stamps.count; ++i) {
    for (int j = 0; j < stamps.spacing; ++j) code_.square_low_half(kRdx);
    code_.lfence();
    code_.rdtsc();
    code_.add_low_half(kRcx, kRax);
  }
  code_.move_low_half(kRax, kRcx);
}

std::size_t ReadingWriter::first_bound(const Reads& reads) {
  constexpr std::size_t kResult = 19;
  constexpr std::size_t kStamp = 12;
  constexpr std::size_t kSquare = 3;
  const auto stamps = static_cast<std::size_t>(reads.stamps.count - 1);
  const auto spacing = static_cast<std::size_t>(reads.stamps.spacing);
  return kResult * reads.results() + stamps * (kStamp + spacing * kSquare);
}

std::size_t ReadingWriter::second_bound(const Reads& reads) {
  constexpr std::size_t kMore = 48;  // for each result: computing its difference, storing it
  return first_bound(reads) + kMore * reads.results();
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
      // The difference waits in the keeper: nothing may be stored before the last reading.
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
    // Every kernel leaves the registers from XMM16 on as it found them: zero.
    if (keeper.vector >= kFirstHighVector) code_.zero_high_vector(keeper.vector);
  }
}

}  // namespace assay
