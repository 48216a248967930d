#include "profiler/protocol/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

std::variant<Plan, Refusal> make_plan(const Block& block, const Settings& settings,
                                      std::size_t cache_size) {
  const auto instructions = static_cast<std::int64_t>(block.instructions.size());
  const auto size = static_cast<std::int64_t>(block.bytes.size());
  const auto room = static_cast<std::int64_t>(cache_size) * 3 / 4;
  const std::int64_t wanted = (settings.target_instructions + instructions - 1) / instructions;
  const std::int64_t fitting = room / (2 * size);
  if (fitting < 1) {
    return Refusal{
        Reason::kTooLarge,
        fmt::format("two copies of {} bytes are more than {} bytes, three quarters of the "
                    "instruction cache",
                    size, room),
        block.instructions.size()};
  }
  const std::int64_t copies = std::min(wanted, fitting);
  return Plan{copies, 2 * copies};
}

}  // namespace assay
