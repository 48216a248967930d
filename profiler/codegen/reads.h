#pragma once

#include <concepts>
#include <cstdint>
#include <span>

namespace assay {

/// What RDPMC takes in ECX for each counter; at most subject::kMaxCounters.
using CounterIndices = std::span<const std::uint32_t>;

/// How a kernel reads the time-stamp counter: `count` times in a row, adding up the readings. Some
/// counters advance in steps of tens of cycles. Stamps taken at different phases of such a step
/// together tell where between two steps they began, as a vernier does. Each stamp is right on
/// average, whatever the spacing, and so is their sum; a good spacing only narrows its scatter.
struct TimeStamps {
  int count = 1;  ///< 1 to 8
  /// How many three-cycle instructions stand between two stamps, beside LFENCE and RDTSC: 0 to 32.
  int spacing = 0;
};

/// What a kernel reads before and behind its copies: counters by RDPMC or, if there are none, the
/// time-stamp counter by RDTSC.
struct Reads {
  Reads() = default;
  Reads(const TimeStamps& how) : stamps(how) {}
  template <std::convertible_to<CounterIndices> Indices>
  Reads(const Indices& indices) : counters(indices) {}

  bool by_rdpmc() const { return !counters.empty(); }
  /// How many results a run stores.
  std::size_t results() const { return by_rdpmc() ? counters.size() : 1; }
  /// Whether a reading overwrites RCX, in addition to RAX and RDX.
  bool use_rcx() const { return by_rdpmc() || stamps.count > 1; }

  CounterIndices counters;  ///< not owned
  TimeStamps stamps;
};

}  // namespace assay
