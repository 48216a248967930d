#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

namespace assay {

/// Reads numbers one after the other from bytes that may be damaged or hostile. Past the end it
/// gives zeros, and failed() is true from then on, so that a caller may check just once.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  /// Reads a number or structure as it lies in memory, little-endian.
  template <typename T>
  T read() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (!has(sizeof(T))) return value;
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }
  /// Reads one of DWARF's numbers of variable length, unsigned or signed; fails beyond 64 bits.
  std::uint64_t read_uleb();
  std::int64_t read_sleb();
  void skip(std::uint64_t bytes) {
    if (has(bytes)) position_ += bytes;
  }

  bool failed() const { return failed_; }
  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }

 private:
  bool has(std::uint64_t bytes) {
    if (bytes > left()) failed_ = true;
    return !failed_;
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t position_ = 0;
  bool failed_ = false;
};

/// A table of structures as they lie in memory, at any alignment. Bytes behind the last whole
/// structure are not part of it.
template <typename T>
class PackedTable {
 public:
  PackedTable() = default;
  explicit PackedTable(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::size_t size() const { return bytes_.size() / sizeof(T); }
  /// `index` is below size().
  T operator[](std::size_t index) const {
    T value;
    std::memcpy(&value, bytes_.data() + index * sizeof(T), sizeof(T));
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace assay
