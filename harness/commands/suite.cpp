#include <array>

#include "harness/commands/subcommands.h"
#include "harness/subcommand.h"

namespace assay {
namespace {

constexpr std::array kSuiteCommands = {
    Subcommand{"show", "print a corpus's blocks, and count them", run_suite_show},
    Subcommand{"filter", "choose blocks of corpora, and write them as one", run_suite_filter},
    Subcommand{"instructions", "make blocks of every instruction form", run_suite_instructions},
    Subcommand{"random", "make blocks of instructions drawn at random", run_suite_random},
};

constexpr SubcommandTable kSuite = {
    .program = "assay suite",
    .about = "Shows, filters and makes corpora of blocks.",
    .usage = {},
    .rows = kSuiteCommands,
};

}  // namespace

int run_suite(const std::vector<std::string>& arguments) {
  return run_subcommand(kSuite, arguments);
}

}  // namespace assay
