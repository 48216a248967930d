#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "suites/extract/dynamic/dynamic_extraction.h"
#include "suites/extract/walk/block_set.h"

namespace assay {

/// A program whose blocks are to be found by running it.
struct DynamicRequest {
  std::string program;  ///< a path; without a slash, a name that is looked for in PATH
  std::vector<std::string> arguments;
  std::string input = "/dev/null";  ///< path of the file that is its standard input
  std::string output;               ///< path of the file for its output; empty: not kept
  std::optional<std::chrono::seconds> time_limit;
  bool main_only = false;  ///< take the program's own blocks, not those of its libraries
  ObjectChoice choice;
  /// As CallgrindRequest::interrupted: called many times a second; true tells the program to end.
  std::function<bool()> interrupted = [] { return false; };
};

struct DynamicResult {
  BlockSet blocks;
  bool loops = false;                  ///< of the blocks, only loops were taken
  std::string program;                 ///< path of the program that ran
  std::vector<ObjectFigures> objects;  ///< the objects that ran, by path
  /// Profiles that were read: one for each process, or one for each part between its forks.
  std::size_t profiles = 0;
  int left_out = 0;          ///< processes of which nothing, or not everything, was recorded
  int status = 0;            ///< the program's exit status, or 128 plus the signal that ended it
  double seconds = 0;        ///< time that all of this took
  bool interrupted = false;  ///< the request said so, upon which the program was ended
  std::vector<std::string> remarks;  ///< how it went, for the user; each of one or more lines
};

/// Runs the program once under valgrind and takes the blocks that ran; if the program is
/// interrupted or fails, those that ran until then. Throws InputError if the program cannot be run,
/// with what valgrind says of it, and EnvironmentError if valgrind is missing or TMPDIR has no room
/// for what is recorded.
///
/// `result` must be empty. When this throws, its remarks are those that came up until then. When
/// interrupted before anything was recorded, it has no objects.
void run_dynamically(const DynamicRequest& request, DynamicResult& result);

/// The path of the program that DynamicRequest::program names. Throws InputError if it cannot be
/// run.
std::filesystem::path program_path(const std::string& program);

}  // namespace assay
