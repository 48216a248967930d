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

/// A block to be visited once.
struct Task {
  std::uint64_t ticket = 0;  ///< identifies the task; not 0
  Notion notion = Notion::kUnrolled;
  std::int64_t visit = 1;   ///< the number of the visit, from 1
  std::int64_t copies = 0;  ///< that the visit is to begin with (Visits::copies())
  bool with_text = false;   ///< whether the answer is to hold the block's text
  BlockSpec block;
};
BOOST_DESCRIBE_STRUCT(Task, (), (ticket, notion, visit, copies, with_text, block))

/// What became of a task.
struct Answer {
  std::uint64_t ticket = 0;
  Measurement measurement;
  std::string text;                  ///< text_of() the block's bytes, if the task asks for it
  std::optional<Evidence> evidence;  ///< that of the measurement, whose description leaves it out
};
BOOST_DESCRIBE_STRUCT(Answer, (), (ticket, measurement, text, evidence))

/// Says that the worker is ready for tasks.
struct WorkerReady {};
BOOST_DESCRIBE_STRUCT(WorkerReady, (), ())

/// Says that the worker cannot go on, because of an Error of this kind.
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

/// Thrown for bytes that are not a valid message.
class BrokenMessage : public Error {
 public:
  using Error::Error;
};

/// A message as bytes: its length (4 bytes in this machine's byte order), and a MessagePack array
/// (https://github.com/msgpack/msgpack/blob/master/spec.md) of its index among the alternatives of
/// Message and of all members that its struct's description lists. Both ends are the same program
/// on the same machine, so that no version is needed.
std::string encode(const Message& message);

/// Cuts a stream of bytes, which may come in pieces of any size, into messages.
class MessageStream {
 public:
  void append(std::string_view bytes) { buffer_.append(bytes); }
  /// The next message; nothing until more bytes come. Throws BrokenMessage for bytes that encode()
  /// cannot have made: a message that is cut short, longer than it says, or has unknown names in
  /// it.
  std::optional<Message> next();

 private:
  std::string buffer_;
  std::size_t begin_ = 0;  ///< where the bytes begin that were not given yet
};

}  // namespace assay
