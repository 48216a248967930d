#include "suites/extract/dynamic/dynamic_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "profiler/support/error.h"
#include "suites/extract/dynamic/callgrind_profile.h"
#include "suites/extract/dynamic/callgrind_run.h"
#include "suites/extract/dynamic/private_folder.h"
#include "suites/extract/program/program_file.h"

namespace assay {
namespace {

/// How many lines of the program's output, or of valgrind's, a message holds.
constexpr std::size_t kShownLines = 8;

bool is_program(const std::filesystem::path& path) {
  std::error_code missing;
  return std::filesystem::is_regular_file(path, missing) && access(path.c_str(), X_OK) == 0;
}

std::filesystem::path found_in_path(const std::string& name) {
  const char* const folders = std::getenv("PATH");
  std::string_view rest = folders != nullptr ? folders : "/usr/bin:/bin";
  for (;;) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::filesystem::path path = std::filesystem::path(rest.substr(0, end)) / name;
    if (is_program(path)) return path;
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  throw InputError(fmt::format("{}: no such program in PATH: give its path", name));
}

/// Throws InputError unless the file is a script with "#!" or a program for this machine: anything
/// else would be run by the shell.
void check_kind(const std::string& path) {
  std::array<char, 2> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  if (std::string_view(start.data(), start.size()) != "#!") load_image(path);
}

/// A line for a message: indented, without characters that a terminal would obey.
std::string shown(std::string_view line) {
  std::string text = "\n    ";
  for (const char c : line) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '.' : c;
  return text;
}

/// The text's lines, without valgrind's "==PID==" before each and without empty ones.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("==")) {
      const std::size_t behind = line.find("== ", 2);
      line = behind == std::string_view::npos ? std::string_view() : line.substr(behind + 3);
    }
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back(shown(line));
  }
  return lines;
}

std::string first_lines(std::string_view text) {
  std::string some;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < std::min(kShownLines, lines.size()); ++i) some += lines[i];
  return some;
}

std::string last_lines(std::string_view text) {
  std::string some;
  const auto lines = lines_of(text);
  const std::size_t skipped = lines.size() - std::min(kShownLines, lines.size());
  for (std::size_t i = skipped; i < lines.size(); ++i) some += lines[i];
  return some;
}

std::string end_of(const CallgrindRun& run) {
  constexpr int kSignalled = 128;
  const char* const name =
      run.status > kSignalled ? sigabbrev_np(run.status - kSignalled) : nullptr;
  if (name != nullptr) return fmt::format("was ended by SIG{}", name);
  return fmt::format("ended with status {}", run.status);
}

/// Adds what the user should know of how the program ended.
void add_remarks(const DynamicRequest& request, const CallgrindRun& run, DynamicResult& result) {
  auto& remarks = result.remarks;
  if (run.early_end == EarlyEnd::kTimeLimit) {
    remarks.push_back(fmt::format("the program was told to end after {} s, and {}",
                                  request.time_limit->count(), end_of(run)));
  } else if (run.early_end == EarlyEnd::kInterrupted) {
    remarks.push_back(fmt::format("interrupted: the program was told to end, and {}", end_of(run)));
  } else if (run.status != 0) {
    remarks.push_back(fmt::format(
        "the program {}: its blocks are those that ran until then{}{}", end_of(run),
        run.last_output.empty() ? "" : "; it wrote last:", last_lines(run.last_output)));
  }
  if (!run.log.empty()) remarks.push_back("valgrind said:" + first_lines(run.log));
  if (run.left_processes) {
    remarks.emplace_back(
        "the program ended before processes that it had started; these are counted");
  }
  if (run.killed) {
    remarks.emplace_back("a process did not end when told to and was killed: what it ran is lost");
  }
  if (run.empty_profiles > 0) {
    remarks.push_back(
        fmt::format("{} of its processes ended without leaving a profile", run.empty_profiles));
  }
}

[[noreturn]] void throw_nothing_ran(const DynamicRequest& request, const std::string& program,
                                    const CallgrindRun& run) {
  if (run.early_end == EarlyEnd::kTimeLimit) {
    throw InputError(fmt::format(
        "{}: nothing was recorded before it was told to end: --time-limit {} is too short", program,
        request.time_limit->count()));
  }
  std::string words = first_lines(run.log) + last_lines(run.last_output);
  if (words.empty()) words = " nothing was recorded";
  throw InputError(
      fmt::format("{}: valgrind recorded nothing that ran; it {}:{}", program, end_of(run), words));
}

ExecutedCode joined_profiles(const CallgrindRun& run, DynamicResult& result) {
  ExecutedCode code;
  for (const auto& path : run.profiles) {
    try {
      ExecutedCode one;
      read_callgrind_profile(InputFile::open(path), one);
      add_executed(code, one);
      ++result.profiles;
    } catch (const InputError& error) {
      ++result.left_out;
      result.remarks.push_back(fmt::format("a process is left out: {}", error.what()));
    }
  }
  return code;
}

CallgrindRun run_program(const DynamicRequest& request, const PrivateFolder& folder,
                         DynamicResult& result) {
  CallgrindRequest run;
  run.program = result.program;
  run.arguments = request.arguments;
  run.input = request.input;
  run.output = request.output;
  run.folder = folder.path();
  run.time_limit = request.time_limit;
  run.interrupted = [&] {
    const bool now = request.interrupted();
    result.interrupted |= now;
    return now;
  };
  return run_under_callgrind(run);
}

/// The path that callgrind knows the program by: that of the mapped file, with links resolved.
std::string mapped_path(const std::string& program) {
  std::error_code error;
  const auto path = std::filesystem::canonical(program, error);
  return error ? program : path.string();
}

std::string main_object(const std::string& program, const ExecutedCode& code) {
  std::string path = mapped_path(program);
  if (code.contains(path)) return path;
  throw InputError(fmt::format(
      "{}: nothing was recorded in the program itself, so --main-only gives no blocks: a script "
      "runs its interpreter, and a program that becomes another one (exec) is lost. Choose what "
      "ran by its name: --object PATTERN",
      program));
}

}  // namespace

std::filesystem::path program_path(const std::string& program) {
  if (program.empty()) throw InputError("the program's name is empty");
  if (program.find('/') == std::string::npos) return found_in_path(program);
  if (is_program(program)) return program;
  std::error_code missing;
  if (std::filesystem::is_directory(program, missing)) throw InputError(program + " is a folder");
  if (access(program.c_str(), F_OK) != 0) {
    throw InputError(describe_errno("cannot run " + program, errno));
  }
  throw InputError(program +
                   " is not executable: only executable programs can be run; leave --dynamic "
                   "out to extract from other files");
}

void run_dynamically(const DynamicRequest& request, DynamicResult& result) {
  const auto start = std::chrono::steady_clock::now();
  result.program = program_path(request.program).string();
  result.loops = request.choice.blocks.loops;
  check_kind(result.program);
  const PrivateFolder folder;
  const CallgrindRun run = run_program(request, folder, result);
  result.status = run.status;
  result.left_out = run.empty_profiles;
  ExecutedCode code = joined_profiles(run, result);
  // Profiles may be missing because the disk is full: that is reported as the cause then.
  if (result.left_out > 0 || run.profiles.empty()) folder.check_room();
  if (code.empty() && result.interrupted) {
    result.remarks = {"interrupted before anything was recorded"};
    return;
  }
  if (code.empty()) throw_nothing_ran(request, result.program, run);
  add_remarks(request, run, result);
  ObjectChoice choice = request.choice;
  if (request.main_only) choice.only = main_object(result.program, code);
  result.objects = extract_executed(code, choice, result.blocks);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace assay
