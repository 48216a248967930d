#include "harness/campaign/worker_message.h"

#include <cstring>
#include <type_traits>

namespace assay {
namespace {

using Length = std::uint32_t;
/// Far beyond any message: a block and its text are some hundred kilobytes at most.
constexpr Length kLongest = Length{4} << 20;

/// The place of a type among the alternatives of Message.
enum class Kind : std::uint8_t { kTask, kAnswer, kReady, kError };

class Encoder {
 public:
  explicit Encoder(std::string& target) : target_(target) {}

  template <typename Value>
  requires(std::is_arithmetic_v<Value> || std::is_enum_v<Value>) void add(Value value) {
    target_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(std::string_view text) {
    add(static_cast<Length>(text.size()));
    target_.append(text);
  }
  void add(const Bytes& bytes) {
    add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  void add(const Traits& traits) { add(std::string_view(to_string(traits))); }
  void add(const Estimate& estimate) {
    add(estimate.cycles);
    add(estimate.half_width);
  }
  void add(const EventCount& event) {
    add(std::string_view(event.name));
    add(event.per_copy);
    add(event.half_width);
    add(event.overhead);
    add(event.validates);
    add(event.pass);
    add(event.pass_cycles);
  }
  void add(const Measurement& measurement) {
    add(measurement.notion);
    add(measurement.outcome.reason);
    add(std::string_view(measurement.outcome.detail));
    add(measurement.estimate.has_value());
    if (measurement.estimate) add(*measurement.estimate);
    add(measurement.timed.runs);
    add(measurement.timed.dropped);
    add(measurement.instructions);
    add(measurement.copies);
    add(measurement.pages);
    add(std::string_view(measurement.initial_state));
    add(measurement.traits);
    add(static_cast<Length>(measurement.events.size()));
    for (const EventCount& event : measurement.events) add(event);
  }
  void add(const Task& task) {
    add(task.ticket);
    add(task.notion);
    add(task.with_text);
    add(task.block.bytes);
    add(std::string_view(task.block.state));
  }
  void add(const Answer& answer) {
    add(answer.ticket);
    add(answer.measurement);
    add(std::string_view(answer.text));
  }
  void add(const WorkerReady&) {}
  void add(const WorkerError& error) {
    add(error.kind);
    add(std::string_view(error.text));
  }

 private:
  std::string& target_;
};

[[noreturn]] void refuse(const char* what) {
  throw BrokenMessage(std::string("a message that ") + what);
}

class Decoder {
 public:
  explicit Decoder(std::string_view source) : source_(source) {}

  void end() const {
    if (!source_.empty()) refuse("is longer than it says");
  }

  template <typename Value>
  requires(std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) void take(Value& value) {
    std::memcpy(&value, taken(sizeof value).data(), sizeof value);
  }
  void take(bool& value) {
    std::uint8_t byte = 0;
    take(byte);
    if (byte > 1) refuse("has a truth value that is none");
    value = byte == 1;
  }
  /// `last`: the enumeration's.
  template <typename Value>
  requires std::is_enum_v<Value>
  void take(Value& value, Value last) {
    std::underlying_type_t<Value> number{};
    take(number);
    if (number < 0 || number > static_cast<std::underlying_type_t<Value>>(last)) {
      refuse("has a number that names nothing");
    }
    value = static_cast<Value>(number);
  }
  void take(std::string& text) { text = taken(length()); }
  void take(Bytes& bytes) {
    const std::string_view found = taken(length());
    bytes.assign(found.begin(), found.end());
  }
  void take(Traits& traits) {
    std::string names;
    take(names);
    const auto found = traits_from(names);
    if (!found) refuse("names a trait that there is not");
    traits = *found;
  }
  void take(Estimate& estimate) {
    take(estimate.cycles);
    take(estimate.half_width);
  }
  void take(EventCount& event) {
    take(event.name);
    take(event.per_copy);
    take(event.half_width);
    take(event.overhead);
    take(event.validates);
    take(event.pass);
    take(event.pass_cycles);
  }
  void take(Measurement& measurement) {
    take(measurement.notion, Notion::kLooped);
    take(measurement.outcome.reason, Reason::kStopped);
    take(measurement.outcome.detail);
    bool sampled = false;
    take(sampled);
    if (sampled) take(measurement.estimate.emplace());
    take(measurement.timed.runs);
    take(measurement.timed.dropped);
    take(measurement.instructions);
    take(measurement.copies);
    take(measurement.pages);
    take(measurement.initial_state);
    take(measurement.traits);
    const Length events = length();
    for (Length i = 0; i < events; ++i) take(measurement.events.emplace_back());
  }
  void take(Task& task) {
    take(task.ticket);
    take(task.notion, Notion::kLooped);
    take(task.with_text);
    take(task.block.bytes);
    take(task.block.state);
  }
  void take(Answer& answer) {
    take(answer.ticket);
    take(answer.measurement);
    take(answer.text);
  }
  void take(WorkerReady&) {}
  void take(WorkerError& error) {
    take(error.kind, WorkerError::Kind::kInternal);
    take(error.text);
  }

 private:
  /// Of what follows: bytes, or events, which are longer.
  Length length() {
    Length length = 0;
    take(length);
    if (length > source_.size()) refuse("is cut short");
    return length;
  }
  std::string_view taken(std::size_t size) {
    if (size > source_.size()) refuse("is cut short");
    const std::string_view head = source_.substr(0, size);
    source_.remove_prefix(size);
    return head;
  }

  std::string_view source_;
};

template <typename Alternative>
Message decoded(Decoder& decoder) {
  Alternative message;
  decoder.take(message);
  decoder.end();
  return message;
}

Message decode(std::string_view text) {
  Decoder decoder(text);
  Kind kind{};
  decoder.take(kind, Kind::kError);
  switch (kind) {
    case Kind::kTask:
      return decoded<Task>(decoder);
    case Kind::kAnswer:
      return decoded<Answer>(decoder);
    case Kind::kReady:
      return decoded<WorkerReady>(decoder);
    case Kind::kError:
      return decoded<WorkerError>(decoder);
  }
  refuse("is of no kind");
}

}  // namespace

std::string encode(const Message& message) {
  std::string text(sizeof(Length), '\0');
  Encoder encoder(text);
  encoder.add(static_cast<Kind>(message.index()));
  std::visit([&](const auto& alternative) { encoder.add(alternative); }, message);
  const auto length = static_cast<Length>(text.size() - sizeof(Length));
  std::memcpy(text.data(), &length, sizeof length);
  return text;
}

std::optional<Message> MessageStream::next() {
  const std::string_view rest = std::string_view(buffer_).substr(begin_);
  Length length = 0;
  const auto wait = [&]() -> std::optional<Message> {
    buffer_.erase(0, begin_);
    begin_ = 0;
    return std::nullopt;
  };
  if (rest.size() < sizeof length) return wait();
  std::memcpy(&length, rest.data(), sizeof length);
  if (length > kLongest) refuse("is longer than any");
  if (rest.size() - sizeof length < length) return wait();
  begin_ += sizeof length + length;
  return decode(rest.substr(sizeof length, length));
}

}  // namespace assay
