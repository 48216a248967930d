#pragma once

#include <cstdint>
#include <span>

#include "profiler/codegen/emitter.h"
#include "profiler/codegen/reads.h"
#include "profiler/codegen/spare_registers.h"

namespace assay {

/// The code that reads the clock, or counters, before and behind the copies of a block. From the
/// first reading to the last it accesses no memory. What it was made with must outlive it.
class ReadingWriter {
 public:
  /// There must be as many `keepers` as results. The instructions are RDPMC or RDTSC (Intel SDM
  /// volume 2 and AMD APM volume 3).
  ReadingWriter(const Reads& reads, std::span<const Keeper> keepers, Emitter& code)
      : reads_(reads), keepers_(keepers), code_(code) {}

  /// The most bytes that write_first() and write_second() take.
  static std::size_t first_bound(const Reads& reads);
  static std::size_t second_bound(const Reads& reads);

  /// Takes one reading after the other, each behind an LFENCE, and moves it to its keeper. Changes
  /// RAX, RDX, the flags and, if Reads::use_rcx(), RCX. Code that is written behind it may start to
  /// execute before the last reading is complete.
  void write_first();
  /// Takes the readings in the same order, each behind an LFENCE and followed by its difference,
  /// modulo 2^32, from the first one; then LFENCE; then stores the differences in the control
  /// area's `counts`. Changes RAX, RDX, the flags and, if Reads::use_rcx(), RCX.
  void write_second();

 private:
  void write_read(std::size_t reading);
  void write_counter(std::size_t reading);
  void write_stamps();

  Reads reads_;
  std::span<const Keeper> keepers_;
  Emitter& code_;
};

}  // namespace assay
