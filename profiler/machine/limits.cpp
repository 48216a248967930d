#include "profiler/machine/limits.h"

#include <algorithm>

#include "profiler/machine/cpuid.h"
#include "profiler/machine/identity.h"
#include "profiler/machine/microarchitecture.h"

namespace assay {
namespace {

constexpr bool kLimitsTested = true;
constexpr bool kLimitsUntested = false;
constexpr double kUsualLeeway = 0.2;  // of a rate of NOPs that was not measured

/// Columns: NOPs, operations, loads, stores, taken branches.
///
/// Sources: Fog, "The microarchitecture of Intel, AMD, and VIA CPUs", and "Instruction tables".
/// uops.info: Abel and Reineke, throughputs of MOV (R32, M32), MOV (M32, R32), JMP (REL8). Intel:
/// "64 and IA-32 Architectures Optimization Reference Manual", volume 1, the chapters and tables on
/// each core's allocation width and load and store ports. AMD: the "Software Optimization Guide" of
/// each core.
constexpr MachineLimits kLimits[] = {
    // AMD. Family 17h, models 00h to 2Fh (55723), 2.10 to 2.12: dispatches six macro-ops to four
    // integer units; two accesses per cycle, one of which may be a store. Fog: a taken branch every
    // two cycles, every cycle in small loops.
    {"zen1", {}, 6, 2, 1, 1, kLimitsUntested},
    {"zen+", {}, 6, 2, 1, 1, kLimitsUntested},
    // Family 17h, models 30h and greater (56305), 2.10 to 2.12: has a third address generator, for
    // stores.
    {"zen2", {}, 6, 2, 1, 1, kLimitsUntested},
    // Family 19h, models 00h to 0Fh (56665), 2.8 to 2.12: three accesses per cycle, two of which
    // may be stores. uops.info: a JMP per cycle; two are allowed here, since it may be otherwise
    // elsewhere.
    {"zen3", {}, 6, 3, 2, 2, kLimitsUntested},
    // Zen 4 (57647), 2.8 to 2.12: as family 19h, models 00h to 0Fh. Measured on family 25 model 17:
    // 0.250 cycles for an addition, 0.167 for a register move, 0.333 for a load (0.5 of a vector
    // register), 0.499 for a store (1 of a vector register, 2 if it has 512 bits), 1.000 for an
    // iteration of a loop, whatever ends it. NOPs of six bytes were not among them.
    {"zen4", NopRate{6, kUsualLeeway, 6}, 6, 3, 2, 1, kLimitsTested},
    // Zen 5 (58455), 2.8 to 2.12: six integer units, eight macro-ops, four loads, two stores, and a
    // branch predictor that looks two taken branches ahead. Measured on family 26 model 2: 0.125
    // cycles for a NOP, within 0.5 %.
    {"zen5", NopRate{8, 0, 6}, 8, 4, 2, 2, kLimitsUntested},

    // Intel. Sandy Bridge and Ivy Bridge (Intel, "Sandy Bridge"; Fog): allocates four fused
    // micro-ops; three integer units; two address generators, which loads and stores share.
    {"sandybridge", {}, 4, 2, 1, 1, kLimitsUntested},
    {"ivybridge", {}, 4, 2, 1, 1, kLimitsUntested},
    // Haswell to Skylake and its successors (Intel, "Haswell", "Skylake"; Fog; uops.info): four
    // integer units, and an address generator for stores; of two branches per cycle one may be
    // taken. The decoders of these and the next get 16 bytes a cycle.
    {"haswell", NopRate{4, kUsualLeeway, 4}, 4, 2, 1, 1, kLimitsUntested},
    {"broadwell", NopRate{4, kUsualLeeway, 4}, 4, 2, 1, 1, kLimitsUntested},
    {"skylake", NopRate{4, kUsualLeeway, 4}, 4, 2, 1, 1, kLimitsUntested},
    {"skylake-x", NopRate{4, kUsualLeeway, 4}, 4, 2, 1, 1, kLimitsUntested},
    {"cascadelake", NopRate{4, kUsualLeeway, 4}, 4, 2, 1, 1, kLimitsUntested},
    {"cooperlake", NopRate{4, kUsualLeeway, 4}, 4, 2, 1, 1, kLimitsUntested},
    {"kabylake", NopRate{4, kUsualLeeway, 4}, 4, 2, 1, 1, kLimitsUntested},
    {"coffeelake", NopRate{4, kUsualLeeway, 4}, 4, 2, 1, 1, kLimitsUntested},
    {"whiskeylake", NopRate{4, kUsualLeeway, 4}, 4, 2, 1, 1, kLimitsUntested},
    {"cometlake", NopRate{4, kUsualLeeway, 4}, 4, 2, 1, 1, kLimitsUntested},
    // Palm Cove is a Skylake, but little is known of it, so that it has its successor's limits
    // here.
    {"cannonlake", {}, 5, 2, 2, 2, kLimitsUntested},
    // Sunny, Cypress and Willow Cove (Intel, "Ice Lake Client"; uops.info): allocates five, two
    // stores. Short loops are unrolled in the queue and may reach two taken branches.
    {"icelake", NopRate{5, kUsualLeeway, 3}, 5, 2, 2, 2, kLimitsUntested},
    {"rocketlake", NopRate{5, kUsualLeeway, 3}, 5, 2, 2, 2, kLimitsUntested},
    {"tigerlake", NopRate{5, kUsualLeeway, 3}, 5, 2, 2, 2, kLimitsUntested},
    // Golden, Raptor and Redwood Cove (Intel, "Golden Cove"; uops.info): allocates six, five
    // integer units, three loads. Its decoders get 32 bytes a cycle. Measured on an Emerald Rapids:
    // 0.167 cycles for a NOP of four bytes, whatever delivers it; 0.167 to 0.18 for one of six.
    // Where a guest is not told which cores a hybrid CPU has, nothing is known of their NOPs.
    {"sapphirerapids", NopRate{6, 0.02, 4}, 6, 3, 2, 2, kLimitsUntested},
    {"emeraldrapids", NopRate{6, 0.02, 4}, 6, 3, 2, 2, kLimitsUntested},
    {"graniterapids", NopRate{6, kUsualLeeway, 4}, 6, 3, 2, 2, kLimitsUntested},
    {"alderlake", {}, 6, 3, 2, 2, kLimitsUntested},
    {"alderlake-p", NopRate{6, kUsualLeeway, 4}, 6, 3, 2, 2, kLimitsUntested},
    {"raptorlake", {}, 6, 3, 2, 2, kLimitsUntested},
    {"raptorlake-p", NopRate{6, kUsualLeeway, 4}, 6, 3, 2, 2, kLimitsUntested},
    {"meteorlake-p", NopRate{6, kUsualLeeway, 4}, 6, 3, 2, 2, kLimitsUntested},
    // Gracemont (Intel, "Gracemont"; uops.info): allocates five, four integer units, two loads, two
    // stores. Crestmont: allocates six; it is not known whether it has a third load.
    {"alderlake-e", {}, 5, 2, 2, 2, kLimitsUntested},
    {"raptorlake-e", {}, 5, 2, 2, 2, kLimitsUntested},
    {"meteorlake-e", {}, 6, 3, 2, 2, kLimitsUntested},
    // Lion Cove (Intel, "Lion Cove"): allocates eight, six integer units, three loads, two stores.
    {"arrowlake-p", {}, 8, 3, 2, 2, kLimitsUntested},
    {"lunarlake-p", {}, 8, 3, 2, 2, kLimitsUntested},
    // Skymont (Intel, "Skymont"): allocates eight, eight integer units, three loads, four store
    // addresses.
    {"arrowlake-e", {}, 8, 3, 4, 2, kLimitsUntested},
    {"lunarlake-e", {}, 8, 3, 4, 2, kLimitsUntested},
};

/// The name without "-p" or "-e", the kind of a hybrid CPU's core.
std::string_view family_name(std::string_view name) {
  return name.substr(0, name.size() - (name.ends_with("-p") || name.ends_with("-e") ? 2 : 0));
}

/// Of two cores' rates of NOPs, what either reaches, however unsure that is.
std::optional<NopRate> joined(const std::optional<NopRate>& one,
                              const std::optional<NopRate>& other) {
  if (!one || !other) return std::nullopt;
  return NopRate{std::min(one->per_cycle, other->per_cycle), std::max(one->leeway, other->leeway),
                 std::min(one->bytes, other->bytes)};
}

}  // namespace

double floor_of(const Demand& demand, const MachineLimits& limits) {
  return std::max({demand.operations / limits.operations_per_cycle,
                   demand.loads / limits.loads_per_cycle, demand.stores / limits.stores_per_cycle,
                   demand.taken_branches / limits.taken_branches_per_cycle});
}

bool stores_bind(const Demand& demand, const MachineLimits& limits) {
  return floor_of({.stores = demand.stores}, limits) >= floor_of(demand, limits);
}

std::optional<MachineLimits> limits_of(std::string_view microarchitecture) {
  const auto found =
      std::ranges::find(kLimits, microarchitecture, &MachineLimits::microarchitecture);
  if (found == std::end(kLimits)) return std::nullopt;
  return *found;
}

MachineLimits joined(const MachineLimits& one, const MachineLimits& other) {
  return {one.microarchitecture,
          joined(one.nops, other.nops),
          std::max(one.operations_per_cycle, other.operations_per_cycle),
          std::max(one.loads_per_cycle, other.loads_per_cycle),
          std::max(one.stores_per_cycle, other.stores_per_cycle),
          std::max(one.taken_branches_per_cycle, other.taken_branches_per_cycle),
          one.tested && other.tested};
}

std::optional<MachineLimits> joint_limits_of(std::span<const std::string_view> microarchitectures) {
  std::optional<MachineLimits> joint;
  for (const MachineLimits& row : kLimits) {
    if (std::ranges::count(microarchitectures, family_name(row.microarchitecture)) == 0) continue;
    joint = joint ? joined(*joint, row) : row;
  }
  if (!joint) return joint;
  joint->microarchitecture = "unknown";
  joint->tested = false;
  // A newer core may do more.
  if (joint->nops) joint->nops->leeway = std::max(joint->nops->leeway, kUsualLeeway);
  return joint;
}

std::optional<NopRate> KnownCore::nops() const {
  if (own) return own->nops;
  return generation ? generation->nops : std::nullopt;
}

KnownCore known_core() {
  const Machine machine = identify_machine();
  KnownCore known{limits_of(machine.microarchitecture), std::nullopt};
  if (!model_contradiction(machine, hardware_cpuid).empty()) {
    known.generation = joint_limits_of(generation_of(machine.vendor, hardware_cpuid(kFeatureLeaf)));
  }
  return known;
}

std::span<const MachineLimits> all_limits() { return kLimits; }

}  // namespace assay
