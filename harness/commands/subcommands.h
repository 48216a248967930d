#pragma once

#include <string>
#include <vector>

namespace assay {

// The subcommands of `assay`, each in the file of its name. `arguments` does not include that name.
// They return an ExitCode, and throw what run_subcommand() prints (subcommand.h).
int run_measure(const std::vector<std::string>& arguments);
int run_profile(const std::vector<std::string>& arguments);
int run_merge(const std::vector<std::string>& arguments);
int run_check(const std::vector<std::string>& arguments);
int run_export(const std::vector<std::string>& arguments);
int run_compare(const std::vector<std::string>& arguments);
int run_extract(const std::vector<std::string>& arguments);
int run_suite(const std::vector<std::string>& arguments);
int run_doctor(const std::vector<std::string>& arguments);

// The subcommands of `assay suite`.
int run_suite_show(const std::vector<std::string>& arguments);
int run_suite_filter(const std::vector<std::string>& arguments);
int run_suite_instructions(const std::vector<std::string>& arguments);
int run_suite_random(const std::vector<std::string>& arguments);

}  // namespace assay
