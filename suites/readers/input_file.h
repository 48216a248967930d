#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace assay {

/// A file that is read from its start to its end, or standard input. Every error that it throws is
/// an InputError with the file's name and the errno in words.
class InputFile {
 public:
  /// Opens a file; "-" is standard input. Does not wait until a named pipe has a writer: read()
  /// does. Refuses character devices other than terminals.
  static InputFile open(const std::string& path);

  /// `descriptor` is closed with this object, unless it is standard input's.
  InputFile(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  /// Waits until there is something to read, and reads at most `target.size()` bytes of it. Returns
  /// their number; 0 at the file's end.
  std::size_t read(std::span<char> target);

  /// Whether read() would return at once, because there is data or the file has ended.
  bool has_something() const;

  /// The file's name for messages: its path, or "standard input".
  const std::string& name() const { return name_; }

 private:
  void wait() const;

  int descriptor_;  ///< -1 once moved from
  std::string name_;
};

}  // namespace assay
