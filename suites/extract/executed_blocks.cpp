#include "suites/extract/executed_blocks.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/block/control_flow.h"

namespace assay {
namespace {

/// Stands for no instruction.
constexpr std::size_t kNone = SIZE_MAX;

struct Executed {
  std::uint64_t address = 0;
  std::uint64_t count = 0;
  std::uint8_t length = 0;  ///< 0: the file has no instruction there
  FlowKind kind = FlowKind::kSequential;
  bool nop = false;
  bool leads = true;  ///< a block begins with it
};

std::uint64_t count_at(std::span<const AddressCount> counts, std::uint64_t address) {
  const auto found = std::ranges::lower_bound(counts, address, {}, &AddressCount::address);
  return found != counts.end() && found->address == address ? found->count : 0;
}

/// What ran of one object, in the order of addresses.
class Execution {
 public:
  Execution(const Image& image, ExecutedObject& object);

  std::size_t size() const { return instructions_.size(); }
  const Executed& at(std::size_t index) const { return instructions_[index]; }
  /// The instruction behind that one in the file; kNone if it did not run.
  std::size_t behind(std::size_t index) const;

 private:
  void find_leaders(std::span<const AddressCount> targets, std::span<const AddressCount> repeats);

  std::vector<Executed> instructions_;
};

Execution::Execution(const Image& image, ExecutedObject& object) {
  const auto repeats = object.repeats.sorted();
  const auto ran = object.instructions.sorted();
  instructions_.reserve(ran.size());
  for (const AddressCount& item : ran) {
    Executed executed{item.address, item.count};
    if (const auto flow = control_flow(image.code_at(item.address))) {
      executed.length = static_cast<std::uint8_t>(flow->length);
      executed.kind = flow->kind;
      executed.nop = flow->nop;
    }
    // A rep is counted for every iteration, each of which but the first is a jump to itself.
    if (executed.kind == FlowKind::kSequential) {
      executed.count -= std::min(item.count, count_at(repeats, item.address));
    }
    instructions_.push_back(executed);
  }
  find_leaders(object.targets.sorted(), repeats);
}

std::size_t Execution::behind(std::size_t index) const {
  const std::uint64_t address = at(index).address + at(index).length;
  // Nearly always the next one; code that overlaps (a jump over a prefix) has others between.
  for (std::size_t i = index + 1; i < size() && at(i).address <= address; ++i) {
    if (at(i).address == address) return i;
  }
  return kNone;
}

void Execution::find_leaders(std::span<const AddressCount> targets,
                             std::span<const AddressCount> repeats) {
  for (std::size_t i = 0; i < size(); ++i) {
    if (at(i).length == 0 || ends_block(at(i).kind)) continue;
    const std::size_t next = behind(i);
    if (next == kNone || at(next).count != at(i).count) continue;
    std::uint64_t entered = count_at(targets, at(next).address);
    if (at(next).kind == FlowKind::kSequential) {
      entered -= std::min(entered, count_at(repeats, at(next).address));
    }
    if (entered == 0) instructions_[next].leads = false;
  }
}

class Cutter {
 public:
  Cutter(const Image& image, bool keep_branch, BlockSet& blocks)
      : image_(image), keep_branch_(keep_branch), blocks_(blocks) {}

  ExecutedTally cut(const Execution& execution);

 private:
  void cut_one(const Execution& execution, std::size_t first);
  void add(std::uint64_t begin, std::uint64_t end, std::uint64_t count);
  void skip(NoBlock reason) { ++tally_.skipped.at(static_cast<std::size_t>(reason)); }

  const Image& image_;
  bool keep_branch_;
  BlockSet& blocks_;
  ExecutedTally tally_;
};

ExecutedTally Cutter::cut(const Execution& execution) {
  for (std::size_t i = 0; i < execution.size(); ++i) {
    if (execution.at(i).leads) cut_one(execution, i);
  }
  return tally_;
}

void Cutter::cut_one(const Execution& execution, std::size_t first) {
  const std::uint64_t begin = execution.at(first).address;
  bool only_nops = true;
  for (std::size_t i = first;;) {
    const Executed& last = execution.at(i);
    if (last.length == 0) return skip(NoBlock::kNotInFile);
    const bool ends = ends_block(last.kind);
    const std::uint64_t end = last.address + (ends && !keep_branch_ ? 0 : last.length);
    only_nops = only_nops && (last.nop || (ends && !keep_branch_));
    if (end - begin > kLargestBlock) return skip(NoBlock::kTooLong);
    const std::size_t next = ends ? kNone : execution.behind(i);
    if (!ends && next == kNone) return skip(NoBlock::kBrokenOff);
    if (ends || execution.at(next).leads) {
      if (begin == end) return skip(NoBlock::kBranchAlone);
      if (only_nops) return skip(NoBlock::kNopsAlone);
      return add(begin, end, execution.at(first).count);
    }
    i = next;
  }
}

void Cutter::add(std::uint64_t begin, std::uint64_t end, std::uint64_t count) {
  const auto code = image_.code_at(begin);
  if (code.size() < end - begin) return skip(NoBlock::kNotInFile);  // from one range into the next
  const auto bytes = code.first(end - begin);
  const FunctionSymbol* const function = image_.function_at(begin);
  const bool named = function != nullptr && !function->name.empty();
  blocks_.add(bytes, count, named ? image_.name + ':' + std::string(function->name) : image_.name);
  ++tally_.places;
  tally_.executions += count;
  tally_.bytes += bytes.size();
}

}  // namespace

std::string_view describe(NoBlock reason) {
  switch (reason) {
    case NoBlock::kBranchAlone:
      return "only a branch";
    case NoBlock::kNopsAlone:
      return "only NOPs";
    case NoBlock::kNotInFile:
      return "not in the file";
    case NoBlock::kBrokenOff:
      return "broken off";
    case NoBlock::kTooLong:
      return "too long";
  }
  return "";
}

ExecutedTally add_executed_blocks(const Image& image, ExecutedObject& ran, bool keep_branch,
                                  BlockSet& blocks) {
  return Cutter(image, keep_branch, blocks).cut(Execution(image, ran));
}

}  // namespace assay
