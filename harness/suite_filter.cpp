#include "harness/command_line.h"
#include "harness/commands.h"
#include "harness/suite_commands.h"

namespace assay {

int run_suite_filter(const std::vector<std::string>& arguments) {
  CommandLine line("assay suite filter CORPUS... --out FILE [options]", "Chooses blocks.");
  line.take_words("corpus");
  const auto values = line.parse(arguments);
  if (!values) return kDone;
  throw UsageError("which corpus?");
}

}  // namespace assay
