#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

namespace assay::fuzz {

/// Random numbers that are the same on every machine. The standard defines the engine exactly, but
/// not its distributions, so none are used here.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t word() { return engine_(); }
  /// A number from 0 to `bound` - 1; 0 if `bound` is 0.
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : engine_() % bound; }
  /// A number from `least` to `most`.
  std::size_t between(std::size_t least, std::size_t most) {
    return least + below(most - least + 1);
  }
  bool one_in(std::size_t number) { return below(number) == 0; }
  std::uint8_t byte() { return static_cast<std::uint8_t>(engine_() >> 56); }
  /// One element of the range, which must not be empty.
  template <typename Range>
  const auto& pick(const Range& range) {
    return range[below(std::size(range))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace assay::fuzz
