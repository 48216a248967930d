#pragma once

#include <string>
#include <vector>

namespace assay {

// The subcommands of `assay suite`; `arguments` is without the subcommand's name. They throw what
// run_subcommand() prints (subcommand.h).
int run_suite_show(const std::vector<std::string>& arguments);
int run_suite_filter(const std::vector<std::string>& arguments);
int run_suite_instructions(const std::vector<std::string>& arguments);
int run_suite_random(const std::vector<std::string>& arguments);

}  // namespace assay
