#include "suites/extract/walk/code_walk.h"

#include <algorithm>

#include "suites/extract/walk/noreturn.h"

namespace assay {
namespace {

/// The length in bytes at which a run is cut, so that the run of an instruction is found quickly.
constexpr CodeOffset kLongestRun = 4096;
/// How many instructions are decoded between two questions whether to go on.
constexpr std::int64_t kBetweenQuestions = 65536;

}  // namespace

WalkCounts& WalkCounts::operator+=(const WalkCounts& other) {
  instructions += other.instructions;
  table_jumps += other.table_jumps;
  label_jumps += other.label_jumps;
  unresolved_jumps += other.unresolved_jumps;
  silent_calls += other.silent_calls;
  invalid_code += other.invalid_code;
  past_end += other.past_end;
  outside_targets += other.outside_targets;
  return *this;
}

CodeWalk::CodeWalk(const Image& image, const CodeSpace& space)
    : image_(image), space_(space), marks_(space.size()), graph_(space.size()) {}

bool CodeWalk::run(const std::function<bool(std::size_t)>& goes_on) {
  goes_on_ = goes_on;
  mark_unknown_fields();
  add_roots();
  do {
    if (!drain()) return false;
  } while (resolve_jumps());
  return true;
}

void CodeWalk::mark_unknown_fields() {
  for (const std::uint64_t address : image_.unknown_fields) {
    const auto offset = space_.offset_of(address);
    if (!offset) continue;
    const std::size_t room = space_.code_from(*offset).size();
    for (std::size_t i = 0; i < std::min<std::size_t>(room, 8); ++i)
      marks_[*offset + i] |= kUnknown;
  }
}

void CodeWalk::add_root(std::uint64_t address) {
  const auto offset = space_.offset_of(address);
  if (!offset) return;
  marks_[*offset] |= kLeader;
  graph_.run_at(*offset);
  pending_.push_back(*offset);
}

void CodeWalk::add_roots() {
  for (const FunctionSymbol& symbol : image_.functions) add_root(symbol.address);
  for (const std::uint64_t entry : image_.entries) add_root(entry);
  for (const FrameRange& frame : image_.frames) add_root(frame.start);
  for (const LandingPad& pad : image_.landing_pads) {
    add_root(pad.address);
    const auto function = space_.offset_of(pad.function);
    // A function may return only by way of its landing pads.
    if (function) {
      graph_.add_flow(graph_.run_at(*function), graph_.run_at(*space_.offset_of(pad.address)));
    }
  }
  // The last pending start is decoded first: let that be the one with the lowest address.
  std::ranges::sort(pending_, std::greater<>());
}

bool CodeWalk::drain() {
  std::int64_t asked = counts_.instructions;
  while (true) {
    if (counts_.instructions - asked >= kBetweenQuestions) {
      asked = counts_.instructions;
      if (!goes_on_(reached_)) return false;
    }
    if (!pending_.empty()) {
      const CodeOffset start = pending_.back();
      pending_.pop_back();
      if ((marks_[start] & kStart) == 0) decode_run(start);
    } else if (const auto call = graph_.take_returning_call()) {
      --counts_.silent_calls;
      go_behind(call->caller, call->next, space_.function_at(graph_.start_of(call->caller)).end);
    } else {
      return goes_on_(reached_);
    }
  }
}

void CodeWalk::decode_run(CodeOffset start) {
  Place place;
  place.run = graph_.run_at(start);
  place.next = start;
  place.limit = space_.function_at(start).end;
  CodeOffset longest = start + std::min(place.limit - start, kLongestRun);
  do {
    place.at = place.next;
    if (place.at >= longest && place.at < place.limit &&
        (marks_[place.at] & (kStart | kLeader)) == 0) {
      const Run next = graph_.run_at(place.at);
      graph_.add_flow(place.run, next);
      place.run = next;
      longest = place.at + std::min(place.limit - place.at, kLongestRun);
    }
  } while (decode_at(place));
}

bool CodeWalk::decode_at(Place& place) {
  if (place.at != graph_.start_of(place.run) && starts_another_run(place)) return false;
  if (place.at >= place.limit) {
    ++counts_.past_end;
    return false;
  }
  const auto code = space_.code_from(place.at);
  const auto flow =
      control_flow(code.first(std::min<std::size_t>(code.size(), place.limit - place.at)));
  if (!flow) {
    ++counts_.invalid_code;
    return false;
  }
  place.flow = *flow;
  place.next = place.at + static_cast<CodeOffset>(flow->length);
  if (is_disputed(place)) return false;
  mark(place);
  if (!ends_block(flow->kind)) return true;
  follow(place);
  return false;
}

bool CodeWalk::starts_another_run(const Place& place) {
  if ((marks_[place.at] & (kLeader | kStart)) == 0) return false;
  graph_.add_flow(place.run, run_of(place.at));
  if ((marks_[place.at] & kStart) == 0 && place.at < place.limit) pending_.push_back(place.at);
  return true;
}

bool CodeWalk::is_disputed(const Place& place) {
  bool disputed = false;
  if ((marks_[place.at] & kInside) != 0) {
    dispute(place.at);
    disputed = true;
  }
  for (CodeOffset each = place.at + 1; each < place.next; ++each) {
    if ((marks_[each] & kStart) == 0) continue;
    dispute(each);
    disputed = true;
  }
  return disputed;
}

void CodeWalk::dispute(CodeOffset at) {
  while ((marks_[at] & kStart) == 0) --at;
  const CodeOffset end = next_of(at);
  for (CodeOffset each = at; each < end; ++each) marks_[each] |= kDisputed;
}

void CodeWalk::mark(const Place& place) {
  unsigned start = kStart;
  if (ends_block(place.flow.kind)) start |= kEnds;
  const bool jump =
      place.flow.kind == FlowKind::kJump || place.flow.kind == FlowKind::kConditionalJump;
  if (jump) start |= kDirectJump;
  if (place.flow.nop) start |= kFilling;
  marks_[place.at] = static_cast<std::uint8_t>(marks_[place.at] | start);
  for (CodeOffset each = place.at + 1; each < place.next; ++each) marks_[each] |= kInside;
  ++counts_.instructions;
  reached_ += place.flow.length;
}

CodeOffset CodeWalk::next_of(CodeOffset at) const {
  do {
    ++at;
  } while (at < marks_.size() && (marks_[at] & kInside) != 0);
  return at;
}

std::uint64_t CodeWalk::target_address(const Place& place) const {
  return space_.address_of(place.at) + static_cast<std::uint64_t>(*place.flow.target);
}

const Import* CodeWalk::import_of(const Place& place) const {
  if (place.flow.target) return image_.import_at(target_address(place));
  if (!place.flow.pointer) return nullptr;
  return image_.import_at(space_.address_of(place.at) +
                          static_cast<std::uint64_t>(*place.flow.pointer));
}

void CodeWalk::follow(const Place& place) {
  switch (place.flow.kind) {
    case FlowKind::kReturn:
      return graph_.set_returns(place.run);
    case FlowKind::kConditionalJump:
      go_behind(place.run, place.next, place.limit);
      return go_to_address(place.run, target_address(place));
    case FlowKind::kJump:
      return import_of(place) != nullptr ? follow_indirect(place)
                                         : go_to_address(place.run, target_address(place));
    case FlowKind::kIndirectJump:
      return follow_indirect(place);
    case FlowKind::kCall:
    case FlowKind::kIndirectCall:
      return follow_call(place);
    case FlowKind::kSystemCall:
      return go_behind(place.run, place.next, place.limit);
    case FlowKind::kSequential:
    case FlowKind::kTrap:
      return;
  }
}

void CodeWalk::follow_call(const Place& place) {
  if (const Import* const import = import_of(place)) {
    const auto here = space_.offset_of(import->target);
    if (import->target != 0 && here) return call_target(place, *here);
    if (!never_returns(import->name)) go_behind(place.run, place.next, place.limit);
    return;
  }
  if (!place.flow.target) return go_behind(place.run, place.next, place.limit);
  const auto callee = space_.offset_of(target_address(place));
  if (callee) return call_target(place, *callee);
  ++counts_.outside_targets;
  go_behind(place.run, place.next, place.limit);
}

void CodeWalk::call_target(const Place& place, CodeOffset callee) {
  // A call of the next instruction is no call: it is how code finds out its own address.
  if (callee == place.next) return go_behind(place.run, place.next, place.limit);
  const Run caller = place.run;
  marks_[callee] |= kLeader;
  if ((marks_[callee] & (kStart | kInside)) == 0) pending_.push_back(callee);
  if ((marks_[callee] & kInside) != 0) dispute(callee);
  ++counts_.silent_calls;
  graph_.add_call(run_of(callee), {caller, place.next});
}

void CodeWalk::follow_indirect(const Place& place) {
  if (const Import* const import = import_of(place)) {
    if (import->target != 0) return go_to_address(place.run, import->target);
    if (!never_returns(import->name)) graph_.set_returns(place.run);
    return;
  }
  open_jumps_.push_back({place.run, place.at});
}

void CodeWalk::go_behind(Run run, CodeOffset next, CodeOffset limit) {
  if (next < limit) return go_to(run, next);
  ++counts_.past_end;
}

void CodeWalk::go_to_address(Run from, std::uint64_t address) {
  if (const auto target = space_.offset_of(address)) return go_to(from, *target);
  ++counts_.outside_targets;
}

void CodeWalk::go_to(Run from, CodeOffset target) {
  marks_[target] |= kLeader;
  if ((marks_[target] & kInside) != 0) dispute(target);
  if ((marks_[target] & (kStart | kInside)) == 0) pending_.push_back(target);
  graph_.add_flow(from, run_of(target));
}

FlowGraph::Run CodeWalk::run_of(CodeOffset target) {
  if (const auto found = graph_.find(target)) return *found;
  if ((marks_[target] & (kStart | kInside)) == 0) return graph_.run_at(target);
  // In the middle of a run, which goes on into the new one. Control flows from each to the other
  // here, so that one returns if and only if the other does.
  const Run around = graph_.last_up_to(target);
  const Run run = graph_.run_at(target);
  graph_.add_flow(around, run);
  graph_.add_flow(run, around);
  return run;
}

}  // namespace assay
