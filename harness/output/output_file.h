#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Thrown when the output ends early although nothing is wrong: its reader wants no more (`|
/// head`), or the user stopped the program.
class OutputEnded : public std::runtime_error {
 public:
  /// `signal`: the program is to end as if this signal had ended it.
  explicit OutputEnded(int signal) : std::runtime_error("the output ended"), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// Throws UsageError if `output`, the file that `option` names to write to, is one of `files`,
/// which are also read or written. Only regular files are compared; "-" and "" are passed over.
void check_is_no_other(const std::string& option, const std::string& output,
                       const std::vector<std::string>& files);

/// Writes to standard output or to a file. A file is written under a temporary name in its folder
/// and gets its own name at the end, so that there is never half a file of that name. Within
/// with_output(), nothing is left behind if a signal ends the program.
class OutputFile {
 public:
  /// `path`: "-" is standard output. Throws InputError if it is no regular file, or if its folder
  /// does not exist, and EnvironmentError if the folder cannot be written.
  explicit OutputFile(const std::string& path);
  /// Removes the file if finish() was not called.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes text. Throws EnvironmentError if it cannot be written, and OutputEnded.
  void write(std::string_view text);
  /// Writes everything to the disk, and then gives the file its name, in place of a file that had
  /// it before. Throws as write() does.
  void finish();

 private:
  void open_beside();
  void flush();

  std::string shown_;           ///< the file's name for messages
  std::filesystem::path path_;  ///< with links resolved; empty for standard output
  std::string temporary_;       ///< temporary name; empty once the file has its own
  int descriptor_ = -1;
  std::string buffer_;
};

/// Runs `work`, which may write to OutputFiles, under an InterruptGuard and with SIGPIPE ignored.
/// Returns what it returns or, if the output ends early, the status that the program is to end
/// with.
int with_output(const std::function<int()>& work);

}  // namespace assay
