#pragma once

#include <string>

namespace assay {

/// Runs the calling test in a process of its own, in which libpfm takes the CPU for another one
/// (LIBPFM_FORCE_PMU), and fails if the test fails there. Returns true when that is done, and false
/// in the new process, in which the test has to go on. A new process is needed because libpfm
/// cannot be switched within one: after pfm_terminate(), a PMU that was forced stays active beside
/// the next one.
///
///     if (ran_with_pmu("skl")) return;
bool ran_with_pmu(const std::string& pmu);

}  // namespace assay
