#include "profiler/protocol/control.h"

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
  settings.accept_relative = defaults.accept_relative;
  settings.accept_cycles = defaults.accept_cycles;
  settings.loop_min_instructions = defaults.loop_min_instructions;
  settings.loop_end = defaults.loop_end;
  settings.loop_alignment = defaults.loop_alignment;
  settings.initial_state = defaults.initial_state;
  settings.state_overrides = {};
  settings.fallback_states = false;
  settings.reject = {};
  return settings;
}

bool was_left_alone(const Evaluation& control) {
  constexpr double kNarrow = 0.03;
  constexpr double kUsual = 0.05;
  constexpr double kErrors = 2;
  const double all = control.series + control.left_out;
  const double error = std::sqrt(kUsual * (1 - kUsual) / all);
  return is_narrow(control.estimate, kNarrow, 0) &&
         control.left_out <= (kUsual + kErrors * error) * all;
}

}  // namespace assay
