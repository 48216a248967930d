#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The output ended early and nothing is wrong: whoever read it wants no more (`| head`), or the
/// user stopped it.
class OutputEnded : public std::runtime_error {
 public:
  /// `signal`: the program is to end as if by this one.
  explicit OutputEnded(int signal) : std::runtime_error("the output ended"), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// Throws UsageError if the file that `option` names to write to, `output`, is one of `files` that
/// are read or written too. Only regular files are told apart; "-" and "" are none.
void check_is_no_other(const std::string& option, const std::string& output,
                       const std::vector<std::string>& files);

/// Where an output goes. A file is written under another name in its folder and takes its own at
/// the end, so that under that name there is never half of it. Used within with_output(),
/// it leaves nothing behind when it is ended by signals.
class OutputFile {
 public:
  /// `path`: "-" is standard output. Throws InputError for what is no regular file or in no folder,
  /// EnvironmentError if the folder cannot be written.
  explicit OutputFile(const std::string& path);
  /// Removes what was not finished.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws EnvironmentError if the disk is full or in the way, and OutputEnded.
  void write(std::string_view text);
  /// What was written is on the disk then, under the file's name, in place of what had it before.
  /// Throws as write() does.
  void finish();

 private:
  void open_beside();
  void flush();

  std::string shown_;           ///< for messages
  std::filesystem::path path_;  ///< links resolved; empty: standard output
  std::string temporary_;       ///< the name while it is written; empty once it has its own
  int descriptor_ = -1;
  std::string buffer_;
};

/// Runs `work`, which may write by OutputFile, under an InterruptGuard and with SIGPIPE ignored,
/// and gives its status; if the output ends early, what the program is to end with.
int with_output(const std::function<int()>& work);

}  // namespace assay
