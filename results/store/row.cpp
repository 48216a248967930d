#include "results/store/row.h"

namespace assay {

std::string parameters(std::size_t count, std::size_t first) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(fmt::format("?{}", first + i));
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace assay
