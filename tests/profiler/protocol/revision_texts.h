#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/measurement/settings.h"
#include "profiler/protocol/protocols.h"
#include "tests/profiler/machine/assumed_features.h"
#include "tests/profiler/protocol/planning.h"

// What the parts of a revision (revision_test.cpp) are made of.

namespace assay {

using Texts = std::map<std::string, std::string>;  ///< by part

/// Blocks that together take every path through the code generator.
inline constexpr std::array<std::string_view, 13> kBlocks = {
    "4801d8",                  // add rax, rbx
    "488b03",                  // mov rax, [rbx]
    "4889034883c308",          // mov [rbx], rax; add rbx, 8
    "488b0500100000",          // mov rax, [rip + 0x1000]
    "5b415cc9c3",              // refused: pop rbx; pop r12; leave; ret
    "554889e55d",              // push rbp; mov rbp, rsp; pop rbp
    "48ffc875fb",              // dec rax; jne to its start
    "e3fe",                    // jrcxz to itself
    "c5f458c2",                // vaddps ymm0, ymm1, ymm2
    "62f1744858c2",            // vaddps zmm0, zmm1, zmm2
    "d8c1",                    // fadd st, st(1)
    "48f7f1",                  // div rcx
    "480fafc30fafd84d0fafc4",  // imul rax, rbx; imul ebx, eax; imul r8, r12
};

/// The block with these bytes, or why it is refused.
inline std::variant<Block, Refusal> fixed_block(std::string_view hex) {
  return decode(bytes_from_hex(hex));
}

/// An outcome as text, without its detail, whose wording may change.
inline std::string text_of(const Outcome& outcome) { return std::string(name(outcome.reason)); }

/// A number as text, with eight digits: more than any value has, and few enough for two C libraries
/// to agree in all of them.
inline std::string text_of(double value) { return fmt::format("{:.8g}", value); }

/// Calls visit(settings, protocol, block, notion) for all combinations of these.
template <typename Visit>
void for_each_block(const Visit& visit) {
  for (const std::string_view name : protocol_names()) {
    Settings settings = default_settings(name);
    settings.nanobench.unroll = 50;
    const auto protocol = make_protocol(settings, kInstructionCache);
    for (const std::string_view hex : kBlocks) {
      const auto block = fixed_block(hex);
      if (!std::holds_alternative<Block>(block)) continue;
      for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
        visit(settings, *protocol, std::get<Block>(block), notion);
      }
    }
  }
}

/// Calls visit(settings, protocol, block, plan) for all that can be planned of these, by CPUs of
/// which nothing is known, and as the longer plans of those with a known micro-op cache.
template <typename Visit>
void for_each_plan(const Visit& visit) {
  const auto visit_plans = [&](bool longer) {
    for_each_block(
        [&](const Settings& settings, const Protocol& protocol, const Block& block, Notion notion) {
          const auto planned = protocol.plan(block, notion);
          const auto* const plan = std::get_if<Plan>(&planned);
          if (plan == nullptr) return;
          if (!longer) return visit(settings, protocol, block, *plan);
          if (const auto other = protocol.longer(*plan)) visit(settings, protocol, block, *other);
        });
  };
  {
    const AssumedFeatures near(AssumedFeatures::near_jumps());
    visit_plans(false);
  }
  const AssumedFeatures fed(AssumedFeatures::micro_op_cache());
  visit_plans(true);
}

/// Adds what judges samples, and what decides on them: rounds, verdicts, traits, limits.
void add_judgements(Texts& texts);

}  // namespace assay
