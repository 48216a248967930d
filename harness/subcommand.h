#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// What every subcommand ends with. Ended by Ctrl-C or SIGTERM, the program's status is 128 plus
/// the signal's number, as shells expect.
enum ExitCode : int {
  kDone = 0,
  kNothingMeasured = 1,  ///< or a check failed
  kWrongUsage = 2,       ///< options, or input that is not what it should be
  kUnusable = 3,         ///< the machine or its settings
};

/// One row of a table of subcommands.
struct Subcommand {
  std::string_view name;
  std::string_view summary;  ///< for the help text, one line
  /// Takes what follows the name; throws what run_subcommand() prints.
  int (*run)(const std::vector<std::string>& arguments);
};

/// What has subcommands: the program, or one of its subcommands.
struct SubcommandTable {
  std::string_view program;  ///< how it is called: "assay suite"
  std::string_view about;    ///< what it is for, one line
  std::string_view usage;    ///< further lines of the usage, each with its line feed; may be empty
  std::span<const Subcommand> rows;
};

/// Runs the subcommand that the first of `arguments` names, or prints the help. Errors are printed
/// to stderr, after the subcommand's whole name, and become exit codes.
int run_subcommand(const SubcommandTable& table, const std::vector<std::string>& arguments);

}  // namespace assay
