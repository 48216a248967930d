#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "profiler/subject/subject.h"
#include "profiler/support/cache_line.h"
#include "profiler/support/counted.h"
#include "profiler/support/rounding.h"

// The part of Subject that manages its pages and what fills them.

namespace assay::subject {
namespace {

std::uint64_t page_of(std::uint64_t address) { return address & ~(kPageSize - 1); }

}  // namespace

/// Fills each frame that is about to get its first page of the block, so that what an earlier block
/// left there is not seen. Pages that an earlier block had and this one expects too stay mapped.
void Subject::make_ready(const Series& series) {
  std::uint32_t in_use = 0;
  const auto frame_of = [&](std::uint64_t page) { return frame_offset(page, series.frames); };
  for (const std::uint64_t page : pages_) {
    if (!is_expected(page)) in_use |= 1U << frame_of(page) / kPageSize;
  }
  for (const std::uint64_t page : expected_pages_) {
    const std::uint64_t frame = frame_of(page);
    if (in_use >> frame / kPageSize & 1) continue;
    std::ranges::fill(memory_.frame(frame), series.fill_word);
    in_use |= 1U << frame / kPageSize;
  }
  if (series.frames == frames_) {
    const auto stays = [&](std::uint64_t page) { return std::erase(expected_pages_, page) > 0; };
    std::erase_if(left_pages_, stays);
  }
  frames_ = series.frames;
}

void Subject::request_pages() {
  Control& request = memory_.control();
  request.unmapped_count = static_cast<std::uint32_t>(left_pages_.size());
  std::ranges::copy(left_pages_, request.unmapped);
  request.page_count = static_cast<std::uint32_t>(expected_pages_.size());
  std::ranges::copy(expected_pages_, request.pages);
  std::ranges::transform(expected_pages_, request.offsets,
                         [&](std::uint64_t page) { return frame_offset(page, frames_); });
}

/// Starts the series with the pages that are expected. If one cannot be mapped, it is dropped: it
/// concerns the block only if the block itself accesses it.
Subject::Stop Subject::start(const Series& series, const Limits& limits) {
  for (;;) {
    request_pages();
    request_series(series);
    const Stop stop = call(expected_.run_series, kSeriesStackTop, series.segment_base, limits.time);
    left_pages_.clear();
    const Control& control = memory_.control();
    const bool refused = stop.kind == StopKind::kDone && control.page_errno != 0;
    if (!refused || expected_pages_.empty()) {
      expected_pages_.clear();
      return stop;
    }
    const auto mapped = std::min<std::size_t>(control.pages_mapped, expected_pages_.size() - 1);
    std::erase(pages_, expected_pages_[mapped]);
    expected_pages_.erase(expected_pages_.begin(),
                          expected_pages_.begin() + static_cast<std::ptrdiff_t>(mapped) + 1);
  }
}

/// Lists what is to be refilled in the frames that are in use, at addresses in pages that the block
/// uses: AMD's first-level cache predicts its way from the virtual address, so that a line that was
/// filled through another page would be missed at the first touch. This may happen in the middle of
/// a series, so that the rest of the request is left as it is: whatever the block may have done to
/// it is found at the series' end.
void Subject::list_fills() {
  expected_.fills = 0;
  for (int frame = 0; frame < frames_; ++frame) {
    const auto page = page_on(static_cast<std::uint64_t>(frame) * kPageSize);
    const Refilled& stretch = refilled_.at(static_cast<std::size_t>(frame));
    if (!page || stretch.first >= stretch.end) continue;
    expected_.fill_address[expected_.fills] = *page + stretch.first * sizeof(std::uint64_t);
    expected_.fill_words[expected_.fills] = stretch.end - stretch.first;
    ++expected_.fills;
  }
  Control& request = memory_.control();
  request.fills = expected_.fills;
  std::ranges::copy(expected_.fill_address, request.fill_address);
  std::ranges::copy(expected_.fill_words, request.fill_words);
}

void Subject::narrow_refills(std::span<const MemoryRange> writes) {
  constexpr std::uint64_t kWord = sizeof(std::uint64_t);
  constexpr std::size_t kLine = kCacheLine / kWord;
  for (std::size_t frame = 0; frame < static_cast<std::size_t>(frames_); ++frame) {
    const std::uint64_t offset = frame * kPageSize;
    if (!page_on(offset)) continue;  // the block has not used this frame yet
    const std::span<const std::uint64_t> words = memory_.frame(offset);
    std::size_t first = words.size();
    std::size_t end = 0;
    const auto add = [&](std::uint64_t from, std::uint64_t to) {
      first = std::min<std::size_t>(first, from);
      end = std::max<std::size_t>(end, to);
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] != expected_.fill_word) add(i, i + 1);
    }
    for (const MemoryRange& write : writes) {
      // A write that crosses a page boundary may change anything in both pages.
      const std::uint64_t last = write.address + write.size - 1;
      const bool begins = frame_offset(write.address, frames_) == offset;
      const bool ends = frame_offset(last, frames_) == offset;
      if (!begins && !ends && write.size < kPageSize) continue;
      const bool within = begins && page_of(write.address) == page_of(last);
      within ? add(write.address % kPageSize / kWord, last % kPageSize / kWord + 1)
             : add(0, words.size());
    }
    if (first >= end) first = end = 0;
    refilled_.at(frame) = {first / kLine * kLine, rounded_up(end, kLine)};
  }
}

