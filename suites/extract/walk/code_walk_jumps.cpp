// How CodeWalk follows indirect jumps.
#include <algorithm>
#include <utility>

#include "suites/extract/program/byte_reader.h"
#include "suites/extract/walk/code_walk.h"

namespace assay {
namespace {

/// Limits of the search, backwards from a jump, for the code that reads its table: the length of a
/// way in runs, the number of ways, and the number of sources that are looked at for one run.
constexpr int kLongestWay = 6;
constexpr int kMostWays = 24;
constexpr std::size_t kMostSources = 6;
constexpr std::size_t kLongestPath = 512;  ///< length of the path through one run, in instructions
/// How often the jumps that are left are tried again, with the code that the others led to.
constexpr int kMostRounds = 32;

}  // namespace

/// Tries to resolve the open jumps; says whether there may be anything new to decode now.
bool CodeWalk::resolve_jumps() {
  if (open_jumps_.empty()) return false;
  std::vector<Jump> jumps = std::exchange(open_jumps_, {});
  std::ranges::sort(jumps, {}, &Jump::at);
  constants_for_.reset();
  bool found = false;
  for (const Jump& jump : jumps) {
    if (rounds_ < kMostRounds && resolve(jump)) {
      found = true;
    } else {
      open_jumps_.push_back(jump);
    }
  }
  ++rounds_;
  if (found) return true;
  // The jumps that are left mostly go to another function, which returns (virtual tail calls).
  for (const Jump& jump : open_jumps_) {
    if (!follow_labels(jump)) ++counts_.unresolved_jumps;
    graph_.set_returns(jump.run);
  }
  open_jumps_.clear();
  return true;
}

bool CodeWalk::resolve(const Jump& jump) {
  const auto table = table_of(jump);
  return table && follow_table(jump, *table);
}

std::optional<TableJump> CodeWalk::table_of(const Jump& jump) {
  const CodeSpace::Function function = space_.function_at(jump.at);
  struct Way {
    std::vector<PathStep> path;  ///< from the start of `first` to the jump
    Run first = 0;
    int runs = 1;
  };
  const auto own = path_to(graph_.start_of(jump.run), next_of(jump.at));
  if (!own || jumps_to_plain_pointer(*own)) return std::nullopt;
  std::vector<Way> ways = {{*own, jump.run, 1}};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (!spend(ways[i].path.size())) break;
    const auto table = table_jump(ways[i].path, &constants_of(function));
    if (table) return table;
    if (ways[i].runs == kLongestWay) continue;
    for (const Run source : graph_.sources(ways[i].first, kMostSources)) {
      const CodeOffset start = graph_.start_of(source);
      // Code of another function that jumps here has nothing to do with this function's table.
      if (ways.size() >= kMostWays || start < function.start || start >= function.end) continue;
      auto path = path_to(start, graph_.start_of(ways[i].first));
      if (!path) continue;
      path->insert(path->end(), ways[i].path.begin(), ways[i].path.end());
      ways.push_back({std::move(*path), source, ways[i].runs + 1});
    }
  }
  return std::nullopt;
}

/// The instructions that are executed from one offset to another if there is no branch but at the
/// end; nothing if control does not get there that way. (A run may have been cut into several since
/// it was made.)
std::optional<std::vector<PathStep>> CodeWalk::path_to(CodeOffset from, CodeOffset to) const {
  std::vector<PathStep> path;
  for (CodeOffset at = from; (marks_[at] & kStart) != 0; at = next_of(at)) {
    path.push_back({space_.code_from(at), space_.address_of(at), false});
    if (next_of(at) == to) return path;
    if ((marks_[at] & kEnds) == 0 && path.size() < kLongestPath) continue;
    if ((marks_[at] & kDirectJump) == 0) return std::nullopt;
    const auto flow = control_flow(path.back().code);
    path.back().taken = true;
    const std::uint64_t target = path.back().address + static_cast<std::uint64_t>(*flow->target);
    if (space_.offset_of(target) != to) return std::nullopt;
    return path;
  }
  return std::nullopt;
}

/// The registers that hold constants in the function. Only those of one function are kept, which is
/// enough because jumps come function by function.
const ConstantRegisters& CodeWalk::constants_of(const CodeSpace::Function& function) {
  if (constants_for_ == function.start) return constants_;
  constants_for_ = function.start;
  constants_ = {};
  for (CodeOffset at = function.start; at < function.end; ++at) {
    if ((marks_[at] & kStart) != 0) constants_.see(space_.code_from(at), space_.address_of(at));
  }
  return constants_;
}

bool CodeWalk::spend(std::size_t effort) {
  if (effort > effort_left_) return false;
  effort_left_ -= effort;
  return true;
}

bool CodeWalk::follow_table(const Jump& jump, const TableJump& table) {
  const auto targets = targets_of(jump, table);
  if (!targets) return false;
  for (const CodeOffset target : *targets) go_to(jump.run, target);
  ++counts_.table_jumps;
  return true;
}

/// The distinct targets in the table, sorted; nothing if any entry leads to where no jump of this
/// function can go, or none into the function itself.
std::optional<std::vector<CodeOffset>> CodeWalk::targets_of(const Jump& jump,
                                                            const TableJump& table) {
  const auto bytes = image_.bytes_at(table.table);
  const std::size_t size = table.base ? 4 : 8;
  if (bytes.size() / size < table.entries || !spend(table.entries)) return std::nullopt;
  const CodeSpace::Function function = space_.function_at(jump.at);
  std::vector<CodeOffset> targets;
  bool at_home = false;
  ByteReader reader(bytes);
  for (std::uint64_t i = 0; i < table.entries; ++i) {
    const std::uint64_t address =
        table.base
            ? *table.base +
                  static_cast<std::uint64_t>(static_cast<std::int64_t>(reader.read<std::int32_t>()))
            : reader.read<std::uint64_t>();
    const auto target = space_.offset_of(address);
    if (!target || (marks_[*target] & kInside) != 0) return std::nullopt;
    const bool inside = *target >= function.start && *target < function.end;
    // Compilers move what is rarely executed to a part of its own, which has a frame entry too.
    if (!inside && !space_.function_at(*target).known) return std::nullopt;
    at_home = at_home || inside;
    targets.push_back(*target);
  }
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  if (!at_home) return std::nullopt;
  return targets;
}

/// Follows a computed goto: to all places in the middle of the jump's function that data points to.
bool CodeWalk::follow_labels(const Jump& jump) {
  const CodeSpace::Function function = space_.function_at(jump.at);
  if (!function.known) return false;
  const auto first = std::ranges::upper_bound(image_.pointed_at, space_.address_of(function.start));
  bool found = false;
  for (auto each = first; each != image_.pointed_at.end(); ++each) {
    const auto target = space_.offset_of(*each);
    if (!target || *target >= function.end || !spend(1)) break;
    if ((marks_[*target] & kInside) != 0) continue;
    go_to(jump.run, *target);
    found = true;
  }
  if (found) ++counts_.label_jumps;
  return found;
}

}  // namespace assay
