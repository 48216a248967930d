#include "harness/commands/extract_dynamic.h"
#include "harness/subcommand.h"
#include "profiler/support/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdio>
#include <filesystem>

#include "harness/campaign/interrupt.h"
#include "harness/commands/extract_choice.h"
#include "harness/output/dynamic_output.h"
#include "harness/output/json_text.h"
#include "harness/output/output_file.h"

namespace assay {
namespace {

namespace po = boost::program_options;

constexpr const char* kDynamicOptions[] = {"main-only", "object", "stdin", "program-output",
                                           "time-limit"};
constexpr std::int64_t kLongestLimit = 30 * 24 * 3600;  // seconds

std::optional<std::chrono::seconds> time_limit_from(const CommandLine::Values& values) {
  if (!values.count("time-limit")) return std::nullopt;
  const auto seconds = values["time-limit"].as<std::int64_t>();
  if (seconds < 1 || seconds > kLongestLimit) {
    throw UsageError(fmt::format("--time-limit {}: give 1 to {} seconds", seconds, kLongestLimit));
  }
  return std::chrono::seconds(seconds);
}

CorpusAbout about(const DynamicRequest& request, const DynamicResult& result) {
  CorpusAbout about;
  about.program = program_version();
  about.description = fmt::format("{} of {} that ran, with their numbers of executions",
                                  what_is_taken(request.choice.blocks), result.program);
  about.facts = {{"method", "dynamic"},
                 {"branches", request.choice.blocks.with_branch() ? "kept" : "left out"},
                 {"arguments", fmt::format("{}", fmt::join(request.arguments, " "))}};
  if (result.left_out > 0) {
    about.facts.emplace_back("processes_left_out", std::to_string(result.left_out));
  }
  return about;
}

/// Throws UsageError if two of the files that are read and written are the same one.
void check_files(const DynamicRequest& request, const CorpusOutput& output) {
  std::error_code missing;  // what cannot be examined cannot be opened either, which tells why
  if (std::filesystem::is_directory(request.input, missing)) {
    throw UsageError(fmt::format("--stdin {} is a folder", request.input));
  }
  const std::string program = program_path(request.program).string();
  check_is_no_other("--out", output.path, {program, request.input, request.output});
  check_is_no_other("--program-output", request.output, {program, request.input});
}

/// Notes one signal after the other. Unlike with a single InterruptGuard, a second one does not end
/// the program at once: a user who interrupts twice wants it to end sooner, but it still leaves
/// nothing behind.
class Interruptions {
 public:
  Interruptions() { guard_.emplace(); }
  bool came() {
    if (InterruptGuard::signal() == 0) return false;
    signal_ = InterruptGuard::signal();
    guard_.reset();
    guard_.emplace();
    return true;
  }
  int signal() const { return signal_; }

 private:
  std::optional<InterruptGuard> guard_;
  int signal_ = 0;
};

/// Runs the program, and returns the signal that interrupted it; 0 if none did.
int run_interruptibly(DynamicRequest request, DynamicResult& result) {
  Interruptions interruptions;
  request.interrupted = [&] { return interruptions.came(); };
  run_dynamically(request, result);
  return interruptions.signal();
}

void tell(const std::vector<std::string>& remarks) {
  for (const std::string& remark : remarks) {
    std::fputs(fmt::format("assay extract: {}\n", remark).c_str(), stderr);
  }
}

}  // namespace

void add_dynamic_options(CommandLine& line) {
  line.add()("dynamic",
             "run PROGRAM once under valgrind instead, and take the blocks that run, with their "
             "numbers of executions; what follows -- are its arguments");
  line.add()("main-only", "with --dynamic: only the program's own blocks, not its libraries'");
  line.add()("object", po::value<std::vector<std::string>>()->value_name("PATTERN"),
             "with --dynamic: only blocks of files of that name ('libc.so*'); may be repeated");
  line.add()("stdin", po::value<std::string>()->value_name("FILE"),
             "with --dynamic: the program's standard input (default: empty)");
  line.add()("program-output", po::value<std::string>()->value_name("FILE"),
             "with --dynamic: where its output and errors go (default: nowhere)");
  line.add()("time-limit", po::value<std::int64_t>()->value_name("SECONDS"),
             "with --dynamic: end the program then, and take what ran (default: never)");
}

void check_no_dynamic_options(const CommandLine::Values& values) {
  for (const char* const name : kDynamicOptions) {
    if (values.count(name)) throw UsageError(fmt::format("--{} goes with --dynamic", name));
  }
}

DynamicRequest dynamic_request_from(const CommandLine::Values& values, const std::string& program,
                                    const std::vector<std::string>& arguments) {
  DynamicRequest request;
  request.program = program;
  request.arguments = arguments;
  if (values.count("stdin")) request.input = values["stdin"].as<std::string>();
  if (values.count("program-output")) request.output = values["program-output"].as<std::string>();
  request.time_limit = time_limit_from(values);
  request.main_only = values.count("main-only") > 0;
  if (values.count("object")) {
    request.choice.patterns = values["object"].as<std::vector<std::string>>();
  }
  request.choice.blocks = block_choice_from(values);
  return request;
}

int extract_dynamic(const DynamicRequest& request, const CorpusOutput& output, bool json) {
  check_files(request, output);
  DynamicResult result;
  int signal = 0;
  try {
    signal = run_interruptibly(request, result);
  } catch (const InputError&) {
    tell(result.remarks);
    throw;
  }
  const InterruptGuard guard;
  tell(result.remarks);
  if (signal != 0 && result.objects.empty()) return 128 + signal;
  const auto goes_on = [] { return InterruptGuard::signal() == 0; };
  if (result.blocks.size() > 0 &&
      !write_corpus(output, about(request, result), result.blocks, goes_on)) {
    return 128 + InterruptGuard::signal();
  }
  if (json) {
    fmt::print("{}\n", json_text(to_json(result)));
  } else {
    fmt::print(output.path == "-" ? stderr : stdout, "{}", to_text(result));
  }
  if (signal != 0) return 128 + signal;
  return result.blocks.size() > 0 ? kDone : kNothingMeasured;
}

}  // namespace assay
