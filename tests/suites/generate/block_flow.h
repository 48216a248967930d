#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiler/block/bytes.h"
#include "profiler/block/zydis.h"

namespace assay {

/// What one instruction reads and writes, by names of whole registers, "flags", or memory's
/// address; worked out from Zydis's operands alone, apart from the code under test.
struct Flow {
  std::string form;
  std::set<std::string> reads;
  std::set<std::string> writes;
  /// By what a suite calls the operands: "1", "2.base", "k", "flags", "rax", "[rsp]".
  std::map<std::string, std::string> named;
};

std::vector<Flow> flows_of(const Bytes& block);

}  // namespace assay
