#pragma once

#include <string>
#include <vector>

#include "harness/command_line.h"
#include "harness/output/corpus_output.h"
#include "suites/extract/dynamic_run.h"

namespace assay {

/// Adds --dynamic and the options that go with it.
void add_dynamic_options(CommandLine& line);

/// What they say, of a program and the arguments that it is to get. Throws UsageError.
DynamicRequest dynamic_request_from(const CommandLine::Values& values, const std::string& program,
                                    const std::vector<std::string>& arguments);

/// Throws UsageError if one of them was given without --dynamic.
void check_no_dynamic_options(const CommandLine::Values& values);

/// `assay extract --dynamic`: an exit code. With `json`, the report is one JSON object. No
/// InterruptGuard may live.
int extract_dynamic(const DynamicRequest& request, const CorpusOutput& output, bool json);

}  // namespace assay
