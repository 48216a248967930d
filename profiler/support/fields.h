#pragma once

#include <fmt/format.h>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "profiler/support/described.h"
#include "profiler/support/named.h"

// A described struct as a flat list of fields: the columns of a table or of CSV, the keys of a JSON
// object. A member that is itself a described struct is replaced by its own fields; if such a
// member is optional and missing, these fields are empty. Each listed member function gives a
// field, in front of the members. Lists of structs are not fields: each has a table or an array of
// its own.

namespace assay {

/// What a field may hold. std::monostate means that it is empty; a list is one of names.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, double, std::string,
                                std::vector<std::string_view>>;

struct DescribedField {
  std::string_view name;  ///< the name of the struct's member
  FieldValue value;
};
using Fields = std::vector<DescribedField>;

/// An enumeration whose values have names.
template <typename T>
concept Named = std::is_enum_v<T> && requires(T value, std::string_view word) {
  { name(value) } -> std::convertible_to<std::string_view>;
};

/// A set of named values, which named() reads as names separated by commas.
template <typename T>
concept NamedSet = requires(const T& value) {
  { names_of(value) } -> std::same_as<std::vector<std::string_view>>;
};

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <typename T>
inline constexpr bool kIsListOfStructs = false;
template <Described T>
inline constexpr bool kIsListOfStructs<std::vector<T>> = true;

/// The types of members that become one field each.
template <typename T>
concept FieldType =
    std::is_arithmetic_v<T> || std::same_as<T, std::string> || Named<T> || NamedSet<T>;

template <FieldType T>
FieldValue to_field(const T& value) {
  if constexpr (std::same_as<T, bool> || std::same_as<T, std::string>) {
    return value;
  } else if constexpr (std::integral<T>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::floating_point<T>) {
    return static_cast<double>(value);
  } else if constexpr (Named<T>) {
    return std::string(name(value));
  } else {
    return names_of(value);
  }
}

/// The value, which must have type T. Throws UnknownWord if it has another one.
template <typename T>
const T& held(const FieldValue& value) {
  if (const auto* const found = std::get_if<T>(&value)) return *found;
  throw UnknownWord("a field has a value of another type than it should: the store is damaged");
}

/// The value of a member from its field, which is as to_field() made it, or as a table keeps it:
/// truth values as integers, names as one text. Throws UnknownWord for an unknown name, for a value
/// of another type, and for a number that the member cannot hold.
template <FieldType T>
T from_field(const FieldValue& value) {
  if constexpr (std::same_as<T, bool>) {
    const auto* const flag = std::get_if<bool>(&value);
    return flag != nullptr ? *flag : held<std::int64_t>(value) != 0;
  } else if constexpr (std::integral<T>) {
    const std::int64_t number = held<std::int64_t>(value);
    if (!std::in_range<T>(number)) {
      throw UnknownWord("a number is out of range: the store is damaged");
    }
    return static_cast<T>(number);
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(held<double>(value));
  } else if constexpr (std::same_as<T, std::string>) {
    return held<std::string>(value);
  } else {
    return known<T>(held<std::string>(value));
  }
}

/// Appends the fields of a described struct.
template <Described T>
void add_fields(const T& value, Fields& fields) {
  for_each_derived(value, [&](std::string_view name, const auto& derived) {
    fields.push_back({name, to_field(derived)});
  });
  for_each_member(value, [&](std::string_view name, const auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (Described<Member>) {
      add_fields(member, fields);
    } else if constexpr (FieldType<Member>) {
      fields.push_back({name, to_field(member)});
    } else if constexpr (kIsOptional<Member>) {
      const std::size_t first = fields.size();
      add_fields(member.value_or(typename Member::value_type{}), fields);
      if (member) return;
      for (std::size_t i = first; i < fields.size(); ++i) fields[i].value = std::monostate{};
    } else {
      static_assert(kIsListOfStructs<Member>, "no field can hold this");
    }
  });
}

template <Described T>
Fields fields_of(const T& value) {
  Fields fields;
  add_fields(value, fields);
  return fields;
}

/// The names of the fields, which are the same for every T.
template <Described T>
std::vector<std::string_view> field_names() {
  std::vector<std::string_view> names;
  for (const DescribedField& field : fields_of(T{})) names.push_back(field.name);
  return names;
}

/// The name of the first member of a T.
template <Described T>
std::string_view first_member_name() {
  std::string_view first;
  const T value{};
  for_each_member(value, [&](std::string_view name, const auto&) {
    if (first.empty()) first = name;
  });
  return first;
}

/// Sets each member from the field that `value_of(name)` returns. Throws as from_field() does, and
/// UnknownWord if a field of a listed member function is not what follows from the members.
template <Described T, typename ValueOf>
void set_fields(T& value, const ValueOf& value_of) {
  for_each_member(value, [&](std::string_view name, auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (Described<Member>) {
      set_fields(member, value_of);
    } else if constexpr (FieldType<Member>) {
      member = from_field<Member>(value_of(name));
    } else if constexpr (kIsOptional<Member>) {
      static const std::string_view kFirst = first_member_name<typename Member::value_type>();
      if (std::holds_alternative<std::monostate>(value_of(kFirst))) {
        member.reset();
      } else {
        set_fields(member.emplace(), value_of);
      }
    }
  });
  for_each_derived(value, [&](std::string_view name, const auto& derived) {
    if (value_of(name) == to_field(derived)) return;
    throw UnknownWord(
        fmt::format("{} contradicts the fields that it follows from: the store is damaged", name));
  });
}

}  // namespace assay
