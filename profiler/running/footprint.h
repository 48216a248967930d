#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/traced_kernel.h"
#include "profiler/running/trace.h"

namespace assay {

/// Which memory a block comes to in copies that were not traced: a page that is mapped before it is
/// missed saves two stops of the subject. What it foresees may be wrong; what it misses is found
/// when the block comes to it.
class Footprint {
 public:
  Footprint() = default;
  /// Where every access of the traced copies moves on by a distance of its own from copy to copy,
  /// it is taken to go on so; else what the trace shows is all.
  explicit Footprint(std::span<const TracedAccess> accesses);

  /// Whether it foresees anything that was not traced.
  bool foresees() const;
  /// What was traced is all from now on.
  void forget_foreseen() { walks_.clear(); }

  /// Calls back with the first and the last byte of each access of so many copies, at least once
  /// for each page that one of them begins or ends in, but of what was not traced no more than so
  /// often.
  void for_each_page(std::int64_t copies, std::int64_t most_foreseen,
                     const std::function<void(std::uint64_t)>& callback) const;

 private:
  /// An access of the last traced copy.
  struct Walk {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::int64_t distance = 0;  ///< from copy to copy
  };

  std::vector<TracedAccess> traced_;
  std::vector<Walk> walks_;  ///< none if they are not regular
  std::int64_t copies_ = 0;  ///< traced ones
};

/// Addresses that the first copy's accesses would have if no instruction changed a register.
std::vector<std::uint64_t> first_addresses(const TracedKernel& kernel, const Block& block,
                                           const InitialState& state);

}  // namespace assay
