#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profiler/support/error.h"

namespace assay {

/// The options are at fault; the message is followed by where help is.
class UsageError : public InputError {
 public:
  using InputError::InputError;
};

/// The options of one subcommand.
class CommandLine {
 public:
  using Values = boost::program_options::variables_map;

  /// `usage`: the line after "usage: "; `about`: a few lines on what the subcommand does.
  CommandLine(std::string usage, std::string about);

  boost::program_options::options_description_easy_init add() { return options_.add_options(); }
  /// Words without a dash are collected in a std::vector<std::string> of this name.
  void take_words(const std::string& name);

  /// The values; nothing when help was asked for, which has been printed then. Throws UsageError.
  std::optional<Values> parse(const std::vector<std::string>& arguments) const;

 private:
  std::string usage_;
  std::string about_;
  std::string words_;
  boost::program_options::options_description options_;
};

}  // namespace assay
