#include <fmt/format.h>

#include "harness/block_source.h"
#include "harness/commands.h"
#include "harness/explanation.h"
#include "harness/measurement_output.h"
#include "harness/run_options.h"
#include "profiler/block/text.h"
#include "profiler/protocol/profiler.h"

namespace assay {
namespace {

namespace po = boost::program_options;

CommandLine options() {
  CommandLine line(
      "assay measure (--hex DIGITS | --asm TEXT | --att TEXT | --file PATH) [options]",
      "Measures one block: core cycles per copy in steady state, with a 95 % interval, or "
      "the reason\nwhy there is no number.");
  add_block_options(line);
  add_run_options(line);
  line.add()("stop-after", po::value<std::string>()->value_name("STAGE")->default_value("judge"),
             "decode, plan, prepare, sample, estimate or judge");
  line.add()("explain", "print how it came to this: what was tried, series by series");
  line.add()("json", "print one JSON object (docs/formats.md)");
  return line;
}

Stage last_stage(const CommandLine::Values& values) {
  const std::string name = values["stop-after"].as<std::string>();
  if (const auto stage = stage_named(name)) return *stage;
  throw UsageError(fmt::format("no stage '{}'", name));
}

}  // namespace

int run_measure(const std::vector<std::string>& arguments) {
  const auto values = options().parse(arguments);
  if (!values) return kDone;
  const Stage last = last_stage(*values);
  const Settings settings = run_settings(*values);

  MeasuredBlock block;
  block.bytes = block_from(*values);
  block.text = text_of(block.bytes);

  Profiler profiler(settings, run_processor(*values));
  block.measurement = profiler.measure(block.bytes, Notion::kUnrolled, last);
  block.core_cycles_per_tick = profiler.core_cycles_per_tick();

  if (values->count("json")) {
    fmt::print("{}\n", to_json(block, settings).dump());
  } else {
    fmt::print("{}", to_text(block, settings));
    if (values->count("explain")) fmt::print("{}", explain(profiler.attempts(), settings));
  }
  const bool stopped = block.measurement.verdict == Verdict::kUnfinished;
  return stopped || block.measurement.verdict == Verdict::kMeasured ? kDone : kNothingMeasured;
}

}  // namespace assay
