#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>

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

/// One of the things that confine a subject.
struct Wall {
  const char* name;  ///< as a field of JSON
  bool Confinement::*holds;
  std::string_view text;
};

std::span<const Wall> all_walls();

/// Reads it from /proc. What cannot be read counts as not in force.
Confinement confinement_of(pid_t process);

/// That of a subject that is started for it and ends at once. Throws what Subject's constructor
/// throws.
Confinement confinement_of_subjects();

bool all_walls_in_force(const Confinement& confinement);

/// The walls that are in force (true), or those that are not: "system-call filter, no vDSO"; "none"
/// if there is none.
std::string walls_text(const Confinement& confinement, bool in_force);

}  // namespace assay::subject
