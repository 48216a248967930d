#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "profiler/block/control_flow.h"
#include "profiler/block/table_jump.h"
#include "suites/extract/program/image.h"
#include "suites/extract/walk/code_space.h"
#include "suites/extract/walk/flow_graph.h"

namespace assay {

/// What is known of a byte of code; each is one bit.
enum CodeMark : std::uint8_t {
  kStart = 1,        ///< an instruction starts here
  kInside = 2,       ///< inside an instruction, behind its first byte
  kLeader = 4,       ///< control comes here from elsewhere than the instruction before
  kEnds = 8,         ///< with kStart: hands control elsewhere, so that a block ends before it
  kDirectJump = 16,  ///< with kEnds: a jump, conditional or not, whose target is in it
  kFilling = 32,     ///< with kStart: nop or endbr64
  kDisputed = 64,    ///< in instructions that overlap, of which at most one can be real
  kUnknown = 128,    ///< in a field whose value is not known
};

/// What a CodeWalk came across.
struct WalkCounts {
  std::int64_t instructions = 0;
  std::int64_t table_jumps = 0;       ///< indirect jumps followed through a table
  std::int64_t label_jumps = 0;       ///< indirect jumps followed to labels that data points to
  std::int64_t unresolved_jumps = 0;  ///< indirect jumps that were not followed
  std::int64_t silent_calls = 0;      ///< calls that nothing shows to return
  std::int64_t invalid_code = 0;      ///< paths that ended in bytes that are no instruction
  std::int64_t past_end = 0;          ///< paths that went past the end of their function
  std::int64_t outside_targets = 0;   ///< branches to where there is no code

  WalkCounts& operator+=(const WalkCounts& other);
};

/// Finds an image's code by recursive decoding: from its functions, entry points, frame entries and
/// landing pads along all branches whose targets are certain. It never decodes behind calls that do
/// not return, nor past the end of a function, so that neither data nor padding is taken for code.
class CodeWalk {
 public:
  /// Image and space must outlive the walk.
  CodeWalk(const Image& image, const CodeSpace& space);

  /// Walks through the code; must be called only once. `goes_on` is called now and then with the
  /// number of bytes of code reached so far; once it returns false, the walk ends unfinished.
  /// Returns whether it was finished.
  bool run(const std::function<bool(std::size_t reached)>& goes_on);

  /// The marks (CodeMark) of all bytes, by offset.
  std::span<const std::uint8_t> marks() const { return marks_; }
  const WalkCounts& counts() const { return counts_; }
  std::size_t reached() const { return reached_; }  ///< bytes of instructions that were decoded

 private:
  using Run = FlowGraph::Run;
  /// An indirect jump, and the run that it ends.
  struct Jump {
    Run run = 0;
    CodeOffset at = 0;
  };
  /// An instruction, the run that it is in, and what comes next.
  struct Place {
    Run run = 0;
    CodeOffset at = 0;
    CodeOffset next = 0;
    CodeOffset limit = 0;  ///< end of its function
    ControlFlow flow;
  };

  void add_roots();
  void add_root(std::uint64_t address);
  void mark_unknown_fields();
  /// Decodes all code that is known to be reached; false if interrupted.
  bool drain();
  void decode_run(CodeOffset start);
  /// Whether decoding of the run goes on behind the place.
  bool decode_at(Place& place);
  bool starts_another_run(const Place& place);
  bool is_disputed(const Place& place);
  void dispute(CodeOffset at);
  void mark(const Place& place);
  void follow(const Place& place);
  void follow_call(const Place& place);
  void follow_indirect(const Place& place);
  void call_target(const Place& place, CodeOffset callee);
  void go_behind(Run run, CodeOffset next, CodeOffset limit);
  void go_to(Run from, CodeOffset target);
  void go_to_address(Run from, std::uint64_t address);
  /// The run that starts at the offset, made if there is none.
  Run run_of(CodeOffset target);
  /// The target's address, of a direct branch.
  std::uint64_t target_address(const Place& place) const;
  const Import* import_of(const Place& place) const;

  bool resolve_jumps();
  bool resolve(const Jump& jump);
  std::optional<TableJump> table_of(const Jump& jump);
  bool follow_table(const Jump& jump, const TableJump& table);
  std::optional<std::vector<CodeOffset>> targets_of(const Jump& jump, const TableJump& table);
  bool follow_labels(const Jump& jump);
  /// Takes the effort from effort_left_; false if less is left.
  bool spend(std::size_t effort);
  std::optional<std::vector<PathStep>> path_to(CodeOffset from, CodeOffset to) const;
  const ConstantRegisters& constants_of(const CodeSpace::Function& function);
  CodeOffset next_of(CodeOffset at) const;

  const Image& image_;
  const CodeSpace& space_;
  std::vector<std::uint8_t> marks_;
  FlowGraph graph_;
  std::vector<CodeOffset> pending_;          ///< starts of code that is reached, yet to be decoded
  std::vector<Jump> open_jumps_;             ///< indirect jumps that are yet to be resolved
  std::optional<CodeOffset> constants_for_;  ///< start of the function that constants_ are of
  ConstantRegisters constants_;
  /// How many steps of paths and entries of tables may still be looked at. The limit is far more
  /// than any program needs; it bounds the time that a hostile file can take.
  std::size_t effort_left_ = 32'000'000;
  int rounds_ = 0;  ///< how often all open jumps have been tried
  std::function<bool(std::size_t)> goes_on_;
  WalkCounts counts_;
  std::size_t reached_ = 0;
};

}  // namespace assay
