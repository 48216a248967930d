#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <vector>

#include "profiler/subject/subject.h"
#include "profiler/support/cache_line.h"
#include "profiler/support/counted.h"
#include "profiler/support/rounding.h"

// The part of Subject that manages its pages and what fills them.

namespace assay::subject {
namespace {

constexpr std::size_t kWordsInLine = kCacheLine / sizeof(std::uint64_t);
constexpr std::size_t kLinesInPage = kPageSize / kCacheLine;
static_assert(kLinesInPage == 64, "a word has a bit for each line of a page");

std::uint64_t page_of(std::uint64_t address) { return address & ~(kPageSize - 1); }

/// How many runs of ones there are in a set of lines.
int ranges_of(std::uint64_t lines) { return std::popcount(lines & ~(lines << 1)); }

std::uint64_t from_first_to_last(std::uint64_t lines) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  return lines == 0 ? 0 : kAll << std::countr_zero(lines) & kAll >> std::countl_zero(lines);
}

}  // namespace

/// Fills each frame that is about to get its first page of the block, so that what an earlier block
/// left there is not seen. Pages that an earlier block had and this one expects too stay mapped, if
/// they have the same frame.
void Subject::make_ready(const Series& series) {
  const bool same_frames = series.frames == frames_;
  frames_ = series.frames;
  std::bitset<kMaxFrames> in_use;
  for (const Page& page : pages_) {
    if (!is_expected(page)) in_use.set(static_cast<std::size_t>(frame_of(page)));
  }
  for (const Page& page : expected_pages_) {
    const int frame = frame_of(page);
    if (in_use.test(static_cast<std::size_t>(frame))) continue;
    std::ranges::fill(words_of(frame), series.fill_word);
    in_use.set(static_cast<std::size_t>(frame));
  }
  if (!same_frames) return;
  const auto stays = [&](const Page& page) { return std::erase(expected_pages_, page) > 0; };
  std::erase_if(left_pages_, stays);
}

Subject::PageCounts Subject::request_pages() {
  PageChange* next = memory_.request().pages;
  for (const Page& page : left_pages_) *next++ = {page.address, 0};
  for (const Page& page : expected_pages_) *next++ = mapping_of(page);
  return {left_pages_.size(), expected_pages_.size()};
}

/// Starts the series with the pages that are expected. If one cannot be mapped, it is dropped: it
/// concerns the block only if the block itself accesses it.
Subject::Stop Subject::start(const Series& series, const Limits& limits) {
  for (;;) {
    const PageCounts pages = request_pages();
    request_series(series);
    const Stop stop = call(entries_.run_series, pages, series.segment_base, limits.time);
    left_pages_.clear();
    if (stop.kind != StopKind::kPagesChanged || expected_pages_.empty()) {
      expected_pages_.clear();
      return stop;
    }
    const auto behind = std::min<std::size_t>(stop.registers.r15, expected_pages_.size() - 1);
    const auto mapped = expected_pages_.size() - 1 - behind;
    std::erase(pages_, expected_pages_[mapped]);
    expected_pages_.erase(expected_pages_.begin(),
                          expected_pages_.begin() + static_cast<std::ptrdiff_t>(mapped) + 1);
  }
}

/// Lists what is to be refilled in the frames that are in use, at addresses in pages that the block
/// uses: AMD's first-level cache predicts its way from the virtual address, so that a line that was
/// filled through another page would be missed at the first touch. This may happen in the middle of
/// a series.
void Subject::list_fills() {
  Request& request = memory_.request();
  request.fills = 0;
  int ranges = 0;
  for_each_frame([&](int frame, std::uint64_t) { ranges += ranges_of(lines_refilled(frame)); });
  for_each_frame([&](int frame, std::uint64_t page) {
    std::uint64_t lines = lines_refilled(frame);
    // Too many ranges become one in each frame.
    if (ranges > kMaxFills) lines = from_first_to_last(lines);
    while (lines != 0) {
      const auto first = static_cast<std::uint64_t>(std::countr_zero(lines));
      const auto count = static_cast<std::uint64_t>(std::countr_one(lines >> first));
      request.fill_address[request.fills] = page + first * kCacheLine;
      request.fill_words[request.fills] = count * kWordsInLine;
      ++request.fills;
      lines &= ~(kAllLines >> (kLinesInPage - count) << first);
    }
  });
}

void Subject::narrow_refills(std::span<const MemoryRange> writes) {
  std::array<std::uint64_t, kMaxFrames> changed{};
  const auto add = [&](std::uint64_t address) {
    const auto frame = frame_at(address);
    if (!frame) return;  // the block has not used this page yet
    changed.at(static_cast<std::size_t>(*frame)) |= std::uint64_t{1}
                                                    << address % kPageSize / kCacheLine;
  };
  for (const MemoryRange& write : writes) {
    const std::uint64_t last = write.address + write.size - 1;
    for (std::uint64_t line = write.address / kCacheLine; line <= last / kCacheLine; ++line) {
      add(line * kCacheLine);
    }
  }
  for_each_frame([&](int frame, std::uint64_t) {
    refilled_.at(static_cast<std::size_t>(frame)) =
        changed.at(static_cast<std::size_t>(frame)) | lines_changed(frame);
  });
}

