#include "profiler/running/trace_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "profiler/block/text.h"
#include "profiler/subject/layout.h"
#include "profiler/support/cache_line.h"

namespace assay {
namespace {

/// Flags that MXCSR and the x87 status word have in common (Intel SDM volume 1, 8.1.3 and 10.2.3).
constexpr unsigned kInvalid = 1U << 0;
constexpr unsigned kDenormalOperand = 1U << 1;
constexpr unsigned kUnderflow = 1U << 4;
constexpr unsigned kStackFault = 1U << 6;  ///< exists in the x87 status word only

bool is_subnormal(unsigned flags) { return (flags & (kDenormalOperand | kUnderflow)) != 0; }

/// Whether an element of the access crosses a multiple of `unit`. Operands larger than a line
/// (fxsave, xsave) are accessed in parts, which are assumed to be of 8 bytes.
bool crosses(const TracedAccess& access, std::uint64_t unit) {
  const std::uint64_t last = access.address + (access.size - 1);
  if (access.address / unit == last / unit) return false;
  const std::uint64_t element = access.element > kCacheLine ? 8 : access.element;
  return access.size == element || access.address % element != 0;
}

/// The number of the youngest store to each byte. Has room only for lines that stores touch.
class YoungestStores {
 public:
  static constexpr std::int32_t kNone = -1;
  using Line = std::array<std::int32_t, kCacheLine>;

  Line& line(std::uint64_t number) {
    const auto [line, is_new] = lines_.try_emplace(number);
    if (is_new) line->second.fill(kNone);
    return line->second;
  }
  const Line* find(std::uint64_t number) const {
    const auto found = lines_.find(number);
    return found == lines_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::uint64_t, Line> lines_;
};

class Analysis {
 public:
  Analysis(const Trace& trace, const TraceConditions& conditions)
      : trace_(trace), conditions_(conditions) {}

  TraceFindings run() {
    if (conditions_.pages > conditions_.data_tlb_entries) note({.trait = Trait::kTlbReach});
    if (conditions_.leaves_cache || conditions_.strays) note({.trait = Trait::kCacheReach});
    for (std::size_t i = 0; i < trace_.statuses.size(); ++i) look_at_status(i);
    const auto& accesses = trace_.accesses;
    for (const TracedAccess& access : accesses) look_at_address(access);
    if (pages_share_frames() && conditions_.pages > 1) look_at_shared_lines();
    if (std::ranges::none_of(accesses, &TracedAccess::write)) return std::move(result_);
    look_at_loads_and_stores(accesses);
    look_at_loads_and_stores(trace_.foreseen);
    return std::move(result_);
  }

 private:
  void look_at_loads_and_stores(std::span<const TracedAccess> accesses) {
    // An instruction loads before it stores, whatever the order of its operands.
    for (auto first = accesses.begin(); first != accesses.end();) {
      const auto behind = std::find_if(first, accesses.end(), [&](const TracedAccess& access) {
        return access.instruction != first->instruction || access.copy != first->copy;
      });
      for (auto access = first; access != behind; ++access) look_at_load(*access);
      for (auto access = first; access != behind; ++access) add_store(*access);
      first = behind;
    }
  }

  void note(const Finding& finding) {
    if (result_.traits.has(finding.trait)) return;
    result_.traits.add(finding.trait);
    result_.findings.push_back(finding);
  }

  void look_at_status(std::size_t copy) {
    const subject::CopyStatus& status = trace_.statuses[copy];
    const auto number = static_cast<std::int64_t>(copy);
    constexpr unsigned kBoth = kInvalid | kStackFault;
    if ((status.x87_status & kBoth) == kBoth) note({.trait = Trait::kX87Stack, .copy = number});
    if (is_subnormal(status.mxcsr) || is_subnormal(status.x87_status)) {
      note({.trait = Trait::kSubnormal, .copy = number});
    }
  }

  void look_at_address(const TracedAccess& access) {
    if (crosses(access, kCacheLine)) note({Trait::kSplitLine, access.copy, access, {}});
    if (crosses(access, subject::kPageSize)) note({Trait::kSplitPage, access.copy, access, {}});
    if (result_.intrusion) return;
    const auto overlaps = [&](std::uint64_t start, std::uint64_t size) {
      return access.address < start + size && access.address + access.size > start;
    };
    if (overlaps(subject::kBase, subject::kSpan)) {
      result_.intrusion = {Reason::kSubjectMemory, access};
    } else if (overlaps(conditions_.home, conditions_.block_size)) {
      result_.intrusion = {Reason::kRipRelativeCode, access};
    }
  }

  bool pages_share_frames() const { return conditions_.frames != subject::kOwnFrames; }

  /// The address that a virtual address has in the frames, if these lay one behind the other.
  std::uint64_t in_frame(std::uint64_t address) const {
    if (!pages_share_frames()) return address;
    const auto frame =
        static_cast<std::uint64_t>(subject::frame_in_turn(address, conditions_.frames));
    return frame * subject::kPageSize + address % subject::kPageSize;
  }

  template <typename Function>
  static void for_each_line(const TracedAccess& access, const Function& function) {
    std::uint64_t address = access.address;
    for (std::uint64_t rest = access.size; rest > 0;) {
      const std::uint64_t size = std::min(rest, kCacheLine - address % kCacheLine);
      function(address, size);
      address += size;
      rest -= size;
    }
  }

