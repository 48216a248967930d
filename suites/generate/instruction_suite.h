#pragma once

#include <functional>

#include "suites/generate/form_filter.h"
#include "suites/readers/corpus_entry.h"

namespace assay {

struct InstructionSuiteRequest {
  FormFilter filter = {};
  bool latency = true;
  bool throughput = true;
};

/// Takes what the suite consists of, as it is made; empty functions take nothing.
struct InstructionSuiteVisitor {
  /// A form and how many blocks it has; after its blocks.
  std::function<void(const InstructionForm&, int blocks)> form = {};
  std::function<void(const CorpusEntry&)> block = {};
  std::function<void(const Skipped&)> skipped = {};
  /// Whether to go on; asked before each form.
  std::function<bool()> wanted = {};
};

/// Makes the blocks of all forms that are meant, in the order of the forms' names, throughput
/// before latency. Every block is one that decode() accepts. The same request gives the same blocks
/// on every machine, but for what `missing_feature` says. Throws as choose_forms().
void make_instruction_suite(const InstructionSuiteRequest& request,
                            const InstructionSuiteVisitor& visitor);

}  // namespace assay
