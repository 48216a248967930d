#pragma once

#include <sys/types.h>

namespace assay::subject {

/// What keeps the subject's process from reaching anything, as the system tells it of the process
/// (docs/security.md).
struct Confinement {
  bool filters_system_calls = false;  ///< by seccomp; the subject does not start without it
  bool no_new_privileges = false;
  bool no_capabilities = false;       ///< neither effective, permitted, inheritable nor ambient
  bool no_vdso = false;               ///< some kernels seal the vDSO, which then stays mapped
  bool store_bypass_allowed = false;  ///< no mitigation slows down its loads (SSBD)

  bool operator==(const Confinement&) const = default;
};

/// Reads it from /proc. What cannot be read counts as not in force.
Confinement confinement_of(pid_t process);

}  // namespace assay::subject
