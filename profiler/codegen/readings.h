#pragma once

#include <cstdint>
#include <span>

#include "profiler/codegen/emitter.h"
#include "profiler/codegen/spare_registers.h"

namespace assay {

/// The code that reads the clock, or counters, before and behind the copies of a block. Nothing in
/// it accesses memory between the first instruction that reads and the last but what is said below.
/// What it was made with must outlive it.
class ReadingWriter {
 public:
  /// `counters`: what ECX holds for RDPMC, for each counter (Intel SDM volume 2 and AMD APM volume
  /// 3, "RDPMC"); none: the time-stamp counter, by RDTSC. `keepers`: as many, at least one.
  ReadingWriter(std::span<const std::uint32_t> counters, std::span<const Keeper> keepers,
                Emitter& code)
      : counters_(counters), keepers_(keepers), code_(code) {}

  /// Bytes that both write at most, for each counter.
  static constexpr std::size_t kFirstBound = 19;
  static constexpr std::size_t kSecondBound = 67;

  bool by_rdpmc() const { return !counters_.empty(); }
  /// One reading after the other, each behind an LFENCE and into its keeper. Changes RAX, RDX and,
  /// by RDPMC, RCX, but no flag. What is written behind it may run before the last reading ends.
  void write_first();
  /// The readings in the same order, each behind an LFENCE and followed by its difference, modulo
  /// 2^32, from the first one; LFENCE; stores them in the control area's `counts`. Changes flags,
  /// RAX, RDX and, by RDPMC, RCX.
  void write_second();

 private:
  void write_read(std::size_t reading);

  std::span<const std::uint32_t> counters_;
  std::span<const Keeper> keepers_;
  Emitter& code_;
};

}  // namespace assay
