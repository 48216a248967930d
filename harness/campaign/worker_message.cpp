#include "harness/campaign/worker_message.h"

#include <array>
#include <boost/mp11/algorithm.hpp>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "profiler/support/fields.h"
#include "profiler/support/json_acceptor.h"

namespace assay {
namespace {

using Json = nlohmann::json;
using Length = std::uint32_t;
/// The length of the longest message that is accepted, far beyond any real one: a block and its
/// text take some hundred kilobytes at most.
constexpr Length kLongest = Length{4} << 20;

[[noreturn]] void refuse(const std::string& what) { throw BrokenMessage("a message that " + what); }

Json to_wire(const Bytes& bytes) { return Json::binary(bytes); }

/// A value as JSON: a struct as the array of its members, in the order of its description; an
/// optional value as an array of one element or none; a list of structs as an array; an enumeration
/// or set as its name or names; numbers and texts as they are.
template <typename T>
Json to_wire(const T& value) {
  if constexpr (Described<T>) {
    Json parts = Json::array();
    for_each_member(value,
                    [&](const char*, const auto& member) { parts.push_back(to_wire(member)); });
    return parts;
  } else if constexpr (kIsOptional<T>) {
    return value ? Json::array({to_wire(*value)}) : Json::array();
  } else if constexpr (kIsListOfStructs<T>) {
    Json elements = Json::array();
    for (const auto& element : value) elements.push_back(to_wire(element));
    return elements;
  } else if constexpr (Named<T>) {
    return name(value);
  } else if constexpr (NamedSet<T>) {
    return to_string(value);
  } else {
    static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, std::string>);
    return value;
  }
}

const Json::array_t& array_in(const Json& json) {
  if (!json.is_array()) refuse("has something else where a list should be");
  return json.get_ref<const Json::array_t&>();
}

/// The number, if the T holds it as it is.
template <typename T>
T number_in(const Json& json) {
  if constexpr (std::is_floating_point_v<T>) {
    if (json.is_number_float()) return json.get<T>();
  } else {
    // nlohmann reads every number that is not negative as unsigned, whatever it was written from.
    if (json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>())) {
      return json.get<T>();
    }
    if (json.is_number_integer() && !json.is_number_unsigned() &&
        std::in_range<T>(json.get<std::int64_t>())) {
      return json.get<T>();
    }
  }
  refuse("has something else where a number should be");
}

template <typename T>
void from_wire(const Json& json, T& value) {
  if constexpr (Described<T>) {
    const auto& parts = array_in(json);
    std::size_t next = 0;
    for_each_member(value, [&](const char*, auto& member) {
      if (next == parts.size()) refuse("is cut short");
      from_wire(parts[next++], member);
    });
    if (next != parts.size()) refuse("is longer than it says");
  } else if constexpr (kIsOptional<T>) {
    const auto& parts = array_in(json);
    if (parts.size() > 1) refuse("is longer than it says");
    if (!parts.empty()) from_wire(parts.front(), value.emplace());
  } else if constexpr (kIsListOfStructs<T>) {
    for (const Json& element : array_in(json)) from_wire(element, value.emplace_back());
  } else if constexpr (std::is_same_v<T, Bytes>) {
    value = json.get_ref<const Json::binary_t&>();
  } else if constexpr (Named<T> || NamedSet<T>) {
    value = known<T>(json.get_ref<const std::string&>());
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    value = number_in<T>(json);
  } else {
    json.get_to(value);
  }
}

/// Follows a message to see whether its lists lie too deep in each other for nlohmann's reader,
/// which calls itself for each and has no limit of its own.
class DepthCheck : public JsonAcceptor {
 public:
  bool start_object(std::size_t) override { return false; }  // encode() makes none
  bool start_array(std::size_t) override { return ++depth_ <= kDeepest; }
  bool end_array() override { return --depth_ >= 0; }

 private:
  static constexpr int kDeepest = 16;  // a real message has lists five deep
  int depth_ = 0;
};

/// A worker's answer is stored as it comes: what it says must fit together.
void check(const Answer& answer) {
  const Measurement& measurement = answer.measurement;
  if (measurement.estimate.has_value() != measurement.outcome.measured()) {
    refuse("has a value without a verdict for it, or a verdict without its value");
  }
}
void check(const auto&) {}

constexpr std::array<std::string_view, 3> kErrorKinds = {"input", "environment", "internal"};

/// The message whose type is number `index` among the alternatives of Message.
Message decoded(std::size_t index, const Json& body) {
  constexpr std::size_t kKinds = std::variant_size_v<Message>;
  if (index >= kKinds) refuse("is of no kind");
  return boost::mp11::mp_with_index<kKinds>(index, [&body](auto kind) -> Message {
    std::variant_alternative_t<kind, Message> message;
    from_wire(body, message);
    check(message);
    return message;
  });
}

Message decoded_message(std::string_view text) {
  try {
    DepthCheck depth;
    if (!Json::sax_parse(text, &depth, Json::input_format_t::msgpack)) refuse("cannot be read");
    const Json message = Json::from_msgpack(text);
    const auto& parts = array_in(message);
    if (parts.size() != 2) refuse("has more than a kind and its parts, or less");
    return decoded(number_in<std::size_t>(parts[0]), parts[1]);
  } catch (const Json::exception& exception) {
    refuse(std::string("cannot be read: ") + exception.what());
  } catch (const UnknownWord& unknown) {
    refuse(std::string("says more than it may: ") + unknown.what());
  }
}

}  // namespace

std::string_view name(WorkerError::Kind kind) {
  return kErrorKinds.at(static_cast<std::size_t>(kind));
}

template <>
std::optional<WorkerError::Kind> named<WorkerError::Kind>(std::string_view word) {
  return value_named<WorkerError::Kind>(kErrorKinds, word);
}

std::string encode(const Message& message) {
  const Json body = std::visit([](const auto& part) { return to_wire(part); }, message);
  std::string text(sizeof(Length), '\0');
  Json::to_msgpack(Json::array({message.index(), body}), text);
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
  return decoded_message(rest.substr(sizeof length, length));
}

}  // namespace assay
