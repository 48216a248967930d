#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <span>
#include <variant>

#include "harness/commands/settled_clock.h"
#include "harness/commands/subcommands.h"
#include "harness/options/block_source.h"
#include "harness/options/run_options.h"
#include "harness/options/sandbox_option.h"
#include "harness/output/explanation.h"
#include "harness/output/json_text.h"
#include "harness/output/measurement_output.h"
#include "harness/output/patience_note.h"
#include "harness/subcommand.h"
#include "profiler/block/text.h"
#include "profiler/protocol/profiler.h"
#include "profiler/protocol/settle.h"

namespace assay {
namespace {

namespace po = boost::program_options;

std::string stage_names() {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Stage::kJudge); ++i) {
    names.push_back(name(static_cast<Stage>(i)));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

CommandLine measure_options() {
  CommandLine line(
      "assay measure (--hex DIGITS | --asm TEXT | --att TEXT | --file PATH) [options]",
      "Measures one block: core cycles per copy in steady state, with a 95 % interval, or "
      "the reason\nwhy there is no number.");
  add_block_options(line);
  add_notion_option(line);
  add_patience_option(line);
  add_run_options(line);
  add_sandbox_option(line);
  line.add()("stop-after", po::value<std::string>()->value_name("STAGE")->default_value("judge"),
             fmt::format("the last stage to be done: {}", stage_names()).c_str());
  line.add()(
      "explain",
      "also print how the result came about: what was tried, what the block accessed, series "
      "by series");
  line.add()("json", "print a line of JSON for each notion (docs/formats.md)");
  return line;
}

Stage last_stage(const CommandLine::Values& values) {
  const std::string wanted = values["stop-after"].as<std::string>();
  if (const auto stage = named<Stage>(wanted)) return *stage;
  throw UsageError(fmt::format("no stage '{}'; there are: {}", wanted, stage_names()));
}

/// Prints what became of the block under one notion and, with --explain, how.
void print(const MeasuredBlock& measured, std::span<const Attempt> attempts,
           const Settings& settings, const CommandLine::Values& values) {
  const auto decoded = decode(measured.bytes);
  const Block* block = values.count("explain") ? std::get_if<Block>(&decoded) : nullptr;
  if (values.count("json")) {
    nlohmann::ordered_json json = to_json(measured, settings);
    if (values.count("explain")) {
      json["attempts"] = block ? attempts_json(attempts, *block) : nlohmann::ordered_json::array();
    }
    fmt::print("{}\n", json_text(json));
  } else {
    fmt::print("{}", to_text(measured, settings));
    if (block) fmt::print("{}", explain(attempts, *block, settings));
  }
}

}  // namespace

int run_measure(const std::vector<std::string>& arguments) {
  const auto values = measure_options().parse(arguments);
  if (!values) return kDone;
  const Stage last = last_stage(*values);
  const std::vector<Notion> notions = run_notions(*values);
  Settings settings = run_settings(*values);
  const auto patience = run_patience(*values);
  const int processor = run_processor(*values);

  MeasuredBlock block;
  block.bytes = block_from(*values);
  block.text = text_of(block.bytes);

  check_sandbox(*values, "assay measure");
  block.clock_choice = settle_clock(*values, processor, settings);
  Profiler profiler(settings, processor);
  ExitCode status = kNothingMeasured;
  for (const Notion notion : notions) {
    std::vector<Attempt> attempts;
    PatienceNote note(patience);
    block.measurement = settle(profiler, {block.bytes}, notion,
                               {.patience = patience,
                                .last = last,
                                .attempts = values->count("explain") ? &attempts : nullptr,
                                .on_pause = [&](const Visits& visits) { note.pause(visits); }});
    note.end();
    block.ratio = profiler.ratio();
    print(block, attempts, settings, *values);
    const Verdict verdict = block.measurement.outcome.verdict();
    // An unfinished measurement is what --stop-after asked for.
    if (verdict == Verdict::kMeasured || verdict == Verdict::kUnfinished) status = kDone;
  }
  return status;
}

}  // namespace assay
