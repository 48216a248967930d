#include "suites/readers/input_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr std::size_t kBufferSize = std::size_t{128} * 1024;

}  // namespace

std::size_t InputStream::read(std::span<char> target) {
  if (ended_ || target.empty()) return 0;
  if (compression_ == Compression::kNotKnownYet) {
    recognise();
    if (compression_ == Compression::kNotKnownYet) return 0;
  }
  return decompressor_ ? decompress(target) : give_plain(target);
}

bool InputStream::has_something() const {
  const bool has_input = compression_ != Compression::kNotKnownYet && unconsumed() > 0;
  return file_ended_ || ended_ || has_input || room_lacked_ || !problem_.empty() ||
         file_.has_something();
}

void InputStream::fill() {
  buffer_.resize(kBufferSize);
  std::memmove(buffer_.data(), buffer_.data() + begin_, unconsumed());
  end_ -= std::exchange(begin_, 0);
  const std::size_t count = file_.read(std::span(buffer_).subspan(end_));
  end_ += count;
  file_ended_ = count == 0;
}

void InputStream::recognise() {
  fill();
  compression_ = compression_of({buffer_.data() + begin_, unconsumed()});
  // A file that ends before a magic number is complete is not compressed.
  if (compression_ == Compression::kNotKnownYet && file_ended_) compression_ = Compression::kNone;
  if (compression_ == Compression::kGzip) decompressor_ = gzip_decompressor();
  if (compression_ == Compression::kZstd) decompressor_ = zstd_decompressor();
}

std::size_t InputStream::give_plain(std::span<char> target) {
  std::size_t count = std::min(unconsumed(), target.size());
  if (count > 0) {
    std::memcpy(target.data(), buffer_.data() + begin_, count);
    begin_ += count;
    return count;
  }
  if (!file_ended_) count = file_.read(target);
  ended_ = count == 0;
  return count;
}

std::size_t InputStream::decompress(std::span<char> target) {
  if (!problem_.empty()) throw_problem();
  if (unconsumed() == 0 && !room_lacked_ && !file_ended_) fill();
  // If the last step ran out of room, the rest of its output comes first, without further input: it
  // is given even if the input behind it is damaged.
  const std::size_t size = room_lacked_ ? 0 : unconsumed();
  const Decompressor::Step step = decompressor_->step({buffer_.data() + begin_, size}, target);
  begin_ += step.consumed;
  consumed_ += static_cast<std::int64_t>(step.consumed);
  room_lacked_ = step.produced == target.size();
  problem_ = step.problem;
  if (file_ended_ && unconsumed() == 0 && step.produced == 0 && problem_.empty()) {
    ended_ = decompressor_->may_end();
    if (!ended_) problem_ = "it was cut off there";
  }
  if (!problem_.empty() && step.produced == 0) throw_problem();
  return step.produced;
}

void InputStream::throw_problem() const {
  throw InputError(fmt::format("{} holds damaged {} data, behind byte {}: {}", name(),
                               decompressor_->name(), consumed_, problem_));
}

}  // namespace assay
