#include "harness/options/filter_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "harness/options/corpus_options.h"
#include "profiler/machine/instruction_support.h"
#include "suites/readers/corpus_writer.h"

namespace assay {
namespace {

namespace po = boost::program_options;

/// The options that choose blocks, in the order of the help text; only the last takes no value.
constexpr std::array kChoices = {"drop",   "keep",      "min-length",        "max-length",
                                 "memory", "extension", "without-extension", "limit",
                                 "sample", "seed",      "by-weight"};

auto text_option(const char* shape) { return po::value<std::string>()->value_name(shape); }

std::string code_trait_names() {
  std::vector<std::string_view> names;
  for (int i = 0; i < kCodeTraits; ++i) names.push_back(name(static_cast<CodeTrait>(i)));
  return fmt::format("{}, or {} for all of them", fmt::join(names, ", "), kUicaTraits);
}

CommandLine filter_options() {
  CommandLine line("assay suite filter CORPUS... [options]",
                   "Writes the blocks that no option drops as a corpus, in their order, with all "
                   "that is known of\nthem. Nothing is run; without options all blocks are copied "
                   "(docs/suites.md). Lists have commas\nbetween. '-' reads standard input.");
  line.take_words();
  add_corpus_format_option(line);
  line.add()("drop", text_option("TRAITS"),
             fmt::format("drop blocks that have any of these: {}", code_trait_names()).c_str());
  line.add()("keep", text_option("TRAITS"), "drop blocks that have none of these");
  line.add()("min-length", po::value<int>()->value_name("N"), "drop blocks of fewer instructions");
  line.add()("max-length", po::value<int>()->value_name("N"), "drop blocks of more instructions");
  line.add()("memory", text_option("USE"),
             "drop blocks of another use of memory: none, loads (alone), stores (alone), both, or "
             "any of the last three");
  line.add()("extension", text_option("NAMES"),
             "drop blocks that use none of these instruction set extensions, as assay suite show "
             "names them");
  line.add()("without-extension", text_option("NAMES"), "drop blocks that use any of these");
  line.add()("limit", po::value<std::int64_t>()->value_name("N"),
             "keep only the first N distinct blocks of those not dropped");
  line.add()("sample", po::value<std::int64_t>()->value_name("N"),
             "draw N distinct blocks of those not dropped");
  line.add()("seed", po::value<std::uint64_t>()->value_name("S")->default_value(0),
             "seed of the sample: the same number gives the same sample of the same blocks");
  line.add()("by-weight", "draw blocks in proportion to their weights");
  line.add()("out", text_option("FILE")->default_value("-"),
             "written whole or not at all; '-' is standard output");
  line.add()("format", text_option("FORMAT")->default_value("jsonl"),
             "of what is written: jsonl, hex (no names or weights) or bhive-frequency");
  line.add()("json", "print a summary as one JSON object (docs/formats.md); needs --out FILE");
  return line;
}

CodeTraits traits_option(const CommandLine::Values& values, const char* option) {
  const auto list = values[option].as<std::string>();
  if (const auto traits = named<CodeTraits>(list)) return *traits;
  throw UsageError(fmt::format("--{}: '{}' is no list of traits with commas between; there are: {}",
                               option, list, code_trait_names()));
}

int length_option(const CommandLine::Values& values, const char* option) {
  const int length = values[option].as<int>();
  if (length < 0) throw UsageError(fmt::format("--{} must be at least 0", option));
  return length;
}

std::vector<MemoryUse> memory_option(const CommandLine::Values& values) {
  const auto wanted = values["memory"].as<std::string>();
  if (wanted == "any") return {MemoryUse::kLoads, MemoryUse::kStores, MemoryUse::kBoth};
  for (int i = 0; i < kMemoryUses; ++i) {
    if (wanted == name(static_cast<MemoryUse>(i))) return {static_cast<MemoryUse>(i)};
  }
  throw UsageError(
      fmt::format("--memory: no use '{}'; there are: none, loads, stores, both, any", wanted));
}

/// The extensions that the option names, as views of extension_names(), which live as long as the
/// program.
std::vector<std::string_view> extensions_option(const CommandLine::Values& values,
                                                const char* option) {
  const std::vector<std::string_view> all = extension_names();
  std::vector<std::string_view> wanted;
  const auto list = values[option].as<std::string>();
  std::string_view rest = list;
  while (true) {
    const std::size_t comma = rest.find(',');
    const auto found = std::ranges::find(all, rest.substr(0, comma));
    if (found == all.end()) {
      throw UsageError(fmt::format("--{}: no extension '{}'; there are: {}", option,
                                   rest.substr(0, comma), fmt::join(all, ", ")));
    }
    wanted.push_back(*found);
    if (comma == std::string_view::npos) return wanted;
    rest.remove_prefix(comma + 1);
  }
}

FilterRules rules_from(const CommandLine::Values& values) {
  FilterRules rules;
  if (values.count("drop")) rules.drop = traits_option(values, "drop");
  if (values.count("keep")) rules.keep = traits_option(values, "keep");
  if (rules.keep && (*rules.keep & ~rules.drop).none()) {
    throw UsageError("--drop and --keep leave no block: --drop has all traits of --keep");
  }
  if (values.count("min-length")) rules.min_length = length_option(values, "min-length");
  if (values.count("max-length")) rules.max_length = length_option(values, "max-length");
  if (rules.min_length && rules.max_length && *rules.min_length > *rules.max_length) {
    throw UsageError("--min-length is more than --max-length");
  }
  if (values.count("memory")) rules.memory = memory_option(values);
  if (values.count("extension")) rules.extensions = extensions_option(values, "extension");
  if (values.count("without-extension")) {
    rules.without_extensions = extensions_option(values, "without-extension");
  }
  return rules;
}

CorpusFormat format_from(const CommandLine::Values& values) {
  const auto wanted = values["format"].as<std::string>();
  const auto format = named<CorpusFormat>(wanted);
  if (format && std::ranges::find(kWrittenFormats, *format) != kWrittenFormats.end()) {
    return *format;
  }
  std::vector<std::string_view> names;
  for (const CorpusFormat written : kWrittenFormats) names.push_back(name(written));
  throw UsageError(
      fmt::format("--format: corpora are written as {}, not '{}'", fmt::join(names, ", "), wanted));
}

std::optional<std::int64_t> count_option(const CommandLine::Values& values, const char* option) {
  if (!values.count(option)) return std::nullopt;
  const auto count = values[option].as<std::int64_t>();
  if (count < 1) throw UsageError(fmt::format("--{} must be at least 1", option));
  return count;
}

void read_choice(const CommandLine::Values& values, FilterRequest& request) {
  request.limit = count_option(values, "limit");
  if (const auto sample = count_option(values, "sample")) {
    request.sample = static_cast<std::size_t>(*sample);
  }
  request.seed = values["seed"].as<std::uint64_t>();
  request.by_weight = values.count("by-weight") > 0;
  if (request.limit && request.sample) throw UsageError("--limit or --sample, not both");
  const bool drawn = request.by_weight || !values["seed"].defaulted();
  if (drawn && !request.sample) throw UsageError("--seed and --by-weight need --sample N");
}

std::string value_text(const po::variable_value& value) {
  if (const auto* const text = boost::any_cast<std::string>(&value.value())) {
    return text->empty() ? "yes" : *text;  // an option without a value
  }
  if (const auto* const number = boost::any_cast<int>(&value.value())) {
    return fmt::format("{}", *number);
  }
  if (const auto* const number = boost::any_cast<std::int64_t>(&value.value())) {
    return fmt::format("{}", *number);
  }
  if (const auto* const number = boost::any_cast<std::uint64_t>(&value.value())) {
    return fmt::format("{}", *number);
  }
  return "yes";
}

std::vector<std::pair<std::string, std::string>> told(const CommandLine::Values& values) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const std::string option : kChoices) {
    const bool meant =
        values.count(option) && (!values[option].defaulted() || values.count("sample"));
    if (meant) facts.emplace_back(option, value_text(values[option]));
  }
  return facts;
}

}  // namespace

std::optional<FilterRequest> filter_request(const std::vector<std::string>& arguments) {
  const auto values = filter_options().parse(arguments);
  if (!values) return std::nullopt;
  FilterRequest request;
  request.input = suite_input(*values);
  request.rules = rules_from(*values);
  read_choice(*values, request);
  request.out = (*values)["out"].as<std::string>();
  request.format = format_from(*values);
  request.json = values->count("json") > 0;
  if (request.json && request.out == "-") {
    throw UsageError("--json and the corpus would both go to standard output: give --out FILE");
  }
  request.told = told(*values);
  return request;
}

}  // namespace assay
