#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "profiler/block/block_spec.h"
#include "profiler/measurement/measurement.h"
#include "profiler/support/error.h"

namespace assay {

/// A block to be measured once.
struct Task {
  std::uint64_t ticket = 0;  ///< names it; not 0
  Notion notion = Notion::kUnrolled;
  bool with_text = false;  ///< whether its text is wanted too
  BlockSpec block;
};

/// What became of a task.
struct Answer {
  std::uint64_t ticket = 0;
  Measurement measurement;
  std::string text;  ///< text_of() its bytes if the task asks for it
};

/// A worker has made itself ready for tasks.
struct WorkerReady {};

/// A worker cannot go on: an Error, as the kind that it was thrown as.
struct WorkerError {
  enum class Kind : std::uint8_t { kInput, kEnvironment, kInternal };
  Kind kind = Kind::kInternal;
  std::string text;
};

using Message = std::variant<Task, Answer, WorkerReady, WorkerError>;

/// Bytes that are no message.
class BrokenMessage : public Error {
 public:
  using Error::Error;
};

/// A message as bytes: its length (4 bytes), its kind and its parts in order, numbers as this
/// machine has them. Both ends are the same program on the same machine.
std::string encode(const Message& message);

/// Cuts a stream of bytes into messages again, wherever it comes in pieces.
class MessageStream {
 public:
  void append(std::string_view bytes) { buffer_.append(bytes); }
  /// The next message; nothing until more bytes come. Throws BrokenMessage for what encode() does
  /// not give: a message that is cut short, longer than it says, or that names what there is not.
  std::optional<Message> next();

 private:
  std::string buffer_;
  std::size_t begin_ = 0;  ///< of what was not given yet
};

}  // namespace assay
