#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "harness/campaign/interrupt.h"
#include "harness/command_line.h"
#include "harness/commands/subcommands.h"
#include "harness/options/form_options.h"
#include "harness/output/corpus_output.h"
#include "harness/output/json_text.h"
#include "harness/output/output_file.h"
#include "harness/subcommand.h"
#include "profiler/support/counted.h"
#include "profiler/support/version.h"
#include "suites/generate/form_table.h"
#include "suites/generate/instruction_suite.h"
#include "suites/readers/corpus_writer.h"

namespace assay {
namespace {

enum class Shown { kBlocks, kForms, kSkipped };

struct InstructionsRequest {
  InstructionSuiteRequest suite;
  Shown shown = Shown::kBlocks;
  bool json = false;
  bool filtered = false;
  CorpusOutput output;
  CorpusAbout about;
};

CommandLine suite_instructions_options() {
  namespace po = boost::program_options;
  CommandLine line(
      "assay suite instructions [--filter TEXT] [--kind KIND] [--out FILE] [options]",
      "Makes blocks of every instruction form that this CPU has: one in which it waits "
      "for itself through\neach pair of something it reads and something it writes, "
      "and one of independent copies.");
  add_form_options(line);
  line.add()("kind", po::value<std::string>()->default_value("both"),
             "latency, throughput, or both");
  line.add()("list", "print the forms and how many blocks each has, not the blocks");
  line.add()("skipped", "print the forms, mnemonics and blocks that are not made, and why");
  line.add()("json", "--list and --skipped as JSON lines");
  add_corpus_output_options(line);
  return line;
}

void set_kind(const std::string& kind, InstructionSuiteRequest& suite) {
  if (kind != "both" && kind != "latency" && kind != "throughput") {
    throw UsageError(fmt::format("--kind {}: must be latency, throughput or both", kind));
  }
  suite.latency = kind != "throughput";
  suite.throughput = kind != "latency";
}

InstructionsRequest suite_instructions_request(const CommandLine::Values& values) {
  if (values.count("list") && values.count("skipped")) {
    throw UsageError("--list and --skipped print different things: choose one");
  }
  InstructionsRequest request;
  request.suite.filter = form_filter_from(values);
  request.filtered = values.count("filter") > 0 || values.count("extension") > 0;
  const auto kind = values["kind"].as<std::string>();
  set_kind(kind, request.suite);
  if (values.count("list")) request.shown = Shown::kForms;
  if (values.count("skipped")) request.shown = Shown::kSkipped;
  request.json = values.count("json") > 0;
  if (request.json && request.shown == Shown::kBlocks) {
    throw UsageError("--json is for --list and --skipped; blocks have --format");
  }
  request.output = corpus_output_from(values);
  request.about = {std::string(program_version()), "instruction forms", form_facts(values)};
  request.about.facts.emplace_back("kind", kind);
  return request;
}

class Writer {
 public:
  Writer(const InstructionsRequest& request, OutputFile& out) : request_(request), out_(out) {}

  InstructionSuiteVisitor visitor() {
    return {.form = [this](const InstructionForm& form, int blocks) { add_form(form, blocks); },
            .block = [this](const CorpusEntry& entry) { add_block(entry); },
            .skipped = [this](const Skipped& skipped) { add_skipped(skipped); },
            .wanted = [] { return InterruptGuard::signal() == 0; }};
  }

  void add_skipped(const Skipped& skipped) {
    ++skipped_[skipped.reason];
    if (request_.shown != Shown::kSkipped) return;
    if (request_.json) {
      write_json({{"name", skipped.name}, {"reason", skipped.reason}, {"detail", skipped.detail}});
    } else {
      out_.write(fmt::format("{}\t{}\t{}\n", skipped.name, skipped.reason, skipped.detail));
    }
  }

  std::int64_t blocks() const { return blocks_; }
  bool wrote() const { return request_.shown == Shown::kSkipped || forms_ > 0; }

  std::string summary() const {
    std::string text = fmt::format("{}, {}", counted(forms_, "form"), counted(blocks_, "block"));
    std::string_view separator = "; left out: ";
    for (const auto& [reason, count] : skipped_) {
      text += fmt::format("{}{} {}", separator, count, reason);
      separator = ", ";
    }
    return text;
  }

 private:
  void write_json(const nlohmann::ordered_json& json) { out_.write(json_text(json) + "\n"); }

  void add_form(const InstructionForm& form, int blocks) {
    ++forms_;
    if (request_.shown != Shown::kForms) return;
    if (request_.json) {
      write_json({{"form", form.name}, {"isa_set", form.isa_set}, {"blocks", blocks}});
    } else {
      out_.write(fmt::format("{}\t{}\t{}\n", form.name, form.isa_set, blocks));
    }
  }

  void add_block(const CorpusEntry& entry) {
    if (request_.shown == Shown::kBlocks) {
      if (blocks_ == 0) out_.write(corpus_header(request_.output.format, request_.about));
      out_.write(corpus_line(request_.output.format, entry));
    }
    ++blocks_;
  }

  const InstructionsRequest& request_;
  OutputFile& out_;
  std::int64_t forms_ = 0;
  std::int64_t blocks_ = 0;
  std::map<std::string, std::int64_t> skipped_;
};

int write_suite(const InstructionsRequest& request) {
  OutputFile out(request.output.path);
  Writer writer(request, out);
  make_instruction_suite(request.suite, writer.visitor());
  if (const int signal = InterruptGuard::signal(); signal != 0) return 128 + signal;
  if (!request.filtered) {
    for (const AbsentMnemonic& absent : absent_mnemonics()) {
      writer.add_skipped({std::string(absent.name), "no_form", std::string(absent.reason)});
    }
  }
  fmt::print(stderr, "assay suite instructions: {}\n", writer.summary());
  if (!writer.wrote()) return kNothingMeasured;
  out.finish();
  return kDone;
}

}  // namespace

int run_suite_instructions(const std::vector<std::string>& arguments) {
  const auto values = suite_instructions_options().parse(arguments);
  if (!values) return kDone;
  const InstructionsRequest request = suite_instructions_request(*values);
  return with_output([&] { return write_suite(request); });
}

}  // namespace assay
