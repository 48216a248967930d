#include "suites/extract/dynamic/executed_blocks.h"

#include <algorithm>
#include <span>
#include <vector>

#include "profiler/block/control_flow.h"
#include "suites/extract/walk/block_collector.h"
#include "suites/extract/walk/code_space.h"
#include "suites/extract/walk/code_walk.h"

namespace assay {
namespace {

std::uint64_t count_at(std::span<const AddressCount> counts, std::uint64_t address) {
  const auto found = std::ranges::lower_bound(counts, address, {}, &AddressCount::address);
  return found != counts.end() && found->address == address ? found->count : 0;
}

/// Marks the bytes of the instructions that ran for cut_blocks(). The instructions have to come in
/// the order of their addresses.
class Marker {
 public:
  Marker(const CodeSpace& space, ExecutedObject& ran)
      : space_(space),
        targets_(ran.targets.sorted()),
        repeats_(ran.repeats.sorted()),
        marks_(space.size()) {}

  /// Adds an instruction that ran, with its count; false if the file has no instruction there.
  bool add(const AddressCount& ran);
  std::span<const std::uint8_t> marks() const { return marks_; }
  /// How often each instruction ran, in the order of the addresses; a rep without its iterations.
  std::span<const AddressCount> executions() const { return executions_; }

 private:
  void mark(CodeOffset begin, const ControlFlow& flow, bool leads);
  /// Whether control came to the instruction from elsewhere than the instruction before.
  bool leads(const AddressCount& ran, CodeOffset begin, std::uint64_t iterations) const;

  const CodeSpace& space_;
  std::span<const AddressCount> targets_;
  std::span<const AddressCount> repeats_;
  std::vector<std::uint8_t> marks_;
  std::vector<AddressCount> executions_;
  CodeOffset last_ = 0;      ///< start of the last instruction, if there was one
  CodeOffset last_end_ = 0;  ///< end of the last instruction
};

bool Marker::add(const AddressCount& ran) {
  const auto begin = space_.offset_of(ran.address);
  if (!begin) return false;
  const auto flow = control_flow(space_.code_from(*begin));
  if (!flow) return false;
  // Callgrind counts every iteration of a rep, and all but the first as a jump to itself.
  const std::uint64_t iterations =
      flow->kind == FlowKind::kSequential ? count_at(repeats_, ran.address) : 0;
  const AddressCount once{ran.address, ran.count - std::min(ran.count, iterations)};
  mark(*begin, *flow, leads(once, *begin, iterations));
  executions_.push_back(once);
  return true;
}

bool Marker::leads(const AddressCount& ran, CodeOffset begin, std::uint64_t iterations) const {
  const bool follows = !executions_.empty() && last_end_ == begin && (marks_[last_] & kEnds) == 0;
  // A rep's jumps to itself are counted among the jumps to its address: only further ones matter.
  return !follows || executions_.back().count != ran.count ||
         count_at(targets_, ran.address) > iterations;
}

void Marker::mark(CodeOffset begin, const ControlFlow& flow, bool leads) {
  std::uint8_t start = kStart;
  if (leads) start |= kLeader;
  if (ends_block(flow.kind)) start |= kEnds;
  const bool jump = flow.kind == FlowKind::kJump || flow.kind == FlowKind::kConditionalJump;
  if (jump && flow.target) start |= kDirectJump;
  if (flow.nop) start |= kFilling;
  // Overlapping instructions may both have run, by a jump over a prefix; or the file holds other
  // code than what ran.
  if (begin < last_end_) {
    start |= kDisputed;
    marks_[last_] |= kDisputed;
  }
  const auto end = static_cast<CodeOffset>(begin + flow.length);
  marks_[begin] = start;
  std::fill(marks_.begin() + begin + 1, marks_.begin() + end, kInside);
  last_ = begin;
  last_end_ = end;
}

}  // namespace

ExecutedCounts& ExecutedCounts::operator+=(const ExecutedCounts& other) {
  places += other.places;
  executions += other.executions;
  bytes += other.bytes;
  loops += other.loops;
  loop_executions += other.loop_executions;
  skipped += other.skipped;
  not_in_file += other.not_in_file;
  return *this;
}

ExecutedCounts add_executed_blocks(const Image& image, ExecutedObject& ran,
                                   const BlockChoice& choice, BlockSet& blocks) {
  const CodeSpace space(image);
  Marker marker(space, ran);
  ExecutedCounts counts;
  for (const AddressCount& item : ran.instructions.sorted()) {
    if (!marker.add(item)) ++counts.not_in_file;
  }
  BlockCollector collector(image, choice, blocks);
  counts.skipped =
      cut_blocks(space, marker.marks(), choice.with_branch(), [&](const CutBlock& block) {
        const std::uint64_t address = space.address_of(block.offset);
        const std::uint64_t executions = count_at(marker.executions(), address);
        collector.add(block, address, executions);
        ++counts.places;
        counts.executions += executions;
        counts.bytes += block.bytes.size();
        counts.loops += block.loop ? 1 : 0;
        counts.loop_executions += block.loop ? executions : 0;
        return true;
      });
  return counts;
}

}  // namespace assay
