#include "harness/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <typeinfo>

namespace assay {
namespace {

namespace po = boost::program_options;

constexpr unsigned kLineWidth = 100;
constexpr unsigned kDescriptionWidth = 60;
/// The name under which words are kept that belong to no option. On the command line a name ends
/// before '=', so that nobody can give this one.
constexpr const char* kWords = "words=";

/// What an option takes, given as on the command line, if its argument was refused. That is a
/// number, since any argument is a text.
const char* what_it_takes(const po::options_description& options, const std::string& given) {
  const std::string name = given.substr(std::min(given.find_first_not_of('-'), given.size()));
  const po::option_description* const option = options.find_nothrow(name, false);
  const auto* const value =
      option ? dynamic_cast<const po::typed_value_base*>(option->semantic().get()) : nullptr;
  return value != nullptr && value->value_type() == typeid(double) ? "a number" : "a whole number";
}

}  // namespace

CommandLine::CommandLine(std::string usage, std::string about)
    : usage_(std::move(usage)),
      about_(std::move(about)),
      options_("options", kLineWidth, kDescriptionWidth) {
  add()("help,h", "show this help");
}

void CommandLine::take_words(std::size_t most) { most_words_ = most; }

std::optional<CommandLine::Values> CommandLine::parse(
    const std::vector<std::string>& arguments) const {
  po::options_description all;
  all.add(options_);
  all.add_options()(kWords, po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add(kWords, -1);
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
    if (const auto words = words_of(values); words.size() > most_words_) {
      throw UsageError(fmt::format("'{}' belongs to no option: nothing else can be given here",
                                   words[most_words_]));
    }
    po::notify(values);
    return values;
  } catch (const po::invalid_option_value& error) {
    throw UsageError(fmt::format("{}: it takes {}", error.what(),
                                 what_it_takes(options_, error.get_option_name())));
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
}

std::vector<std::string> words_of(const CommandLine::Values& values) {
  if (!values.count(kWords)) return {};
  return values[kWords].as<std::vector<std::string>>();
}

}  // namespace assay
