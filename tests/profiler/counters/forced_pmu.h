#pragma once

#include <string>

namespace assay {

/// Runs the test that calls it in a process of its own, in which libpfm takes the CPU for another
/// one (LIBPFM_FORCE_PMU), and fails if it fails there. False in that process, which is to go on.
/// In one process libpfm cannot be made to change its mind: after pfm_terminate() the PMU that it
/// was forced to stays active beside the next one.
///
///     if (ran_with_pmu("skl")) return;
bool ran_with_pmu(const std::string& pmu);

}  // namespace assay
