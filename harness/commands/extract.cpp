#include "harness/commands/subcommands.h"
#include "harness/subcommand.h"
#include "profiler/support/version.h"
#include "suites/extract/walk/extraction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "harness/campaign/interrupt.h"
#include "harness/command_line.h"
#include "harness/commands/extract_choice.h"
#include "harness/commands/extract_dynamic.h"
#include "harness/output/corpus_output.h"
#include "harness/output/extraction_output.h"
#include "harness/output/json_text.h"
#include "harness/output/output_file.h"
#include "harness/output/progress.h"
#include "profiler/support/counted.h"
#include "suites/extract/program/program_file.h"

namespace assay {
namespace {

namespace po = boost::program_options;

struct ExtractRequest {
  std::vector<std::string> programs;
  CorpusOutput output;
  BlockChoice choice;
  bool json = false;
};

CommandLine extract_options() {
  CommandLine line(
      "assay extract PROGRAM... [--out CORPUS] [options]\n"
      "       assay extract PROGRAM --dynamic [--out CORPUS] [options] [-- ARGUMENT...]",
      "Finds the basic blocks of programs, libraries, object files and archives (ELF, "
      "x86-64) by decoding\nthem from their functions on, and writes them as one "
      "corpus: each block once, with how often it occurs.");
  line.take_words();
  add_corpus_output_options(line);
  add_choice_options(line);
  line.add()("json", "print what was found and skipped as one JSON object; needs --out FILE");
  add_dynamic_options(line);
  return line;
}

ExtractRequest extract_request(const CommandLine::Values& values) {
  ExtractRequest request;
  request.programs = words_of(values);
  if (request.programs.empty()) throw UsageError("no program given");
  request.output = corpus_output_from(values);
  request.choice = block_choice_from(values);
  request.json = values.count("json") > 0;
  if (request.json && request.output.path == "-") {
    throw UsageError("the corpus goes to standard output: with --json, give --out FILE");
  }
  return request;
}

bool goes_on() { return InterruptGuard::signal() == 0; }

std::string what_it_had_to_go_by(const Image& image) {
  if (image.has_symbol_table) return "";
  return fmt::format("{} is stripped: found by {} frame entries and {} exported functions{}",
                     image.name, image.frames.size(), image.functions.size(),
                     image.has_sections ? "" : ", without section headers");
}

ExtractionReport::Program extract_program(const std::string& path, const ExtractRequest& request,
                                          ProgressLine& progress, BlockSet& blocks) {
  ExtractionReport::Program program{path, {}, {}};
  ProgramFile file(path);
  while (goes_on()) {
    const auto image = file.next();
    if (!image) break;
    const auto show = [&](std::size_t reached) {
      if (progress.is_due()) {
        progress.show(fmt::format("{}  {:.1f} MB of code reached  {}", image->name,
                                  static_cast<double>(reached) / 1e6,
                                  counted(blocks.size(), "block")));
      }
      return goes_on();
    };
    program.counts += extract_blocks(*image, {request.choice, show}, blocks);
    const std::string remark = what_it_had_to_go_by(*image);
    if (!remark.empty()) program.remarks.push_back(remark);
  }
  const auto& remarks = file.remarks();
  program.remarks.insert(program.remarks.end(), remarks.begin(), remarks.end());
  return program;
}

CorpusAbout about(const ExtractRequest& request) {
  CorpusAbout about;
  about.program = program_version();
  about.description = fmt::format("{} of {}, with the number of places that each occurs in",
                                  what_is_taken(request.choice), fmt::join(request.programs, ", "));
  about.facts = {{"method", "static"},
                 {"branches", request.choice.with_branch() ? "kept" : "left out"}};
  return about;
}

void print(const ExtractionReport& report, const ExtractRequest& request) {
  if (request.json) {
    fmt::print("{}\n", json_text(to_json(report)));
  } else {
    fmt::print(request.output.path == "-" ? stderr : stdout, "{}", to_text(report));
  }
}

int extract(const ExtractRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  BlockSet blocks;
  ExtractionReport report;
  report.loops = request.choice.loops;
  {
    ProgressLine progress;
    for (const std::string& path : request.programs) {
      report.programs.push_back(extract_program(path, request, progress, blocks));
    }
  }
  const auto interrupted = [] { return 128 + InterruptGuard::signal(); };
  if (!goes_on()) return interrupted();
  if (blocks.size() == 0) {
    fmt::print(stderr, "assay extract: no {}\n{}", what_is_taken(request.choice), to_text(report));
    return kNothingMeasured;
  }
  if (!write_corpus(request.output, about(request), blocks, goes_on)) return interrupted();
  report.distinct = blocks.size();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  print(report, request);
  return kDone;
}

}  // namespace

int run_extract(const std::vector<std::string>& arguments) {
  const auto dashes = std::ranges::find(arguments, "--");
  const auto values = extract_options().parse({arguments.begin(), dashes});
  if (!values) return kDone;
  const ExtractRequest request = extract_request(*values);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    if (values->count("dynamic")) {
      const std::vector<std::string> rest(dashes == arguments.end() ? dashes : dashes + 1,
                                          arguments.end());
      if (request.programs.size() > 1) {
        throw UsageError("--dynamic takes one program; its arguments follow --");
      }
      return extract_dynamic(dynamic_request_from(*values, request.programs.front(), rest),
                             request.output, request.json);
    }
    check_no_dynamic_options(*values);
    if (dashes != arguments.end()) throw UsageError("arguments behind -- go with --dynamic");
    check_is_no_other("--out", request.output.path, request.programs);
    const InterruptGuard guard;
    return extract(request);
  } catch (const OutputEnded& end) {
    return 128 + end.signal();
  }
}

}  // namespace assay
