#include "harness/subcommand.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>

#include "harness/command_line.h"
#include "profiler/support/error.h"
#include "profiler/support/printable.h"

namespace assay {
namespace {

constexpr std::size_t kGap = 2;  // blanks between the longest name and its summary

void print_help(const SubcommandTable& table) {
  fmt::print(
      "{0}\n"
      "\n"
      "usage: {1} SUBCOMMAND [options]\n"
      "       {1} SUBCOMMAND --help\n"
      "{2}"
      "\n",
      table.about, table.program, table.usage);
  std::size_t width = 0;
  for (const Subcommand& row : table.rows) width = std::max(width, row.name.size() + kGap);
  for (const Subcommand& row : table.rows) {
    fmt::print("  {:<{}}{}\n", row.name, width, row.summary);
  }
  fmt::print(
      "\n"
      "exit status: 0 done; 1 nothing measured or found, or a check failed; 2 wrong usage or "
      "input;\n"
      "             3 the machine or its settings do not allow it\n");
}

int fail(ExitCode code, std::string_view command, std::string_view message) {
  // Not fmt::print(), which throws if stderr cannot be written.
  std::fputs(fmt::format("{}: {}\n", command, printable(message)).c_str(), stderr);
  return code;
}

bool asks_for_help(std::string_view word) {
  return word == "--help" || word == "-h" || word == "help";
}

}  // namespace

int run_subcommand(const Subcommand& row, const std::string& command,
                   const std::vector<std::string>& arguments) {
  try {
    return row.run(arguments);
  } catch (const UsageError& error) {
    return fail(kWrongUsage, command, fmt::format("{}\nsee: {} --help", error.what(), command));
  } catch (const InputError& error) {
    return fail(kWrongUsage, command, error.what());
  } catch (const EnvironmentError& error) {
    return fail(kUnusable, command, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kUnusable, command, "out of memory");
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(kUnusable, command,
                fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::exception& error) {
    // If fmt::print() threw because stdout cannot be written, run_program() reports that.
    if (std::ferror(stdout) != 0) return kUnusable;
    return fail(kUnusable, command,
                fmt::format("internal error, please report it: {}", error.what()));
  }
}

int run_subcommand(const SubcommandTable& table, const std::vector<std::string>& arguments) {
  const auto name = std::ranges::find_if_not(arguments, asks_for_help);
  const bool help = name != arguments.begin();
  if (help && name == arguments.end()) {
    print_help(table);
    return kDone;
  }
  const auto refuse = [&](const std::string& problem) {
    return fail(kWrongUsage, table.program,
                fmt::format("{}; see: {} --help", problem, table.program));
  };
  if (name == arguments.end()) return refuse("no subcommand given");
  const auto found = std::ranges::find(table.rows, *name, &Subcommand::name);
  if (found == table.rows.end()) return refuse(fmt::format("no subcommand '{}'", *name));
  std::vector<std::string> rest(name + 1, arguments.end());
  if (help) rest.emplace_back("--help");
  return run_subcommand(*found, fmt::format("{} {}", table.program, *name), rest);
}

}  // namespace assay
