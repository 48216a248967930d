#pragma once

#include <string>
#include <vector>

#include "harness/command_line.h"
#include "harness/output/corpus_output.h"
#include "suites/extract/dynamic/dynamic_run.h"

namespace assay {

/// Adds --dynamic and the options that go with it.
void add_dynamic_options(CommandLine& line);

/// The request that the options of add_dynamic_options() make, for a program with its arguments.
/// Throws UsageError.
DynamicRequest dynamic_request_from(const CommandLine::Values& values, const std::string& program,
                                    const std::vector<std::string>& arguments);

/// Throws UsageError if one of the options that go with --dynamic was given; to be called without
/// --dynamic.
void check_no_dynamic_options(const CommandLine::Values& values);

/// Runs `assay extract --dynamic`, and returns its exit code. With `json`, the report is one JSON
/// object. Must not be called while an InterruptGuard lives.
int extract_dynamic(const DynamicRequest& request, const CorpusOutput& output, bool json);

}  // namespace assay
