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

/// Callbacks for the parts of the suite as they are made; empty functions are not called.
struct InstructionSuiteVisitor {
  /// Called with a form and the number of its blocks, after those blocks.
  std::function<void(const InstructionForm&, int blocks)> form = {};
  std::function<void(const CorpusEntry&)> block = {};
  std::function<void(const Skipped&)> skipped = {};
  /// Says whether to go on; called before each form.
  std::function<bool()> wanted = {};
};

/// Makes the blocks of all forms that the filter asks for, in the order of the forms' names,
/// throughput before latency. Every block is one that decode() accepts. The same request gives the
/// same blocks on every machine, except for forms that the filter's `missing_feature` leaves out.
/// Throws as choose_forms() does.
void make_instruction_suite(const InstructionSuiteRequest& request,
                            const InstructionSuiteVisitor& visitor);

}  // namespace assay
