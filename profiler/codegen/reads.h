#pragma once

#include <concepts>
#include <cstdint>
#include <span>

namespace assay {

/// For each counter what RDPMC takes in ECX, at most subject::kMaxCounters.
using CounterIndices = std::span<const std::uint32_t>;

/// How a kernel reads the time-stamp counter: `count` times in a row, and the readings are added
/// up. Some counters step by tens of cycles. Stamps that lie at different phases of such a step
/// tell together where between two steps they began: the rule of a vernier. Each stamp is right on
/// average, whatever the spacing, and so is their sum; a good spacing only narrows its scatter.
struct TimeStamps {
  int count = 1;  ///< 1 to 8
  /// Three-cycle instructions from stamp to stamp, beside LFENCE and RDTSC; to 32.
  int spacing = 0;
};

/// What a kernel reads before its copies and behind them: counters by RDPMC; or, if there are none,
/// the time-stamp counter by RDTSC.
struct Reads {
  Reads() = default;
  Reads(const TimeStamps& how) : stamps(how) {}
  template <std::convertible_to<CounterIndices> Indices>
  Reads(const Indices& indices) : counters(indices) {}

  bool by_rdpmc() const { return !counters.empty(); }
  /// Results that a run stores.
  std::size_t results() const { return by_rdpmc() ? counters.size() : 1; }
  /// Whether reading takes RCX too, beside RAX and RDX.
  bool use_rcx() const { return by_rdpmc() || stamps.count > 1; }

  CounterIndices counters;  ///< not owned
  TimeStamps stamps;
};

}  // namespace assay
