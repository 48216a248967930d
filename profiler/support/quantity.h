#pragma once

#include <compare>

namespace assay {

/// A number of things of one kind. `Unit` keeps it apart from numbers of other kinds: mixing up
/// ticks and core cycles, or copies and iterations, gives values that are wrong by a factor, and
/// otherwise no compiler would notice.
template <typename Unit, typename Number = double>
class Quantity {
 public:
  using Count = Number;

  constexpr Quantity() = default;
  constexpr explicit Quantity(Number count) : count_(count) {}

  constexpr Number count() const { return count_; }
  /// The number for arithmetic that is not in whole numbers.
  constexpr double real() const { return static_cast<double>(count_); }
  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity operator+(Quantity other) const { return Quantity(count_ + other.count_); }
  constexpr Quantity operator-(Quantity other) const { return Quantity(count_ - other.count_); }
  constexpr Quantity operator*(Number factor) const { return Quantity(count_ * factor); }
  constexpr Quantity operator/(Number factor) const { return Quantity(count_ / factor); }
  /// How many times the other quantity goes into this one.
  constexpr Number operator/(Quantity other) const { return count_ / other.count_; }

 private:
  Number count_{};
};

/// How many units of one kind there are per unit of another, such as core cycles per tick.
template <typename Of, typename In>
class Rate {
 public:
  constexpr Rate() = default;
  constexpr explicit Rate(double value) : value_(value) {}
  constexpr Rate(Of of, In in) : value_(of.real() / in.real()) {}

  constexpr double value() const { return value_; }
  constexpr auto operator<=>(const Rate&) const = default;

  constexpr Of operator*(In in) const { return Of(value_ * in.count()); }
  constexpr In inverse(Of of) const { return In(of.count() / value_); }

 private:
  double value_ = 0;
};

}  // namespace assay
