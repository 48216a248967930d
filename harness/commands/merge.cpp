#include "results/exchange/merge.h"
#include "harness/commands/subcommands.h"
#include "harness/subcommand.h"
#include "profiler/support/printable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/campaign/interrupt.h"
#include "harness/command_line.h"
#include "harness/output/json_text.h"
#include "harness/output/merge_output.h"

namespace assay {
namespace {

CommandLine merge_options() {
  CommandLine line(
      "assay merge OUT IN... [--partial] [--json]",
      "Joins stores into the store OUT, which is made if there is none; the others are only read. "
      "Of two\noutcomes of a block in one campaign a settled one is kept, then one that can't be "
      "the\nmoment's, then the newer. All of them are merged, or "
      "none, in any\norder and as often as you like.");
  line.take_words();
  line.add()("partial", "take stores too whose campaign, or shard of one, is not complete");
  line.add()("json", "print the summary as one JSON object (docs/formats.md)");
  return line;
}

MergeRequest merge_request(const CommandLine::Values& values) {
  const std::vector<std::string> stores = words_of(values);
  if (stores.empty()) {
    throw UsageError("no stores given: name the one to merge into, then those to merge");
  }
  if (stores.size() < 2) throw UsageError("no store given to merge into " + stores[0]);
  return {.out = stores[0],
          .in = {stores.begin() + 1, stores.end()},
          .partial = values.count("partial") > 0,
          .interrupted = [] { return InterruptGuard::signal() != 0; }};
}

}  // namespace

int run_merge(const std::vector<std::string>& arguments) {
  const auto values = merge_options().parse(arguments);
  if (!values) return kDone;
  const InterruptGuard guard;
  const MergeRequest request = merge_request(*values);
  const MergeResult result = merge_stores(request);
  if (values->count("json")) {
    fmt::print("{}\n", json_text(to_json(result, request)));
  } else if (result.merged) {
    fmt::print("{}", printable(to_text(result, request)));
  }
  if (result.interrupted) {
    fmt::print(stderr, "assay merge: interrupted; nothing was merged\n");
    return 128 + InterruptGuard::signal();
  }
  if (!result.merged) fmt::print(stderr, "assay merge: {}", printable(refusal(result, request)));
  return result.merged ? kDone : kNothingMeasured;
}

}  // namespace assay
