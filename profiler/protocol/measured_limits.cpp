#include "profiler/protocol/measured_limits.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace assay {
namespace {

constexpr double kMargin = 1.02;  // the limit is 2 % above the best rate that was measured

Block block_of(std::string_view hex) {
  return std::get<Block>(decode(bytes_from_hex(std::string(hex))));
}

// mov eax, ebp; mov ecx, ebp; mov edx, ebp; mov esi, ebp; mov edi, ebp; mov ebx, ebp: a core that
// eliminates moves at renaming executes as many as its front end delivers.
constexpr std::string_view kMoves = "89e889e989ea89ee89ef89eb";
// Six times xor of a register with itself: resolved at renaming also by cores that do not eliminate
// moves.
constexpr std::string_view kZeroes = "31c031c931d231f631ff31db";
// add eax, ebp; add ecx, ebp; pxor xmm0, xmm1; mov edx, [rbx]; add esi, ebp; pxor xmm2, xmm3; add
// edi, ebp; mov r8d, [rbx]: uses more than one kind of unit.
constexpr std::string_view kMixture = "01e801e9660fefc18b1301ee660fefd301ef448b03";
// add eax, ebp; add ecx, ebp; add edx, ebp; add ebx, ebp; add esi, ebp; add edi, ebp
constexpr std::string_view kAdditions = "01e801e901ea01eb01ee01ef";
// mov eax, [rbx]; mov ecx, [rbx]; mov edx, [rbx]; mov esi, [rbx]
constexpr std::string_view kLoads = "8b038b0b8b138b33";
// mov eax, [rbx]; mov ecx, [rbx + 4]; mov edx, [rbx + 8]: some cores load one word twice a cycle,
// and words of one line three times (Emerald Rapids: 0.50 and 0.33 cycles)
constexpr std::string_view kLoadsOfALine = "8b038b4b048b5308";
// mov [rbx], eax; mov [rbx + 4], ecx: both in one line, as some cores require for two stores a
// cycle
constexpr std::string_view kStores = "8903894b04";
// jmp to the next instruction; also run as a loop, since some cores predict few jumps per line
constexpr std::string_view kJump = "eb00";

/// The best rate among the blocks that were measured, where a copy of a block counts as `count`.
class BestRate {
 public:
  explicit BestRate(const MeasureCycles& measure) : measure_(measure) {}

  BestRate& of(const Block& block, int count, Notion notion = Notion::kUnrolled) {
    const std::optional<double> cycles = measure_(block, notion);
    if (cycles && *cycles > 0) best_ = std::max(best_, count / *cycles);
    return *this;
  }
  double limit() const {
    return best_ > 0 ? kMargin * best_ : std::numeric_limits<double>::infinity();
  }

 private:
  const MeasureCycles& measure_;
  double best_ = 0;
};

double operations_per_cycle(const MeasureCycles& measure) {
  BestRate rate(measure);
  for (const std::string_view hex : {kMoves, kZeroes, kMixture, kAdditions}) {
    const Block block = block_of(hex);
    rate.of(block, block.demand.operations);
  }
  return rate.limit();
}

}  // namespace

MachineLimits measure_limits(const MeasureCycles& measure) {
  const auto rate = [&] { return BestRate(measure); };
  const Block loads = block_of(kLoads);
  const Block loads_of_a_line = block_of(kLoadsOfALine);
  const Block stores = block_of(kStores);
  const Block jump = block_of(kJump);
  MachineLimits limits;
  limits.microarchitecture = "measured";
  limits.operations_per_cycle = operations_per_cycle(measure);
  limits.loads_per_cycle = rate()
                               .of(loads, loads.demand.loads)
                               .of(loads_of_a_line, loads_of_a_line.demand.loads)
                               .limit();
  limits.stores_per_cycle = rate().of(stores, stores.demand.stores).limit();
  limits.taken_branches_per_cycle = rate().of(jump, 1).of(jump, 1, Notion::kLooped).limit();
  return limits;
}

}  // namespace assay
