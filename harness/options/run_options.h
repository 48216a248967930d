#pragma once

#include <chrono>
#include <vector>

#include "harness/command_line.h"
#include "profiler/measurement/measurement.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// Adds the options that say how blocks are run: --cpu, --page-limit, --time-limit, --budget,
/// --loop-min-instructions and --reject, and those for the protocol (protocol_options.h), for what
/// is counted (counter_options.h) and for the initial state (state_options.h).
void add_run_options(CommandLine& line);

/// The settings that these options ask for, except the clock: see settle_clock(). Throws UsageError
/// for values out of range and for unknown traits, and what protocol_settings(),
/// read_counter_options() and read_state_options() throw.
Settings run_settings(const CommandLine::Values& values);

/// Adds --patience.
void add_patience_option(CommandLine& line);

/// How long --patience says that blocks are to be visited again. Throws UsageError for a value out
/// of range.
std::chrono::seconds run_patience(const CommandLine::Values& values);

/// Adds --notion.
void add_notion_option(CommandLine& line);

/// The notions that --notion asks for, at least one. Throws UsageError for an unknown one.
std::vector<Notion> run_notions(const CommandLine::Values& values);

/// The processor to run on: --cpu, or the last one that may be used, since the first ones get most
/// of a machine's interrupts.
int run_processor(const CommandLine::Values& values);

}  // namespace assay
