#include "harness/command_line.h"
#include "harness/commands.h"
#include "harness/suite_commands.h"

namespace assay {

int run_suite_show(const std::vector<std::string>& arguments) {
  CommandLine line("assay suite show CORPUS... [options]", "Prints a corpus's blocks.");
  line.take_words("corpus");
  const auto values = line.parse(arguments);
  if (!values) return kDone;
  throw UsageError("which corpus?");
}

}  // namespace assay
