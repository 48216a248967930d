#include "suites/filter/census.h"

namespace assay {

void Census::add(const BlockFacts& facts, std::size_t size, std::optional<double> weight,
                 bool is_new) {
  const double heavy = weight.value_or(0);
  ++lines;
  if (weight) ++weighted;
  all.add(is_new, heavy);
  bytes[size].add(is_new, heavy);
  for (std::size_t i = 0; i < traits.size(); ++i) {
    if (facts.traits[i]) traits[i].add(is_new, heavy);
  }
  if (facts.refusal != Reason::kNone) {
    refusals[facts.refusal].add(is_new, heavy);
    return;
  }
  instructions[facts.instructions].add(is_new, heavy);
  for (const std::string_view extension : facts.extensions) {
    extensions[extension].add(is_new, heavy);
  }
  memory.at(static_cast<std::size_t>(facts.memory)).add(is_new, heavy);
  if (facts.rip_relative) rip_relative.add(is_new, heavy);
}

}  // namespace assay
