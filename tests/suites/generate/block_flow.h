#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiler/block/bytes.h"
#include "profiler/block/zydis.h"

namespace assay {

/// What one instruction reads and writes, by names of whole registers, "flags", or the address of
/// memory. It is worked out from Zydis's operands alone, independently of the code under test.
struct Flow {
  std::string form;
  std::set<std::string> reads;
  std::set<std::string> writes;
  /// The places by the names that a suite gives to operands: "1", "2.base", "k", "flags", "rax",
  /// "[rsp]".
  std::map<std::string, std::string> named;
};

std::vector<Flow> flows_of(const Bytes& block);

}  // namespace assay
