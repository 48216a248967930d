#include "suites/extract/walk/block_cutter.h"

#include "profiler/block/block.h"
#include "profiler/block/control_flow.h"
#include "suites/extract/walk/code_walk.h"

namespace assay {
namespace {

/// Instructions in a row up to where a block may end, and what is known of them.
struct Stretch {
  CodeOffset begin = 0;
  CodeOffset body = 0;         ///< end of the instructions before the branch
  CodeOffset end = 0;          ///< end of the block, which may include the branch
  CodeOffset last = 0;         ///< start of the last instruction, the branch if there is one
  CodeOffset next = 0;         ///< end of the stretch, with the branch if there is one
  bool closed = false;         ///< ends where a block does, and not at bytes that are not code
  bool only_filling = true;    ///< nothing but nops and endbr64 up to `body`
  std::uint8_t all_marks = 0;  ///< union of the marks of the block's bytes
};

class Cutter {
 public:
  Cutter(std::span<const std::uint8_t> marks, bool keep_branch)
      : marks_(marks), keep_branch_(keep_branch) {}

  Stretch stretch_from(CodeOffset begin) const {
    Stretch stretch{.begin = begin, .body = begin, .end = begin, .last = begin, .next = begin};
    while (true) {
      const std::uint8_t mark = marks_[stretch.next];
      const CodeOffset after = next_of(stretch.next);
      const bool ends = (mark & kEnds) != 0;
      if (!ends || (keep_branch_ && (mark & kDirectJump) != 0)) take(stretch, after);
      if (!ends) {
        stretch.body = after;
        stretch.only_filling = stretch.only_filling && (mark & kFilling) != 0;
      }
      stretch.last = stretch.next;
      stretch.next = after;
      const bool goes_on = after < marks_.size() && (marks_[after] & kStart) != 0;
      stretch.closed = ends || (goes_on && (marks_[after] & kLeader) != 0);
      if (stretch.closed || !goes_on) return stretch;
    }
  }

 private:
  CodeOffset next_of(CodeOffset at) const {
    do {
      ++at;
    } while (at < marks_.size() && (marks_[at] & kInside) != 0);
    return at;
  }

  void take(Stretch& stretch, CodeOffset end) const {
    for (CodeOffset each = stretch.end; each < end; ++each) {
      stretch.all_marks = static_cast<std::uint8_t>(stretch.all_marks | marks_[each]);
    }
    stretch.end = end;
  }

  std::span<const std::uint8_t> marks_;
  bool keep_branch_;
};

/// The counter for a stretch that gives no block; nullptr if it gives one.
std::int64_t SkippedBlocks::*why_skipped(const Stretch& stretch) {
  if ((stretch.all_marks & kDisputed) != 0) return &SkippedBlocks::disputed;
  if ((stretch.all_marks & kUnknown) != 0) return &SkippedBlocks::unknown_field;
  if (!stretch.closed) return &SkippedBlocks::open_end;
  if (stretch.begin == stretch.body) return &SkippedBlocks::branch_alone;
  if (stretch.only_filling) return &SkippedBlocks::filling;
  if (stretch.end - stretch.begin > kLargestBlock) return &SkippedBlocks::too_large;
  return nullptr;
}

/// Whether the stretch ends in a direct jump to its own start. A loop that is entered from above
/// too begins a stretch all the same, since the jump's target is a leader; and one with a target of
/// another jump in its middle is cut there, so that its jump leads to another stretch.
bool leads_back(const Stretch& stretch, const CodeSpace& space,
                std::span<const std::uint8_t> marks) {
  if ((marks[stretch.last] & kDirectJump) == 0) return false;
  const auto flow = control_flow(space.code_from(stretch.last));
  const auto back = std::int64_t{stretch.begin} - std::int64_t{stretch.last};
  return flow && flow->target == back;
}

}  // namespace

SkippedBlocks& SkippedBlocks::operator+=(const SkippedBlocks& other) {
  branch_alone += other.branch_alone;
  filling += other.filling;
  too_large += other.too_large;
  disputed += other.disputed;
  open_end += other.open_end;
  unknown_field += other.unknown_field;
  return *this;
}

SkippedBlocks cut_blocks(const CodeSpace& space, std::span<const std::uint8_t> marks,
                         bool keep_branch, const std::function<bool(const CutBlock&)>& use) {
  SkippedBlocks skipped;
  const Cutter cutter(marks, keep_branch);
  for (CodeOffset at = 0; at < marks.size();) {
    if ((marks[at] & kStart) == 0) {
      ++at;
      continue;
    }
    const Stretch stretch = cutter.stretch_from(at);
    at = stretch.next;
    if (const auto reason = why_skipped(stretch)) {
      ++(skipped.*reason);
      continue;
    }
    const auto bytes = space.code_from(stretch.begin).first(stretch.end - stretch.begin);
    if (!use({stretch.begin, bytes, leads_back(stretch, space, marks)})) break;
  }
  return skipped;
}

}  // namespace assay
