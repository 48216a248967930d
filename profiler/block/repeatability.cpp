#include "profiler/block/repeatability.h"

#include <algorithm>
#include <iterator>

namespace assay {
namespace {

constexpr ZydisMnemonic kUnrepeatable[] = {
    // A clock, or counters.
    ZYDIS_MNEMONIC_RDTSC,
    ZYDIS_MNEMONIC_RDTSCP,
    ZYDIS_MNEMONIC_RDPMC,
    ZYDIS_MNEMONIC_RDPRU,
    // Whether a time was over.
    ZYDIS_MNEMONIC_TPAUSE,
    ZYDIS_MNEMONIC_UMWAIT,
    ZYDIS_MNEMONIC_MWAITX,
    // Random numbers.
    ZYDIS_MNEMONIC_RDRAND,
    ZYDIS_MNEMONIC_RDSEED,
    // The processor: by its number, its tables, or a limit in these that holds the number.
    ZYDIS_MNEMONIC_CPUID,
    ZYDIS_MNEMONIC_RDPID,
    ZYDIS_MNEMONIC_LSL,
    ZYDIS_MNEMONIC_SGDT,
    ZYDIS_MNEMONIC_SIDT,
    ZYDIS_MNEMONIC_SLDT,
    ZYDIS_MNEMONIC_SMSW,
    ZYDIS_MNEMONIC_STR,
    // The state in use.
    ZYDIS_MNEMONIC_XGETBV,
    ZYDIS_MNEMONIC_XTEST,
    ZYDIS_MNEMONIC_TESTUI,
    // The address of the latest x87 instruction.
    ZYDIS_MNEMONIC_FNSTENV,
    ZYDIS_MNEMONIC_FNSAVE,
    ZYDIS_MNEMONIC_FXSAVE,
    ZYDIS_MNEMONIC_FXSAVE64,
};

}  // namespace

bool may_differ_between_runs(const Decoded& decoded) {
  return saves_extended_state(decoded.instruction) ||
         std::ranges::find(kUnrepeatable, decoded.instruction.mnemonic) != std::end(kUnrepeatable);
}

}  // namespace assay
