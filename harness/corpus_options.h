#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "harness/command_line.h"
#include "suites/readers/corpus_format.h"

namespace assay {

/// Adds --corpus-format.
void add_corpus_format_option(CommandLine& line);

/// The format that it names; nothing without the option. Throws UsageError for what is none.
std::optional<CorpusFormat> corpus_format_option(const CommandLine::Values& values);

/// Bad lines of corpora are told one by one, up to a number: a corpus of another format has nothing
/// else.
class BadLineReport {
 public:
  /// `tell` takes a message without a line feed; `command`: what it begins with, "assay profile".
  BadLineReport(std::string command, std::function<void(const std::string&)> tell)
      : command_(std::move(command)), tell_(std::move(tell)) {}

  /// `text` says where the line is and what is wrong with it.
  void add(const std::string& text);

 private:
  std::string command_;
  std::function<void(const std::string&)> tell_;
  int count_ = 0;
};

}  // namespace assay
