#include "profiler/measurement/measurement.h"

#include "profiler/support/error.h"

namespace assay {

std::string_view name(Notion notion) {
  switch (notion) {
    case Notion::kUnrolled:
      return "unrolled";
    case Notion::kLooped:
      return "looped";
  }
  throw Error("a notion outside its enumeration");
}

std::optional<Notion> notion_named(std::string_view wanted) {
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    if (name(notion) == wanted) return notion;
  }
  return std::nullopt;
}

}  // namespace assay
