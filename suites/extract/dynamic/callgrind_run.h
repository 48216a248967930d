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
  /// Path of the file to which the program's standard output and error go; if empty, only the last
  /// kLastOutput bytes of them are kept.
  std::string output;
  std::filesystem::path folder;  ///< absolute, empty, private: profiles and logs are written there
  std::optional<std::chrono::seconds> time_limit;
  /// Called many times a second. The first time that it returns true, the program is told to end;
  /// each further time, it is told so by the next stronger signal without waiting.
  std::function<bool()> interrupted;
};

/// Why a program was told to end before it did so by itself.
enum class EarlyEnd : std::uint8_t { kNone, kTimeLimit, kInterrupted };

/// What became of the program and the processes that it started.
struct CallgrindRun {
  int status = 0;  ///< the program's exit status, or 128 plus the signal that ended it
  EarlyEnd early_end = EarlyEnd::kNone;
  /// The program, or a process that it left, had to be killed: what that process ran is lost.
  bool killed = false;
  /// The first process ended before another one that it had started.
  bool left_processes = false;
  /// Sorted by name. One for each process; one that forks has one for each part between forks.
  std::vector<std::filesystem::path> profiles;
  int empty_profiles = 0;   ///< processes of which nothing was recorded
  std::string last_output;  ///< the last kLastOutput bytes of the program's output
  std::string log;          ///< what valgrind said, its beginning: below 2 * kLastOutput bytes
};

inline constexpr std::size_t kLastOutput = 4096;

/// Runs the program in a session of its own, and waits for it and for all processes that it starts,
/// also those that detach themselves (daemons). At the time limit, or once interrupted, all of them
/// get SIGTERM, upon which callgrind writes what was recorded; those that do not end get SIGABRT,
/// and then SIGKILL, sooner when interrupted again.
///
/// The program runs with our environment, but without core dumps, and valgrind without options of
/// the user's (VALGRIND_OPTS, .valgrindrc). The CPU that valgrind shows to the program has at most
/// AVX2.
///
/// Meanwhile this process adopts the orphans among its descendants, and must have no children that
/// somebody else waits for. Throws EnvironmentError if valgrind is not installed, and InputError if
/// the input or output cannot be opened.
CallgrindRun run_under_callgrind(const CallgrindRequest& request);

}  // namespace assay
