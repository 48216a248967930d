#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "suites/extract/walk/code_space.h"

namespace assay {

/// Finds which pieces of code can reach a return. Code behind a call is reached only if the callee
/// returns, which is found out by decoding the callee. A run is code that is executed from its
/// start on, up to a branch or the next run; it returns if any path from it leads to a return. The
/// answer is exact even if functions call each other: a run that nothing shows to return does not
/// return.
class FlowGraph {
 public:
  using Run = std::uint32_t;
  /// A run that ends in a call, and the offset behind the call.
  struct Call {
    Run caller = 0;
    CodeOffset next = 0;
  };

  /// A graph for code with offsets below `size`.
  explicit FlowGraph(std::size_t size);

  /// The run that starts at the offset, made if there was none.
  Run run_at(CodeOffset start);
  /// The run that starts at the offset, if there is one.
  std::optional<Run> find(CodeOffset start) const;
  /// The last run that starts at the offset or before it; there must be one.
  Run last_up_to(CodeOffset offset) const;
  CodeOffset start_of(Run run) const { return runs_[run].start; }

  /// Notes that control can go from the end of one run to the start of the other.
  void add_flow(Run from, Run to);
  /// Notes that the run ends in a return.
  void set_returns(Run run);
  /// Notes that the run `call.caller` ends in a call of `callee`, which goes on at `call.next` if
  /// the callee returns.
  void add_call(Run callee, const Call& call);
  /// A call whose callee was found to return, and that has not been given yet; nothing if there is
  /// none.
  std::optional<Call> take_returning_call();

  /// The runs from which control comes to this run other than by calls, at most `most` of them.
  std::vector<Run> sources(Run run, std::size_t most) const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Node {
    CodeOffset start = 0;
    std::uint32_t next_here = kNone;   ///< the next run that starts in the same paragraph
    std::uint32_t first_edge = kNone;  ///< the first edge that leads to this run
  };
  struct Edge {
    Run from = 0;
    std::uint32_t next = kNone;  ///< the next edge that leads to the same run
    CodeOffset resumed = kNone;  ///< for a call, the offset behind it
  };

  void add_edge(Run to, const Edge& edge);

  // Code of nothing but branches has as many runs and edges as it has bytes. So they must be small,
  // and not be copied as they become more.
  std::deque<Node> runs_;
  std::deque<Edge> edges_;
  std::vector<bool> returns_;              ///< of each run, whether it is known to return
  std::vector<std::uint32_t> paragraphs_;  ///< head of the list of runs that start in each 16 bytes
  std::vector<Run> newly_returning_;
  std::vector<Call> returning_calls_;
};

}  // namespace assay
