#include "suites/extract/walk/flow_graph.h"

namespace assay {
namespace {

constexpr std::size_t kParagraph = 16;

}  // namespace

FlowGraph::FlowGraph(std::size_t size) : paragraphs_(size / kParagraph + 1, kNone) {}

std::optional<FlowGraph::Run> FlowGraph::find(CodeOffset start) const {
  for (std::uint32_t at = paragraphs_[start / kParagraph]; at != kNone; at = runs_[at].next_here) {
    if (runs_[at].start == start) return at;
  }
  return std::nullopt;
}

FlowGraph::Run FlowGraph::run_at(CodeOffset start) {
  if (const auto found = find(start)) return *found;
  std::uint32_t& first = paragraphs_[start / kParagraph];
  runs_.push_back({.start = start, .next_here = first});
  returns_.push_back(false);
  first = static_cast<Run>(runs_.size() - 1);
  return first;
}

FlowGraph::Run FlowGraph::last_up_to(CodeOffset offset) const {
  std::uint32_t best = kNone;
  for (std::size_t paragraph = offset / kParagraph + 1; best == kNone && paragraph > 0;) {
    --paragraph;
    for (std::uint32_t at = paragraphs_[paragraph]; at != kNone; at = runs_[at].next_here) {
      if (runs_[at].start > offset) continue;
      if (best == kNone || runs_[at].start > runs_[best].start) best = at;
    }
  }
  return best;
}

void FlowGraph::add_edge(Run to, const Edge& edge) {
  edges_.push_back(edge);
  edges_.back().next = runs_[to].first_edge;
  runs_[to].first_edge = static_cast<std::uint32_t>(edges_.size() - 1);
}

void FlowGraph::add_flow(Run from, Run to) {
  // A conditional branch may lead to where it goes on.
  const std::uint32_t latest = runs_[to].first_edge;
  if (latest != kNone && edges_[latest].from == from && edges_[latest].resumed == kNone) return;
  add_edge(to, {.from = from});
  if (returns_[to]) set_returns(from);
}

void FlowGraph::add_call(Run callee, const Call& call) {
  if (returns_[callee]) {
    returning_calls_.push_back(call);
  } else {
    add_edge(callee, {.from = call.caller, .resumed = call.next});
  }
}

void FlowGraph::set_returns(Run run) {
  if (returns_[run]) return;
  returns_[run] = true;
  newly_returning_.push_back(run);
  while (!newly_returning_.empty()) {
    const Run next = newly_returning_.back();
    newly_returning_.pop_back();
    for (std::uint32_t at = runs_[next].first_edge; at != kNone; at = edges_[at].next) {
      const Edge& edge = edges_[at];
      if (edge.resumed != kNone) {
        returning_calls_.push_back({edge.from, edge.resumed});
      } else if (!returns_[edge.from]) {
        returns_[edge.from] = true;
        newly_returning_.push_back(edge.from);
      }
    }
  }
}

std::optional<FlowGraph::Call> FlowGraph::take_returning_call() {
  if (returning_calls_.empty()) return std::nullopt;
  const Call call = returning_calls_.back();
  returning_calls_.pop_back();
  return call;
}

std::vector<FlowGraph::Run> FlowGraph::sources(Run run, std::size_t most) const {
  std::vector<Run> found;
  for (std::uint32_t at = runs_[run].first_edge; at != kNone && found.size() < most;
       at = edges_[at].next) {
    if (edges_[at].resumed == kNone && edges_[at].from != run) found.push_back(edges_[at].from);
  }
  return found;
}

}  // namespace assay
