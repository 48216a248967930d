#include "harness/commands/extract_choice.h"

namespace assay {

void add_choice_options(CommandLine& line) {
  line.add()("keep-branch", "end blocks behind a direct jump instead of before it");
  line.add()(
      "loops",
      "only blocks that are a loop by themselves: their branch, which is kept, leads to their "
      "start; each with address, function and source line as its name");
}

BlockChoice block_choice_from(const CommandLine::Values& values) {
  return {values.count("keep-branch") > 0, values.count("loops") > 0};
}

const char* what_is_taken(const BlockChoice& choice) {
  return choice.loops ? "innermost loops of one block" : "basic blocks";
}

}  // namespace assay
