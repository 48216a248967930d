#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// A program to be run once under valgrind's callgrind.
struct CallgrindRequest {
  std::string program;                 ///< path of an executable file
  std::vector<std::string> arguments;  ///< without the program's name
  std::string input = "/dev/null";     ///< path of the file that is its standard input
  /// Path of the file that what it writes to standard output and error goes to; empty: of that only
  /// the end is kept.
  std::string output;
  std::filesystem::path folder;  ///< absolute, empty, private: profiles and logs are written there
  std::optional<std::chrono::seconds> time_limit;
  /// Asked many times a second: whether the program is to end now; once more, whether at once.
  std::function<bool()> interrupted;
};

/// Why a program was told to end before it did so by itself.
enum class EarlyEnd : std::uint8_t { kNone, kTimeLimit, kInterrupted };

/// What became of it.
struct CallgrindRun {
  int status = 0;  ///< of the program: its exit status, or 128 plus the signal that ended it
  EarlyEnd early_end = EarlyEnd::kNone;
  /// It, or a process that it left, had to be killed, so that nothing is known of what that ran.
  bool killed = false;
  /// The first process ended before another one that it had started.
  bool left_processes = false;
  std::vector<std::filesystem::path> profiles;  ///< by name: one for each process and part of it
  int empty_profiles = 0;                       ///< processes of which nothing was recorded
  std::string last_output;                      ///< of the program, the last kLastOutput bytes
  std::string log;                              ///< what valgrind said, the first kLastOutput bytes
};

inline constexpr std::size_t kLastOutput = 4096;

/// Runs it in a session of its own, and waits for it and all processes that it starts, also those
/// that leave it (daemons). At the time limit, or once interrupted, SIGTERM goes to all of them,
/// upon which callgrind writes what was recorded; to those that stay SIGABRT, and then SIGKILL,
/// sooner when interrupted again.
///
/// The program has our environment, but no core dumps, and valgrind no options of the user's
/// (VALGRIND_OPTS, .valgrindrc). What valgrind shows as the CPU has at most AVX2.
///
/// Meanwhile this process adopts the orphans among its descendants, and must have no children that
/// somebody else waits for. Throws EnvironmentError if valgrind is not installed, and InputError if
/// the input or output cannot be opened.
CallgrindRun run_under_callgrind(const CallgrindRequest& request);

}  // namespace assay