  /// Finds lines of frames that are accessed through two pages. A first-level cache that predicts
  /// its way from the virtual address misses whenever a line is accessed through another page than
  /// before (Zen 4: 42 cycles instead of 8 for two loads in a chain).
  void look_at_shared_lines() {
    std::unordered_map<std::uint64_t, const TracedAccess*> by_line;
    for (const TracedAccess& access : trace_.accesses) {
      if (result_.traits.has(Trait::kPageAliasing)) return;
      for_each_line(access, [&](std::uint64_t address, std::uint64_t) {
        const auto [found, added] = by_line.try_emplace(in_frame(address) / kCacheLine, &access);
        const std::uint64_t other = line_in_frame(*found->second, in_frame(address) / kCacheLine);
        if (!added && other != address / kCacheLine) {
          note({Trait::kPageAliasing, access.copy, access, *found->second});
        }
      });
    }
  }

  /// Which virtual line of the access is mapped to the given line of the frames.
  std::uint64_t line_in_frame(const TracedAccess& access, std::uint64_t line) const {
    std::uint64_t result = 0;
    for_each_line(access, [&](std::uint64_t address, std::uint64_t) {
      if (in_frame(address) / kCacheLine == line) result = address / kCacheLine;
    });
    return result;
  }

  void add_store(const TracedAccess& access) {
    if (!access.write) return;
    const auto number = static_cast<std::int32_t>(stores_.size());
    stores_.push_back(&access);
    for_each_line(access, [&](std::uint64_t address, std::uint64_t size) {
      const auto fill = [&](YoungestStores::Line& line) {
        std::fill_n(line.begin() + static_cast<std::ptrdiff_t>(address % kCacheLine), size, number);
      };
      fill(by_address_.line(address / kCacheLine));
      fill(by_frame_.line(in_frame(address) / kCacheLine));
    });
  }

  bool is_in_store_buffer(std::int32_t number) const {
    return static_cast<std::int64_t>(stores_.size()) - number <= kStoreBuffer;
  }

  void note_load(Trait trait, const TracedAccess& load, std::int32_t store) {
    if (store == YoungestStores::kNone || !is_in_store_buffer(store)) return;
    note({trait, load.copy, load, *stores_[static_cast<std::size_t>(store)]});
  }

  void look_at_load(const TracedAccess& load) {
    constexpr Traits kBoth = {Trait::kMemoryDependence, Trait::kPageAliasing};
    if (!load.read || (result_.traits & kBoth) == kBoth) return;
    for_each_line(load, [&](std::uint64_t address, std::uint64_t size) {
      const auto* const frame = by_frame_.find(in_frame(address) / kCacheLine);
      if (frame == nullptr) return;
      const auto* const virtually = by_address_.find(address / kCacheLine);
      for (std::size_t i = address % kCacheLine; i < address % kCacheLine + size; ++i) {
        const std::int32_t same = virtually ? (*virtually)[i] : YoungestStores::kNone;
        note_load(Trait::kMemoryDependence, load, same);
        // The frame's youngest store to this byte went through another page.
        if ((*frame)[i] != same) note_load(Trait::kPageAliasing, load, (*frame)[i]);
      }
    });
  }

  const Trace& trace_;
  const TraceConditions& conditions_;
  TraceFindings result_;
  std::vector<const TracedAccess*> stores_;
  YoungestStores by_address_;
  YoungestStores by_frame_;
};

std::string access_text(const TracedAccess& access, const Block& block) {
  const Instruction& at = block.instructions[access.instruction];
  return fmt::format("in copy {} at offset {} ({}): {} bytes at {:#x}", access.copy + 1, at.offset,
                     text_of(block, at), access.size, access.address);
}

std::string after(const TracedAccess& store) {
  return fmt::format("{} bytes to {:#x} in copy {}", store.size, store.address, store.copy + 1);
}

}  // namespace

TraceFindings analyse(const Trace& trace, const TraceConditions& conditions) {
  return Analysis(trace, conditions).run();
}

std::string describe(const Finding& finding, const Block& block,
                     const TraceConditions& conditions) {
  switch (finding.trait) {
    case Trait::kSplitLine:
      return access_text(finding.access, block) + ", across the end of a cache line";
    case Trait::kSplitPage:
      return access_text(finding.access, block) + ", across the end of a page";
    case Trait::kTlbReach:
      return fmt::format("{} pages, of which the first-level data TLB holds {}", conditions.pages,
                         conditions.data_tlb_entries);
    case Trait::kCacheReach:
      if (!conditions.leaves_cache) {
        return fmt::format(
            "no rule is seen in where its copies go on {} pages, which are more than two thirds of "
            "the first-level data cache surely hold",
            conditions.pages);
      }
      return "the copies of the largest size access more lines of a set than two thirds of its "
             "ways, "
             "or go to more pages than its TLB holds, or holds for stores, beside assay's own";
    case Trait::kPageAliasing:
      return fmt::format("{}, which share a frame's line with {} bytes at {:#x} in copy {}",
                         access_text(finding.access, block), finding.store.size,
                         finding.store.address, finding.store.copy + 1);
    case Trait::kMemoryDependence:
      return access_text(finding.access, block) + ", after the store of " + after(finding.store);
    case Trait::kX87Stack:
      return fmt::format("the x87 stack over- or underflows in copy {}", finding.copy + 1);
    case Trait::kSubnormal:
      return fmt::format("subnormal operands or results in copy {}", finding.copy + 1);
    case Trait::kInputDependent:
    case Trait::kSeveralStates:
      break;  // found in the code and by visits, not in a trace
  }
  return "";
}

std::string describe(const Intrusion& intrusion, const Block& block) {
  const bool own = intrusion.reason == Reason::kSubjectMemory;
  return access_text(intrusion.access, block) +
         (own ? ", in assay's own memory" : ", in the block's own instructions");
}

}  // namespace assay
