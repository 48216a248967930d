#include "harness/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <new>

#include "harness/command_line.h"
#include "profiler/block/error.h"

namespace assay {
namespace {

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const std::vector<std::string>& arguments);
};

constexpr std::array kCommands = {
    Command{"measure", "measure one block", run_measure},
    Command{"profile", "measure all blocks of corpora into a store", run_profile},
    Command{"merge", "join stores into one", run_merge},
    Command{"export", "write a store's results for other programs", run_export},
    Command{"compare", "set two stores, or two campaigns, against each other", run_compare},
    Command{"doctor", "say what this machine can do and what to change", run_doctor},
};

void print_help() {
  fmt::print(
      "assay measures how many core cycles a piece of x86-64 machine code takes on this machine.\n"
      "\n"
      "usage: assay SUBCOMMAND [options]\n"
      "       assay SUBCOMMAND --help\n"
      "       assay --version\n"
      "\n");
  for (const Command& command : kCommands) fmt::print("  {:<9}{}\n", command.name, command.summary);
  fmt::print(
      "\n"
      "exit status: 0 done; 1 nothing measured, or a check failed; 2 wrong usage or input;\n"
      "             3 the machine or its settings do not allow it\n");
}

int fail(ExitCode code, std::string_view command, std::string_view message) {
  // fmt::print() would throw where stderr cannot be written.
  std::fputs(fmt::format("assay {}: {}\n", command, message).c_str(), stderr);
  return code;
}

int run_command(const Command& command, const std::vector<std::string>& arguments) {
  try {
    return command.run(arguments);
  } catch (const UsageError& error) {
    return fail(kWrongUsage, command.name,
                fmt::format("{}\nsee: assay {} --help", error.what(), command.name));
  } catch (const InputError& error) {
    return fail(kWrongUsage, command.name, error.what());
  } catch (const EnvironmentError& error) {
    return fail(kUnusable, command.name, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kUnusable, command.name, "out of memory");
  } catch (const std::exception& error) {
    // fmt::print() throws what no command knows; run_program() says that stdout cannot be written.
    if (std::ferror(stdout) != 0) return kUnusable;
    return fail(kUnusable, command.name,
                fmt::format("internal error, please report it: {}", error.what()));
  }
}

}  // namespace

std::string_view program_version() { return ASSAY_VERSION; }

int run_program(const std::vector<std::string>& arguments) {
  const std::string first = arguments.empty() ? "" : arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    print_help();
    return kDone;
  }
  if (first == "--version") {
    fmt::print("assay {}\n", program_version());
    return kDone;
  }
  const auto found = std::ranges::find(kCommands, first, &Command::name);
  if (found != kCommands.end()) {
    const int status = run_command(*found, {arguments.begin() + 1, arguments.end()});
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    return fail(kUnusable, found->name, describe_errno("cannot write to standard output", errno));
  }
  fmt::print(stderr, "assay: {}; see: assay --help\n",
             first.empty() ? "which subcommand?" : fmt::format("no subcommand '{}'", first));
  return kWrongUsage;
}

}  // namespace assay
