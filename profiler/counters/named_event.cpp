#include "profiler/counters/named_event.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "profiler/counters/event_text.h"
#include "profiler/counters/libpfm.h"
#include "profiler/counters/near_names.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

// libpfm's modifiers that choose a mode, and those of its extended set (PFM_OS_PERF_EVENT_EXT),
// which are for sampling.
constexpr std::array<std::string_view, 4> kModes = {"k", "h", "mg", "g"};
constexpr std::array<std::string_view, 9> kLibpfmSampling = {
    "precise", "period", "freq", "excl", "cpu", "pinned", "hw_smpl", "mh", "cgroup"};

/// The parts of a name in libpfm's form.
struct NameParts {
  std::string pmu;  ///< empty if the name has none
  std::string event;
  std::vector<std::string> behind;  ///< the unit masks and modifiers behind the event
};

NameParts take_apart(const std::string& name) {
  NameParts parts;
  const std::size_t pmu_end = name.find("::");
  if (pmu_end != std::string::npos) parts.pmu = name.substr(0, pmu_end);
  std::string rest = pmu_end == std::string::npos ? name : name.substr(pmu_end + 2);
  std::ranges::replace(rest, '.', ':');
  for (const std::string_view part : split(rest, ':')) parts.behind.emplace_back(part);
  parts.event = parts.behind.front();
  parts.behind.erase(parts.behind.begin());
  return parts;
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw InputError(fmt::format("event {}: {}", name, why));
}

void check_modifiers(const std::string& name, const NameParts& parts) {
  for (const std::string& part : parts.behind) {
    const std::size_t equals = part.find('=');
    const std::string key = lower_case(part.substr(0, equals));
    const bool off = equals != std::string::npos && part.substr(equals + 1) == "0";
    if (std::ranges::find(kLibpfmSampling, key) != kLibpfmSampling.end()) {
      refuse(name, fmt::format("\"{}\" is for sampling or scheduling; assay only counts", part));
    }
    if ((std::ranges::find(kModes, key) != kModes.end() && !off) || (key == "u" && off)) {
      refuse(name, fmt::format("\"{}\": assay counts in user mode only", part));
    }
  }
}

std::string also_meant(const std::vector<std::string>& names) {
  return names.empty() ? "" : "; near it: " + listed(names, kMostSuggested);
}

[[noreturn]] void refuse_unknown_event(const std::string& name, const NameParts& parts) {
  std::vector<std::string> active;
  std::vector<std::string> events;
  for (const LibpfmPmu& pmu : libpfm_pmus()) {
    active.push_back(pmu.name);
    if (!parts.pmu.empty() && parts.pmu != pmu.name) continue;
    const std::vector<std::string> more = libpfm_events(pmu.name);
    events.insert(events.end(), more.begin(), more.end());
  }
  if (!parts.pmu.empty() && std::ranges::find(active, parts.pmu) == active.end()) {
    refuse(name, fmt::format("this CPU has no PMU \"{}\"; libpfm4 knows it as {}", parts.pmu,
                             listed(active, kMostListed)));
  }
  refuse(name, fmt::format("libpfm4 knows no event \"{}\" of this CPU ({}){}", parts.event,
                           listed(active, kMostListed),
                           also_meant(near_names(parts.event, events, kMostSuggested))));
}

std::string what_there_is(const LibpfmAttributes& attributes) {
  const std::string masks = attributes.unit_masks.empty()
                                ? "no unit masks"
                                : "the unit masks " + listed(attributes.unit_masks, kMostListed);
  return attributes.modifiers.empty() ? masks
                                      : fmt::format("{} and the modifiers {}", masks,
                                                    listed(attributes.modifiers, kMostListed));
}

[[noreturn]] void refuse_unknown_part(const std::string& name, const NameParts& parts) {
  const LibpfmAttributes attributes = libpfm_attributes(name);
  std::vector<std::string> all = attributes.unit_masks;
  all.insert(all.end(), attributes.modifiers.begin(), attributes.modifiers.end());
  for (const std::string& part : parts.behind) {
    const std::string key = lower_case(part.substr(0, part.find('=')));
    if (key == "u" || std::ranges::find(all, key, lower_case) != all.end()) continue;
    refuse(name, fmt::format("{} has no \"{}\"{}; it has {}", parts.event, part,
                             also_meant(near_names(key, all, kMostSuggested)),
                             what_there_is(attributes)));
  }
  refuse(name, fmt::format("its parts do not go together; {} has {}", parts.event,
                           what_there_is(attributes)));
}

