#include "results/store/write_ahead_log.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "profiler/support/error.h"
#include "results/store/big_endian.h"
#include "results/store/database.h"

namespace assay {
namespace {

constexpr int kWaitForReadersMs = 50;

using Checksum = std::array<std::uint32_t, 2>;

/// A log as it is in its file: a header and frames, each a header and a page.
class LogFile {
 public:
  explicit LogFile(const std::filesystem::path& path) : file_(path, std::ios::binary) {}

  /// Reads the header; false if there is not even that much.
  bool read_header() {
    if (!read(header_)) return false;
    has_little_endian_words_ = big_endian(header_, kMagic) == kMagicOfLittleEndian;
    page_.resize(big_endian(header_, kPageSize) <= kLargestPage ? big_endian(header_, kPageSize)
                                                                : 0);
    before_ = stored(header_, kHeaderChecksum);
    return true;
  }

  bool has_right_header() const {
    return (has_little_endian_words_ || big_endian(header_, kMagic) == kMagicOfLittleEndian + 1) &&
           !page_.empty() && sum(Checksum{}, std::span(header_).first(kHeaderChecksum)) == before_;
  }

  /// Goes on to the next frame; false if there is no other whole one.
  bool next_frame() {
    if (!read(frame_) || !read(page_)) return false;
    const Checksum own = stored(frame_, kFrameChecksum);
    const Checksum head = sum(before_, std::span(frame_).first(kSalts));
    is_right_ = is_of_this_log() && sum(head, page_) == own;
    before_ = own;
    return true;
  }

  /// Whether the frame's checksum goes on from that of the frame before it, right or not.
  bool is_right() const { return is_right_; }
  /// Whether the frame is none that is left from before the log was begun again.
  bool is_of_this_log() const {
    return big_endian(frame_, kSalts) == big_endian(header_, kHeaderSalts) &&
           big_endian(frame_, kSalts + 4) == big_endian(header_, kHeaderSalts + 4);
  }
  bool is_commit() const { return big_endian(frame_, kPagesAfterCommit) != 0; }

  /// Whether the header and all behind it is zero. To be called instead of next_frame().
  bool is_all_zero() {
    const auto is_zero = [](char c) { return c == '\0'; };
    return std::ranges::all_of(header_, [](unsigned char c) { return c == 0; }) &&
           std::all_of(std::istreambuf_iterator<char>(file_), {}, is_zero);
  }

 private:
  using Bytes = std::span<const unsigned char>;

  static constexpr std::uint32_t kMagicOfLittleEndian = 0x377f0682;
  static constexpr std::uint32_t kLargestPage = 65'536;
  // Offsets of fields, all of them big-endian.
  static constexpr std::size_t kMagic = 0;
  static constexpr std::size_t kPageSize = 8;
  static constexpr std::size_t kHeaderSalts = 16;
  static constexpr std::size_t kHeaderChecksum = 24;
  static constexpr std::size_t kPagesAfterCommit = 4;
  static constexpr std::size_t kSalts = 8;
  static constexpr std::size_t kFrameChecksum = 16;

  bool read(std::span<unsigned char> bytes) {
    file_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file_.gcount() == static_cast<std::streamsize>(bytes.size());
  }

  static Checksum stored(Bytes bytes, std::size_t at) {
    return {big_endian(bytes, at), big_endian(bytes, at + 4)};
  }

  Checksum sum(Checksum checksum, Bytes bytes) const {
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      for (std::size_t half = 0; half < 2; ++half) {
        const std::uint32_t big = big_endian(bytes, i + 4 * half);
        const std::uint32_t added = has_little_endian_words_ ? __builtin_bswap32(big) : big;
        checksum[half] += added + checksum[1 - half];
      }
    }
    return checksum;
  }

  std::ifstream file_;
  std::array<unsigned char, 32> header_{};
  std::array<unsigned char, 24> frame_{};
  std::vector<unsigned char> page_;
  bool has_little_endian_words_ = false;
  bool is_right_ = false;
  Checksum before_{};  ///< of what stands before the next frame
};

std::optional<std::string> damage_of(const std::filesystem::path& log) {
  LogFile file(log);
  if (!file.read_header()) return std::nullopt;
  // A power failure may leave a file of zeros: nothing was committed to it yet.
  if (!file.has_right_header()) {
    return file.is_all_zero() ? std::nullopt
                              : std::optional<std::string>("the header of its log is damaged");
  }
  std::int64_t number = 0;
  std::int64_t first_wrong = 0;
  bool is_committed = false;  // whether the transaction of the wrong frame has ended
  bool is_end = false;        // whether a right frame behind the wrong one ended a transaction
  while (file.next_frame()) {
    ++number;
    // What stands behind that may be left of a longer transaction that a power failure cut short.
    if (is_end && !file.is_right()) break;
    is_end = first_wrong != 0 && file.is_right() && file.is_commit();
    if (file.is_right() && is_committed) {
      return fmt::format("page {} of its log is damaged, and committed ones stand behind it",
                         first_wrong);
    }
    if (!file.is_right() && first_wrong == 0) first_wrong = number;
    if (first_wrong != 0) is_committed = is_committed || file.is_commit();
  }
  return std::nullopt;
}

}  // namespace

void use_write_ahead_log(SQLite::Database& database, const std::filesystem::path& store) {
  const std::string mode = database.execAndGet("PRAGMA journal_mode = WAL").getString();
  if (mode != "wal") {
    throw EnvironmentError(
        fmt::format("{}: SQLite can keep no write-ahead log here: put the store on a local file "
                    "system",
                    store.string()));
  }
  const auto page_size = database.execAndGet("PRAGMA page_size").getInt64();
  database.exec(fmt::format("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = {}",
                            kLogToWriteBack / static_cast<std::uintmax_t>(page_size)));
}

std::uintmax_t log_size(const std::filesystem::path& store) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(store.string() + "-wal", missing);
  return missing ? 0 : size;
}

std::optional<std::string> find_damaged_log(const std::filesystem::path& store) {
  const std::filesystem::path log = store.string() + "-wal";
  // A writer may begin the log anew while it is read.
  constexpr int kTries = 3;
  std::optional<std::string> damage;
  for (int i = 0; i < kTries; ++i) {
    damage = damage_of(log);
    if (!damage) break;
  }
  return damage;
}

void bound_write_ahead_log(SQLite::Database& database, const std::filesystem::path& store,
                           std::uintmax_t longest) {
  if (log_size(store) <= longest) return;
  database.setBusyTimeout(kWaitForReadersMs);
  // This fails while a reader stays; the next call tries again.
  database.tryExec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.setBusyTimeout(kBusyTimeoutMs);
}

}  // namespace assay
