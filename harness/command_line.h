#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profiler/support/error.h"

namespace assay {

/// Thrown for wrong options; the message is printed with a hint at --help.
class UsageError : public InputError {
 public:
  using InputError::InputError;
};

/// The options of one subcommand.
class CommandLine {
 public:
  using Values = boost::program_options::variables_map;

  /// `usage`: what follows "usage: "; `about`: a few lines on what the subcommand does.
  CommandLine(std::string usage, std::string about);

  boost::program_options::options_description_easy_init add() { return options_.add_options(); }
  /// Collects the words that are no options, as a value of type std::vector<std::string> with this
  /// name.
  void take_words(const std::string& name);

  /// The values of the options. Prints the help, and gives nothing, if --help is among them. Throws
  /// UsageError.
  std::optional<Values> parse(const std::vector<std::string>& arguments) const;

 private:
  std::string usage_;
  std::string about_;
  std::string words_;
  boost::program_options::options_description options_;
};

}  // namespace assay
