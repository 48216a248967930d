#pragma once

#include <functional>
#include <string>
#include <utility>

namespace assay {

/// Reports bad lines of corpora one by one, but only up to a certain number, since a corpus of
/// another format has nothing else.
class BadLineReport {
 public:
  /// `tell` is called with each message, without a line feed; `command` is what messages begin
  /// with, "assay profile".
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
