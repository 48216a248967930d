#include "harness/command_line.h"

#include <fmt/format.h>

#include <sstream>

namespace assay {
namespace {

namespace po = boost::program_options;

constexpr unsigned kLineWidth = 100;
constexpr unsigned kDescriptionWidth = 60;

}  // namespace

CommandLine::CommandLine(std::string usage, std::string about)
    : usage_(std::move(usage)),
      about_(std::move(about)),
      options_("options", kLineWidth, kDescriptionWidth) {
  add()("help,h", "show this help");
}

void CommandLine::take_words(const std::string& name) { words_ = name; }

std::optional<CommandLine::Values> CommandLine::parse(
    const std::vector<std::string>& arguments) const {
  po::options_description all;
  all.add(options_);
  const std::string words = words_.empty() ? "surplus-words" : words_;
  all.add_options()(words.c_str(), po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add(words.c_str(), -1);
  // Options must be written in full: an abbreviation that works today may be ambiguous tomorrow.
  constexpr int kStyle =
      po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    Values values;
    po::store(
        po::command_line_parser(arguments).options(all).positional(positional).style(kStyle).run(),
        values);
    if (values.count("help")) {
      std::ostringstream options;
      options << options_;
      fmt::print("usage: {}\n\n{}\n\n{}", usage_, about_, options.str());
      return std::nullopt;
    }
    if (words_.empty() && values.count(words)) {
      throw UsageError(fmt::format("'{}' belongs to no option: nothing else can be given here",
                                   values[words].as<std::vector<std::string>>().front()));
    }
    po::notify(values);
    return values;
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace assay
