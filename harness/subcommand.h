#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

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
/// to stderr, after the subcommand's whole name, and become exit codes (commands.h).
int run_subcommand(const SubcommandTable& table, const std::vector<std::string>& arguments);

}  // namespace assay
