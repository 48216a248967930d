#include "harness/program.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "harness/command_line.h"
#include "harness/commands/subcommands.h"
#include "harness/subcommand.h"
#include "profiler/support/error.h"
#include "profiler/support/version.h"

namespace assay {
namespace {

constexpr std::array kCommands = {
    Subcommand{"measure", "measure one block", run_measure},
    Subcommand{"profile", "measure all blocks of corpora into a store", run_profile},
    Subcommand{"merge", "join stores into one", run_merge},
    Subcommand{"check", "say whether a store holds what assay wrote", run_check},
    Subcommand{"export", "write a store's results for other programs", run_export},
    Subcommand{"compare", "set two stores, or two campaigns, against each other", run_compare},
    Subcommand{"extract", "find the blocks of programs, and write them as a corpus", run_extract},
    Subcommand{"suite", "show, filter and make corpora of blocks", run_suite},
    Subcommand{"doctor", "say what this machine can do and what to change", run_doctor},
};

constexpr SubcommandTable kProgram = {
    .program = "assay",
    .about =
        "assay measures how many core cycles a piece of x86-64 machine code takes on this machine.",
    .usage = "       assay --version\n",
    .rows = kCommands,
};

int print_version(const std::vector<std::string>& arguments) {
  const CommandLine line("assay --version", "Prints the version of assay.");
  if (line.parse(arguments)) fmt::print("assay {}\n", program_version());
  return kDone;
}

constexpr Subcommand kVersion = {"--version", "print the version of assay", print_version};

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  const bool version = !arguments.empty() && arguments.front() == kVersion.name;
  const int status = version ? run_subcommand(kVersion, "assay --version",
                                              {arguments.begin() + 1, arguments.end()})
                             : run_subcommand(kProgram, arguments);
  // Errors of earlier writes, such as a full disk, may show only when the output is flushed.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  const std::string problem = describe_file_errno("cannot write to standard output", errno);
  const bool has_subcommands = arguments.front() == "suite" && arguments.size() > 1;
  const std::string command =
      has_subcommands ? arguments[0] + ' ' + arguments[1] : arguments.front();
  std::fputs(fmt::format("assay {}: {}\n", command, problem).c_str(), stderr);
  return kUnusable;
}

}  // namespace assay
