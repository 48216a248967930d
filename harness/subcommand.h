#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The exit status of every subcommand. If Ctrl-C or SIGTERM ends the program, its status is 128
/// plus the signal's number, as shells expect.
enum ExitCode : int {
  kDone = 0,
  kNothingMeasured = 1,  ///< nothing was measured, or a check failed
  kWrongUsage = 2,       ///< wrong options, or input that is not what it should be
  kUnusable = 3,         ///< the machine or its settings do not allow it
};

/// One row of a table of subcommands.
struct Subcommand {
  std::string_view name;
  std::string_view summary;  ///< for the help text, one line
  /// Runs it with the arguments that follow its name; throws what run_subcommand() prints.
  int (*run)(const std::vector<std::string>& arguments);
};

/// The subcommands of the program, or of one of its subcommands.
struct SubcommandTable {
  std::string_view program;  ///< the words before the subcommand: "assay suite"
  std::string_view about;    ///< what it is for, one line
  std::string_view usage;    ///< further lines of the usage, each with its line feed; may be empty
  std::span<const Subcommand> rows;
};

/// Runs the subcommand with the arguments that follow its name. Errors are printed to stderr, after
/// `command`, its full name, and become exit codes.
int run_subcommand(const Subcommand& row, const std::string& command,
                   const std::vector<std::string>& arguments);

/// Runs the subcommand that the first of `arguments` names. With "help" or "--help" before it,
/// prints that subcommand's help; with nothing but these, the help of the table. Errors become exit
/// codes, as above.
int run_subcommand(const SubcommandTable& table, const std::vector<std::string>& arguments);

}  // namespace assay
