#include "profiler/protocol/workbench.h"

#include <algorithm>
#include <bit>

#include "profiler/protocol/canary.h"
#include "profiler/protocol/reference.h"

namespace assay {

Workbench::Workbench(const TscProperties& clock) : clock_(clock), block_address_(subject::kCode) {
  add_companion(reference_chain(), {kReferenceSmallCopies, kReferenceLargeCopies});
  add_companion(canary_block(), {kCanarySmallCopies, kCanaryLargeCopies});
  restart();
}

void Workbench::add_companion(const Block& block, std::vector<std::int64_t> sizes) {
  auto kernel = std::get<Kernel>(unroll(block, sizes, bhive_initial_state(), block_address_));
  block_address_ = behind(kernel);
  companion_entries_.insert(companion_entries_.end(), kernel.entries.begin(), kernel.entries.end());
  companions_.push_back(std::move(kernel));
}

std::uint64_t Workbench::behind(const Kernel& kernel) {
  constexpr std::uint64_t kLine = 64;
  return (kernel.start + kernel.code.size() + kLine - 1) / kLine * kLine;
}

void Workbench::restart() {
  subject_.reset();
  subject_ = std::make_unique<subject::Subject>();
  for (const Kernel& kernel : companions_) load(kernel);
  ++subjects_started_;
}

void Workbench::load(const Kernel& kernel) {
  subject_->load_code(kernel.start - subject::kCode, kernel.code);
}

/// Delays of up to two steps of the clock, in turns of about a core cycle each, which is about a
/// tick. They need not be a multiple of the step: each adds to those before, and their sum, modulo
/// the step, is soon as likely to be anything as anything else.
std::uint32_t Workbench::phase_mask() const {
  constexpr std::uint32_t kLeast = 32;
  return std::bit_ceil(std::max(kLeast, 2 * clock_.granularity)) - 1;
}

subject::SeriesResult Workbench::run(const Job& job, const Round& round, std::uint32_t rounds,
                                     const subject::Limits& limits) {
  const std::vector<std::uint64_t>& own = job.kernel.entries;
  std::vector<std::uint64_t> entries;
  std::uint64_t refill_mask = 0;
  for (const Turn& turn : round) {
    const auto slot = static_cast<std::size_t>(turn.slot);
    const bool companion = slot >= kBlockSlots;
    if (!companion && job.writes_memory) refill_mask |= 1ULL << entries.size();
    entries.push_back(companion ? companion_entries_[slot - kBlockSlots]
                                : own.at(own.size() + slot - kBlockSlots));
  }
  return subject_->run({entries, rounds, refill_mask, job.state.memory_word, job.state.segment_base,
                        phase_mask(), job.state.frames},
                       limits);
}

}  // namespace assay
