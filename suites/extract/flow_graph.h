#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "suites/extract/code_space.h"

namespace assay {

/// Which pieces of code can get to a return: code behind a call is reached only if what is called
/// returns, which is found out by decoding it. A run is code that is executed from its start on, up
/// to a branch or the next run; it returns if any way from it leads to a return. The answer is
/// exact also where functions call each other: what nothing shows to return does not.
class FlowGraph {
 public:
  using Run = std::uint32_t;
  /// A run that ends in a call, and the place behind it.
  struct Call {
    Run caller = 0;
    CodeOffset next = 0;
  };

  /// For offsets below `size`.
  explicit FlowGraph(std::size_t size);

  /// The run that starts there, made if there was none.
  Run run_at(CodeOffset start);
  /// The one that starts there, if any does.
  std::optional<Run> find(CodeOffset start) const;
  /// The last that starts there or before it; at least one does.
  Run last_up_to(CodeOffset offset) const;
  CodeOffset start_of(Run run) const { return runs_[run].start; }

  /// Control can go from the end of one to the start of the other.
  void add_flow(Run from, Run to);
  /// The run ends in a return.
  void set_returns(Run run);
  /// The run ends in a call of the other, which returns to `call.next` if it does at all.
  void add_call(Run callee, const Call& call);
  /// A call of something that was found to return, which has not been given yet; nothing if there
  /// is none.
  std::optional<Call> take_returning_call();

  /// Where control comes from to the run, other than by calls, at most `most` runs.
  std::vector<Run> sources(Run run, std::size_t most) const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Node {
    CodeOffset start = 0;
    std::uint32_t next_here = kNone;   ///< the next run that starts in the same paragraph
    std::uint32_t first_edge = kNone;  ///< of those to this run
    bool returns = false;
  };
  struct Edge {
    Run from = 0;
    std::uint32_t next = kNone;  ///< edge to the same run
    CodeOffset resumed = kNone;  ///< of a call: the place behind it
  };

  void add_edge(Run to, const Edge& edge);

  std::vector<Node> runs_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> paragraphs_;  ///< for each 16 bytes the first run that starts in them
  std::vector<Run> newly_returning_;
  std::vector<Call> returning_calls_;
};

}  // namespace assay
