#pragma once

#include <cstdint>
#include <span>

#include "profiler/codegen/emitter.h"
#include "profiler/codegen/reads.h"
#include "profiler/codegen/spare_registers.h"

namespace assay {

/// The code that reads the clock, or counters, before and behind the copies of a block. Nothing in
/// it accesses memory between the first instruction that reads and the last but what is said below.
/// What it was made with must outlive it.
class ReadingWriter {
 public:
  /// `keepers`: as many as there are results. RDPMC and RDTSC: Intel SDM volume 2 and AMD APM
  /// volume 3.
  ReadingWriter(const Reads& reads, std::span<const Keeper> keepers, Emitter& code)
      : reads_(reads), keepers_(keepers), code_(code) {}

  /// Bytes that write_first() and write_second() take at most.
  static std::size_t first_bound(const Reads& reads);
  static std::size_t second_bound(const Reads& reads);

  /// One reading after the other, each behind an LFENCE and into its keeper. Changes RAX, RDX and,
  /// if Reads::use_rcx(), RCX, and the flags. What is written behind it may run before the last
  /// reading ends.
  void write_first();
  /// The readings in the same order, each behind an LFENCE and followed by its difference, modulo
  /// 2^32, from the first one; LFENCE; stores them in the control area's `counts`. Changes flags,
  /// RAX, RDX and, if Reads::use_rcx(), RCX.
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
