#include "profiler/protocol/control.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace assay {

Block control_block() {
  // add rax, rcx; mov rdx, [rbx]; mov [rsi], rdi; add r8, rcx; lea r9, [rcx + rbp]; xor r10d, ecx
  return std::get<Block>(decode(bytes_from_hex("4801c8488b1348893e4901c84c8d0c294131ca")));
}

Settings settings_of_control(Settings settings) {
  const Settings defaults;
  settings.target_relative = settings.target_cycles = 0.01;
  settings.initial_state = defaults.initial_state;
  settings.state_overrides = {};
  settings.fallback_states = false;
  settings.reject = {};
  return settings;
}

bool was_left_alone(const Evaluation& control, std::span<const SeriesPoint> points) {
  constexpr double kNarrow = 0.02;
  constexpr double kUsual = 0.05;
  constexpr double kErrors = 2;
  const auto count = static_cast<double>(points.size());
  const auto taken =
      static_cast<double>(std::ranges::count(points, SeriesFate::kTaken, &SeriesPoint::fate));
  // The points of a series share its fate.
  const double error = std::sqrt(kUsual * (1 - kUsual) * kAlignmentsInSeries / count);
  return is_narrow(control.estimate, kNarrow, 0) && 1 - taken / count <= kUsual + kErrors * error;
}

}  // namespace assay
