#include "suites/generate/instruction_suite.h"

#include <string_view>
#include <variant>

#include "profiler/block/block.h"
#include "suites/generate/latency.h"
#include "suites/generate/throughput.h"

namespace assay {
namespace {

class Suite {
 public:
  explicit Suite(const InstructionSuiteVisitor& visitor) : visitor_(visitor) {}

  void add(const InstructionForm& form, const InstructionSuiteRequest& request) {
    blocks_ = 0;
    if (request.throughput) add(throughput_blocks(form));
    if (request.latency) add(latency_blocks(form));
    if (visitor_.form) visitor_.form(form, blocks_);
  }

  void skip(const Skipped& skipped) const {
    if (visitor_.skipped) visitor_.skipped(skipped);
  }

 private:
  void add(const FormBlocks& blocks) {
    for (const CorpusEntry& entry : blocks.entries) {
      const auto decoded = decode(entry.bytes);
      if (const auto* refusal = std::get_if<Refusal>(&decoded)) {
        skip({entry.name, std::string(name(refusal->outcome.reason)), refusal->outcome.detail});
        continue;
      }
      ++blocks_;
      if (visitor_.block) visitor_.block(entry);
    }
    for (const MissingBlock& missing : blocks.missing) {
      skip({missing.name, "no_block", missing.reason});
    }
  }

  const InstructionSuiteVisitor& visitor_;
  int blocks_ = 0;
};

}  // namespace

void make_instruction_suite(const InstructionSuiteRequest& request,
                            const InstructionSuiteVisitor& visitor) {
  Suite suite(visitor);
  const auto forms =
      choose_forms(request.filter, [&](const Skipped& skipped) { suite.skip(skipped); });
  for (const InstructionForm* form : forms) {
    if (visitor.wanted && !visitor.wanted()) return;
    suite.add(*form, request);
  }
}

}  // namespace assay
