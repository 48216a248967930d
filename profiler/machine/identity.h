#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

/// CPUID's names of vendors.
inline constexpr std::string_view kAmdVendor = "AuthenticAMD";
inline constexpr std::string_view kIntelVendor = "GenuineIntel";

/// Identifies the CPU: what stays the same from boot to boot, and what a result is valid for.
struct Machine {
  std::string vendor;        ///< CPUID's vendor, e.g. "AuthenticAMD"
  std::string brand;         ///< CPUID's brand string, trimmed
  std::uint32_t family = 0;  ///< display family (base plus extended)
  std::uint32_t model = 0;   ///< display model
  std::uint32_t stepping = 0;
  std::string microarchitecture;  ///< "zen4", "skylake", ...; "unknown" if it is not in the table
                                  ///< or the features are not that model's
  auto operator<=>(const Machine&) const = default;
};
BOOST_DESCRIBE_STRUCT(Machine, (), (vendor, brand, family, model, stepping, microarchitecture))

/// The CPU's environment: what may change between boots and can change results.
struct Environment {
  std::string kernel;      ///< "Linux 6.1.0-18-amd64"
  std::string microcode;   ///< as the kernel reports it, e.g. "0xa101148"; "unknown" if hidden
  std::string hypervisor;  ///< CPUID's signature, e.g. "KVMKVMKVM"; "none" on bare metal
  std::string governor;    ///< the governor of the core that is used; "none" without cpufreq
  std::string smt;         ///< "on", "off", "notsupported", ...; "unknown" if hidden
  std::int64_t cores = 0;  ///< logical cores online
  std::string walls;       ///< what confines blocks, as subject::walls_text() has it
  auto operator<=>(const Environment&) const = default;
};
BOOST_DESCRIBE_STRUCT(Environment, (), (kernel, microcode, hypervisor, governor, smt, cores, walls))

/// Reads CPUID on the core that it runs on. On a hybrid CPU the microarchitecture's name ends in
/// "-p" or "-e" for the kind of that core, so pin the thread first. Never fails: what CPUID does
/// not tell stays empty.
Machine identify_machine();

/// Reads the kernel's files, which are looked for under `root`. `cpu` is the logical core whose
/// governor is asked for. Never fails: what cannot be read is called "unknown" or "none" as in
/// Environment. What confines blocks only a subject can tell: it is "unknown".
Environment identify_environment(int cpu, const std::filesystem::path& root = "/");

}  // namespace assay
