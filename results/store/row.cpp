#include "results/store/row.h"

namespace assay {

std::string parameters(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 1; i <= count; ++i) all.push_back(fmt::format("?{}", i));
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace assay
