#include "harness/options/sandbox_option.h"

#include <fmt/format.h>

#include <cstdio>

#include "profiler/subject/confinement.h"
#include "profiler/support/error.h"

namespace assay {

void add_sandbox_option(CommandLine& line) {
  line.add()("sandbox",
             "run nothing unless all is in force that may confine a block (docs/security.md), and "
             "say what is");
}

void check_sandbox(const CommandLine::Values& values, std::string_view command) {
  if (!values.count("sandbox")) return;
  const subject::Confinement confinement = subject::confinement_of_subjects();
  if (!all_walls_in_force(confinement)) {
    throw EnvironmentError(
        fmt::format("--sandbox: blocks would not be confined as asked; missing: {}; in force: {}. "
                    "See docs/security.md, or leave out --sandbox",
                    walls_text(confinement, false), walls_text(confinement, true)));
  }
  std::fputs(
      fmt::format("{}: blocks are confined: {}\n", command, walls_text(confinement, true)).c_str(),
      stderr);
}

}  // namespace assay
