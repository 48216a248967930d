#pragma once

#include <boost/program_options.hpp>
#include <cstddef>
#include <limits>
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
  /// Lets words be given that belong to no option, at most so many (see words_of()). Without this
  /// call any such word is an error.
  void take_words(std::size_t most = std::numeric_limits<std::size_t>::max());

  /// The values of the options. Prints the help, and gives nothing, if --help is among them. Throws
  /// UsageError.
  std::optional<Values> parse(const std::vector<std::string>& arguments) const;

 private:
  std::string usage_;
  std::string about_;
  std::size_t most_words_ = 0;
  boost::program_options::options_description options_;
};

/// The words that belong to no option, in their order.
std::vector<std::string> words_of(const CommandLine::Values& values);

}  // namespace assay
