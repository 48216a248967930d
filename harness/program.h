#pragma once

#include <string>
#include <vector>

namespace assay {

/// Runs `assay ARGUMENTS...`: the subcommand, or help. Errors are printed to stderr and become exit
/// codes (subcommand.h). `arguments` is without the program's name.
int run_program(const std::vector<std::string>& arguments);

}  // namespace assay
