#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "suites/extract/block_set.h"
#include "suites/extract/dynamic_extraction.h"

namespace assay {

/// A program whose blocks are to be found by running it.
struct DynamicRequest {
  std::string program;  ///< a path; without a slash, looked for where PATH says
  std::vector<std::string> arguments;
  std::string input = "/dev/null";  ///< path of what is its standard input
  std::string output;               ///< path of where its output goes; empty: nowhere
  std::optional<std::chrono::seconds> time_limit;
  bool main_only = false;  ///< the program's own blocks, not its libraries'
  ObjectChoice choice;
  /// Asked many times a second: whether the program is to end now; once more, whether at once.
  std::function<bool()> interrupted = [] { return false; };
};

struct DynamicResult {
  BlockSet blocks;
  std::string program;                 ///< the path that ran
  std::vector<ObjectFigures> objects;  ///< that ran, by path
  std::size_t profiles = 0;            ///< joined: one for each process, and part of one that forks
  int left_out = 0;                    ///< processes, of which nothing, or not all, was recorded
  int status = 0;                      ///< the program's, or 128 plus the signal that ended it
  double seconds = 0;                  ///< all of it took
  bool interrupted = false;            ///< the request said so, upon which the program was ended
  std::vector<std::string> remarks;    ///< on how it went, for the user; of one or more lines
};

/// Runs the program once under valgrind and takes the blocks that ran: of one that is interrupted,
/// or that fails, what ran until then. Throws InputError for what cannot be run, in valgrind's
/// words where they are its, and EnvironmentError where valgrind is missing, or where TMPDIR has no
/// room for what is recorded.
///
/// `result` is empty before; where this throws, its remarks are those that came up until then.
/// Interrupted before anything was recorded, it has no objects.
void run_dynamically(const DynamicRequest& request, DynamicResult& result);

/// The path of a program as DynamicRequest has it. Throws InputError if it cannot be run.
std::filesystem::path program_path(const std::string& program);

}  // namespace assay
