#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/command_line.h"
#include "suites/generate/form_filter.h"

namespace assay {

/// Adds the options that choose instruction forms: --filter, --extension, --all-cpus.
void add_form_options(CommandLine& line);

/// The filter that these options give, for this machine.
FormFilter form_filter_from(const CommandLine::Values& values);

/// The values of --filter and --extension as facts about a corpus that is made of the forms
/// (corpus_writer.h).
std::vector<std::pair<std::string, std::string>> form_facts(const CommandLine::Values& values);

}  // namespace assay
