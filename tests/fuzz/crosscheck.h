#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "profiler/block/block.h"
#include "profiler/subject/mappings.h"
#include "profiler/subject/subject.h"
#include "profiler/support/descriptor.h"

namespace assay::fuzz {

/// Compares what decode() and memory_operands() say of an instruction with what the CPU does.
class Crosscheck {
 public:
  struct Figures {
    std::int64_t given = 0;
    std::int64_t decoded =
        0;  ///< that decode() accepts, without a branch or a RIP-relative operand
    std::int64_t compared = 0;  ///< of those: that ran to their end
  };

  /// Throws EnvironmentError if the machine does not let a process be traced.
  Crosscheck();

  /// Runs the instruction twice, the second time with other values in all registers that it is
  /// said not to use. Returns what is not as it is said to be, if anything:
  /// - it is as long as it is said to be;
  /// - general and vector registers and the x87 unit are unchanged if it is said not to use them,
  /// and
  ///   general registers decide nothing then;
  /// - it accesses no page but those of its memory operands (unless these are repeated, or the
  ///   indices are in a vector), and changes no byte of memory but those of operands that are
  ///   written.
  std::optional<std::string> check(const Bytes& instruction);

  const Figures& figures() const { return figures_; }

 private:
  /// What a run left. General registers by number.
  struct Left {
    std::array<std::uint64_t, kGeneralRegisters> general{};
    std::set<std::uint64_t> pages;
    std::map<std::uint64_t, std::string> changed;  ///< pages that hold anything but the fill
  };

  std::optional<std::string> compare(const Block& block);
  std::optional<std::string> run(const Block& block, const Left& values, bool keeps_vectors,
                                 std::optional<Left>& left);
  void start();
  Left look(const subject::Fault& fault);
  std::optional<std::string> wrong_pages(const Block& block, const Left& before, const Left& left);
  std::optional<std::string> wrong_vectors(const Block& block) const;

  std::unique_ptr<subject::Subject> subject_;
  subject::Mappings mappings_;
  Descriptor memory_;
  Figures figures_;
};

}  // namespace assay::fuzz
