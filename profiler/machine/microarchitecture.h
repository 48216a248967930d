#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "profiler/machine/cpuid.h"
#include "profiler/machine/identity.h"

namespace assay {

/// CPUs of one microarchitecture: a range of models (and steppings) of one vendor's family.
struct Microarchitecture {
  std::string_view vendor;  ///< CPUID's name of the vendor
  std::string_view name;    ///< in lower case: "zen4", "skylake-x"
  std::uint32_t family = 0;
  std::uint32_t first_model = 0;
  std::uint32_t last_model = 0;
  bool tested = false;  ///< whether assay was run and its numbers checked on such a CPU
  std::uint32_t first_stepping = 0;
  std::uint32_t last_stepping = 15;
};

/// The whole table. The order matters only in that the first row that fits is the answer.
std::span<const Microarchitecture> all_microarchitectures();

/// The first row that the machine's vendor, family, model and stepping fit; if there is none, one
/// that is named "unknown" and not tested.
const Microarchitecture& microarchitecture_of(const Machine& machine);

/// A feature that CPUID shows in leaf 7, subleaf 0, `features`, and that no core of this row has;
/// "" if there is none. A hypervisor may tell its guests the model of another CPU than the host's,
/// and may hide features, but offers none that the host has not.
std::string_view feature_beyond(const Microarchitecture& row, const CpuidAnswer& features);

/// The microarchitectures of the newest generation of the vendor's cores of which CPUID shows the
/// feature that came with it: the core is one of them, or newer. Empty for other vendors than those
/// of the table.
std::span<const std::string_view> generation_of(std::string_view vendor,
                                                const CpuidAnswer& features);

}  // namespace assay