/// Whether memory outside of what is refilled holds anything but the fill word.
bool Subject::wrote_elsewhere() const {
  for (std::size_t frame = 0; frame < static_cast<std::size_t>(frames_); ++frame) {
    const Refilled& stretch = refilled_.at(frame);
    const std::span<const std::uint64_t> words = memory_.frame(frame * kPageSize);
    const bool whole = stretch.first == 0 && stretch.end == words.size();
    if (whole || !page_on(frame * kPageSize)) continue;
    const auto filled = [&](std::uint64_t word) { return word == expected_.fill_word; };
    if (!std::ranges::all_of(words.first(stretch.first), filled) ||
        !std::ranges::all_of(words.subspan(stretch.end), filled)) {
      return true;
    }
  }
  return false;
}

/// A page of the block that is mapped onto the frame at this offset; nothing if there is none.
std::optional<std::uint64_t> Subject::page_on(std::uint64_t offset) const {
  const auto found = std::ranges::find_if(
      pages_, [&](std::uint64_t page) { return frame_offset(page, frames_) == offset; });
  return found == pages_.end() ? std::nullopt : std::optional(*found);
}

std::optional<Fault> Subject::supply_page(const Stop& stop, const Limits& limits) {
  const auto address = reinterpret_cast<std::uint64_t>(stop.signal.si_addr);
  if (is_own_address(address) || std::ranges::find(pages_, page_of(address)) != pages_.end()) {
    return Fault{{Reason::kSubjectMemory, fmt::format("address {:#x}", address)}, address};
  }
  if (pages() >= limits.pages) {
    return Fault{{Reason::kPageLimit, "more than " + counted(limits.pages, "page")}, address};
  }
  const auto error = map_page(page_of(address));
  if (!error) return Fault{{Reason::kSubjectDamaged, "it ended while a page was mapped"}};
  if (*error != 0) return unmappable(address, *error);
  return std::nullopt;
}

void Subject::expect(std::uint64_t address, const Limits& limits) {
  const std::uint64_t page = page_of(address);
  const bool known = std::ranges::find(pages_, page) != pages_.end();
  if (known || is_own_address(address) || page >= kUserEnd || pages() >= limits.pages) return;
  pages_.push_back(page);
  expected_pages_.push_back(page);
}

void Subject::keep_only(const std::function<bool(std::uint64_t)>& needed) {
  std::erase_if(pages_, [&](std::uint64_t page) {
    if (needed(page)) return false;
    if (std::erase(expected_pages_, page) == 0) left_pages_.push_back(page);
    return true;
  });
}

bool Subject::is_expected(std::uint64_t page) const {
  return std::ranges::find(expected_pages_, page) != expected_pages_.end();
}

std::optional<int> Subject::map_page(std::uint64_t page) {
  Control& request = memory_.control();
  request.unmapped_count = 0;
  request.page_count = 1;
  request.pages[0] = page;
  request.offsets[0] = frame_offset(page, frames_);
  // What an earlier block left in the frame must not be seen; from now on it is refilled for each
  // run.
  if (!page_on(request.offsets[0])) {
    std::ranges::fill(memory_.frame(request.offsets[0]), expected_.fill_word);
  }
  if (!request_from_program(expected_.map_pages)) return std::nullopt;
  if (request.page_errno == 0) {
    pages_.push_back(page);
    list_fills();
  }
  return request.page_errno;
}

void Subject::unmap_all() {
  keep_only([](std::uint64_t) { return false; });
  refilled_.fill({});
}

}  // namespace assay::subject
