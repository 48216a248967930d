#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "profiler/block/block_spec.h"
#include "profiler/measurement/measurement.h"
#include "profiler/support/error.h"
#include "profiler/support/named.h"

namespace assay {

/// A block to be measured once.
struct Task {
  std::uint64_t ticket = 0;  ///< names it; not 0
  Notion notion = Notion::kUnrolled;
  bool with_text = false;  ///< whether its text is wanted too
  BlockSpec block;
};
BOOST_DESCRIBE_STRUCT(Task, (), (ticket, notion, with_text, block))

/// What became of a task.
struct Answer {
  std::uint64_t ticket = 0;
  Measurement measurement;
  std::string text;  ///< text_of() its bytes if the task asks for it
};
BOOST_DESCRIBE_STRUCT(Answer, (), (ticket, measurement, text))

/// A worker has made itself ready for tasks.
struct WorkerReady {};
BOOST_DESCRIBE_STRUCT(WorkerReady, (), ())

/// A worker cannot go on: an Error, as the kind that it was thrown as.
struct WorkerError {
  enum class Kind : std::uint8_t { kInput, kEnvironment, kInternal };
  Kind kind = Kind::kInternal;
  std::string text;
};
BOOST_DESCRIBE_STRUCT(WorkerError, (), (kind, text))
std::string_view name(WorkerError::Kind kind);
template <>
std::optional<WorkerError::Kind> named<WorkerError::Kind>(std::string_view word);

using Message = std::variant<Task, Answer, WorkerReady, WorkerError>;

/// Bytes that are no message.
class BrokenMessage : public Error {
 public:
  using Error::Error;
};

/// A message as bytes: its length (4 bytes, as this machine has them) and a CBOR array (RFC 8949)
/// of its place among the alternatives and of all members that its struct's description lists. Both
/// ends are the same program on the same machine.
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