/// The lines of a frame, bit by bit, that hold anything but the fill word.
std::uint64_t Subject::lines_changed(int frame) const {
  const std::span<const std::uint64_t> words = words_of(frame);
  std::uint64_t lines = 0;
  for (std::size_t line = 0; line < kLinesInPage; ++line) {
    const auto in_line = words.subspan(line * kWordsInLine, kWordsInLine);
    const auto filled = [&](std::uint64_t word) { return word == memory_.request().fill_word; };
    if (!std::ranges::all_of(in_line, filled)) lines |= std::uint64_t{1} << line;
  }
  return lines;
}

/// Whether memory outside of what is refilled holds anything but the fill word.
bool Subject::wrote_elsewhere() const {
  bool found = false;
  for_each_frame([&](int frame, std::uint64_t) {
    found = found || (lines_refilled(frame) != kAllLines &&
                      (lines_changed(frame) & ~lines_refilled(frame)) != 0);
  });
  return found;
}

/// The frame that the page of this address is mapped onto; nothing if it is not one of the block's.
std::optional<int> Subject::frame_at(std::uint64_t address) const {
  const auto found = std::ranges::find(pages_, page_of(address), &Page::address);
  return found == pages_.end() ? std::nullopt : std::optional(frame_of(*found));
}

/// Calls back with each frame that the block uses, and with the first of its pages there.
void Subject::for_each_frame(const std::function<void(int, std::uint64_t)>& callback) const {
  std::bitset<kMaxFrames> seen;
  for (const Page& page : pages_) {
    const int frame = frame_of(page);
    if (seen.test(static_cast<std::size_t>(frame))) continue;
    seen.set(static_cast<std::size_t>(frame));
    callback(frame, page.address);
  }
}

/// The frame for a new page: the one that it had for an earlier block, if it is still mapped and no
/// other page has it by now; else any that no page has. Which one is drawn at random, since some
/// cores confuse addresses by a part of the physical one too, and the pages of a new subject are
/// mostly those of the subject before it. (Zen 4: `mov rax, [r12]; ...; mov [r8], 0` with the same
/// offset in both pages takes 3.4 cycles with most pairs of frames, and 7.6 or 31 with others.)
int Subject::unused_frame(std::uint64_t page) {
  std::bitset<kMaxFrames> used;
  for (const Page& other : pages_) used.set(static_cast<std::size_t>(other.own_frame));
  const auto left = std::ranges::find(left_pages_, page, &Page::address);
  if (left != left_pages_.end() && !used.test(static_cast<std::size_t>(left->own_frame))) {
    return left->own_frame;
  }
  const auto draw_unused = [&](const std::bitset<kMaxFrames>& set) {
    auto frame = static_cast<std::size_t>(random_() % kMaxFrames);
    for (int i = 0; i < kMaxFrames && set.test(frame); ++i) frame = (frame + 1) % kMaxFrames;
    return static_cast<int>(frame);
  };
  // Pages that are still to be unmapped should find their frames free if they are expected again.
  std::bitset<kMaxFrames> taken = used;
  for (const Page& other : left_pages_) taken.set(static_cast<std::size_t>(other.own_frame));
  return draw_unused(taken.all() ? used : taken);
}

std::optional<Fault> Subject::supply_page(const Stop& stop, const Limits& limits) {
  const auto address = reinterpret_cast<std::uint64_t>(stop.signal.si_addr);
  if (is_own_address(address) || frame_at(address)) {
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
  if (frame_at(page) || is_own_address(address) || page >= kUserEnd || pages() >= limits.pages) {
    return;
  }
  pages_.push_back({page, unused_frame(page)});
  expected_pages_.push_back(pages_.back());
}

void Subject::keep_only(const std::function<bool(std::uint64_t)>& needed) {
  std::erase_if(pages_, [&](const Page& page) {
    if (needed(page.address)) return false;
    if (std::erase(expected_pages_, page) == 0) left_pages_.push_back(page);
    return true;
  });
}

bool Subject::is_expected(const Page& page) const {
  return std::ranges::find(expected_pages_, page) != expected_pages_.end();
}

std::optional<int> Subject::map_page(std::uint64_t address) {
  const Page page = {address, unused_frame(address)};
  const int frame = frame_of(page);
  // What an earlier block left in the frame must not be seen; from now on it is refilled for each
  // run.
  const auto on_frame = [&](const Page& other) { return frame_of(other) == frame; };
  if (std::ranges::none_of(pages_, on_frame)) {
    std::ranges::fill(words_of(frame), memory_.request().fill_word);
  }
  const std::array changes = {mapping_of(page)};
  const std::optional<int> error = change_pages(changes);
  if (error == 0) {
    pages_.push_back(page);
    list_fills();
  }
  return error;
}

/// Whether the process has ended, which the next series would find.
bool Subject::is_over() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

std::optional<std::string> Subject::unexpected_mapping() {
  if (has_rights_ != needs_rights_) round_trip();
  if (!alive_) return std::nullopt;
  std::vector<PageChange> mapped;
  for (const Page& page : left_pages_) mapped.push_back(mapping_of(page));
  for (const Page& page : pages_) {
    if (!is_expected(page)) mapped.push_back(mapping_of(page));
  }
  const std::string_view mappings = mappings_.read();
  if (mappings.empty()) {
    if (is_over()) return std::nullopt;
    return "what it has mapped cannot be read";
  }
  return subject::unexpected_mapping(mappings, own_mappings_, mapped);
}

void Subject::unmap_all() {
  keep_only([](std::uint64_t) { return false; });
  refilled_.fill(kAllLines);
}

}  // namespace assay::subject