[[noreturn]] void refuse_as_libpfm_did(const std::string& name, const LibpfmEncoding& failed) {
  const NameParts parts = take_apart(name);
  switch (failed.outcome) {
    case LibpfmOutcome::kNoEvent:
      refuse_unknown_event(name, parts);
    case LibpfmOutcome::kAttribute:
      refuse_unknown_part(name, parts);
    case LibpfmOutcome::kUnitMask:
      refuse(name, fmt::format("{} needs a unit mask: it has {}", parts.event,
                               listed(libpfm_attributes(name).unit_masks, kMostListed)));
    case LibpfmOutcome::kValue:
      refuse(name, fmt::format("a modifier's value is missing, no number, or too large: \"{}\"",
                               fmt::join(parts.behind, "\", \"")));
    case LibpfmOutcome::kCombination:
      refuse(name, fmt::format("these cannot be counted together: \"{}\"",
                               fmt::join(parts.behind, "\", \"")));
    case LibpfmOutcome::kRepeated:
      refuse(name,
             fmt::format("a modifier is there twice: \"{}\"", fmt::join(parts.behind, "\", \"")));
    default:
      refuse(name, fmt::format("libpfm4 cannot encode it ({})", failed.words));
  }
}

/// Whether the event belongs to libpfm's PMU for the architectural events, which every Intel CPU
/// since the Core Duo has with the same encoding. libpfm gives that PMU no type of the kernel's,
/// but all cores of the CPU count its events.
bool is_architectural(const LibpfmEncoding& encoding) { return encoding.pmu == "ix86arch"; }

/// Whether one of the kernel's own PMUs counts the event: these are the same on all cores.
bool is_of_kernel(const LibpfmEncoding& encoding) {
  return encoding.type == PERF_TYPE_SOFTWARE || encoding.type == PERF_TYPE_TRACEPOINT;
}

/// Whether it is one of the kernel's generic hardware events, which the kernel itself encodes.
bool is_generic(const LibpfmEncoding& encoding) {
  return encoding.type == PERF_TYPE_HARDWARE || encoding.type == PERF_TYPE_HW_CACHE;
}

/// Whether the core that is used can count the event. Only on a hybrid CPU may it be of another
/// core.
bool fits(const LibpfmEncoding& encoding, const std::optional<CorePmu>& pmu) {
  if (!pmu || !pmu->is_hybrid() || is_of_kernel(encoding) || is_generic(encoding)) return true;
  return is_architectural(encoding) || encoding.type == pmu->type;
}

/// The encoding for the core that is used, if several PMUs have an event with that name. Otherwise
/// what libpfm found first, even if that is not an encoding or does not fit.
LibpfmEncoding encoding_for(const std::string& name, const std::optional<CorePmu>& pmu) {
  const LibpfmEncoding first = libpfm_encode(name);
  const bool names_pmu = name.find("::") != std::string::npos;
  const bool found = first.outcome == LibpfmOutcome::kEncoded && fits(first, pmu);
  if (found || names_pmu || !pmu || !pmu->is_hybrid()) return first;
  for (const LibpfmPmu& other : libpfm_pmus()) {
    const LibpfmEncoding encoding = libpfm_encode(other.name + "::" + name);
    if (encoding.outcome == LibpfmOutcome::kEncoded && fits(encoding, pmu)) return encoding;
  }
  return first;
}

}  // namespace

Event encode_named_event(const std::string& specification, const std::optional<CorePmu>& pmu) {
  check_modifiers(specification, take_apart(specification));
  const LibpfmEncoding encoding = encoding_for(specification, pmu);
  if (encoding.outcome != LibpfmOutcome::kEncoded) refuse_as_libpfm_did(specification, encoding);
  if (encoding.outside_of_core) {
    refuse(specification,
           fmt::format("{} counts outside of the core, for all cores together", encoding.pmu));
  }
  if (!fits(encoding, pmu)) {
    refuse(specification, fmt::format("{} is the PMU of another kind of core than the one that is "
                                      "used, whose PMU is {}",
                                      encoding.pmu, pmu->name));
  }
  Event event{specification, encoding.type, encoding.config, encoding.config1, encoding.config2};
  if (pmu && pmu->is_hybrid()) {
    if (is_architectural(encoding)) event.type = pmu->type;
    if (is_generic(encoding)) {
      event.config |= static_cast<std::uint64_t>(pmu->type) << PERF_PMU_TYPE_SHIFT;
    }
  }
  return event;
}

}  // namespace assay
