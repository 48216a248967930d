#pragma once

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

/// Runs `assay ARGUMENTS...`: the subcommand, or help. Errors are printed to stderr and become exit
/// codes. `arguments` is without the program's name.
int run_program(const std::vector<std::string>& arguments);

std::string_view program_version();

// The subcommands; `arguments` is without the subcommand's name. They throw what run_program
// prints.
int run_measure(const std::vector<std::string>& arguments);
int run_profile(const std::vector<std::string>& arguments);
int run_merge(const std::vector<std::string>& arguments);
int run_export(const std::vector<std::string>& arguments);
int run_compare(const std::vector<std::string>& arguments);
int run_extract(const std::vector<std::string>& arguments);
int run_suite(const std::vector<std::string>& arguments);
int run_doctor(const std::vector<std::string>& arguments);

}  // namespace assay
