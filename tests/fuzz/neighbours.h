#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/protocol/profiler.h"

namespace assay::fuzz {

/// Known blocks, which are measured behind others, short of timing: what these have done must not
/// show in what a known block's value depends on. They read the flags, MXCSR, the x87 unit, and
/// memory near and far, and are rejected or fail if these are not as they should be; others are
/// there for their pages, traits and copies.
class Neighbours {
 public:
  /// Learns from the profiler, which must not have measured anything before, what becomes of each.
  /// Throws std::runtime_error if that is not what should.
  explicit Neighbours(Profiler& profiler);

  std::size_t count() const { return facts_.size(); }
  /// Measures a known block again, by its number (modulo count()). Returns what is not as it was.
  std::optional<std::string> check(Profiler& profiler, std::uint64_t number) const;
  /// Measures all of them again.
  std::optional<std::string> check_all(Profiler& profiler) const;

 private:
  std::vector<std::string> facts_;  ///< of each block, under one notion and then the other
};

}  // namespace assay::fuzz
