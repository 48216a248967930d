#include "profiler/counters/libpfm.h"

#include <perfmon/pfmlib_perf_event.h>

#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "profiler/support/error.h"

namespace assay {
namespace {

/// How many PMU indices are tried. The library may be newer than the header and know PMUs that the
/// header's enumeration lacks; it answers for any index. These are all indices that the
/// enumeration's type can hold.
constexpr int kPmuIndices = 1024;
static_assert(PFM_PMU_MAX > kPmuIndices / 2 && PFM_PMU_MAX < kPmuIndices);

/// Returns a lock to be held while libpfm is used. Initialises libpfm each time, which does nothing
/// if it is initialised already: PAPI initialises and terminates it too.
[[nodiscard]] std::unique_lock<std::mutex> use_libpfm() {
  static std::mutex mutex;
  std::unique_lock lock(mutex);
  // This variable would let events of other CPUs through, as if this CPU had them.
  unsetenv("LIBPFM_ENCODE_INACTIVE");
  const int result = pfm_initialize();
  if (result != PFM_SUCCESS) {
    throw EnvironmentError(fmt::format("libpfm4 cannot be used: {}", pfm_strerror(result)));
  }
  return lock;
}

std::optional<pfm_pmu_info_t> active_pmu(int index) {
  pfm_pmu_info_t info{};
  info.size = sizeof(info);
  if (pfm_get_pmu_info(static_cast<pfm_pmu_t>(index), &info) != PFM_SUCCESS || !info.is_present) {
    return std::nullopt;
  }
  return info;
}

std::optional<pfm_event_info_t> event_info(int index) {
  pfm_event_info_t info{};
  info.size = sizeof(info);
  if (pfm_get_event_info(index, PFM_OS_PERF_EVENT, &info) != PFM_SUCCESS) return std::nullopt;
  return info;
}

LibpfmOutcome outcome_of(int result) {
  switch (result) {
    case PFM_SUCCESS:
      return LibpfmOutcome::kEncoded;
    case PFM_ERR_NOTFOUND:
      return LibpfmOutcome::kNoEvent;
    case PFM_ERR_UMASK:
      return LibpfmOutcome::kUnitMask;
    case PFM_ERR_ATTR:
      return LibpfmOutcome::kAttribute;
    case PFM_ERR_ATTR_VAL:
      return LibpfmOutcome::kValue;
    case PFM_ERR_FEATCOMB:
      return LibpfmOutcome::kCombination;
    case PFM_ERR_ATTR_SET:
      return LibpfmOutcome::kRepeated;
    default:
      return LibpfmOutcome::kOther;
  }
}

/// The part of the name that libpfm can look up, the event's own name. Its function pfm_find_event
/// refuses a name of which any later part is wrong, and there is no other one.
std::string event_part(const std::string& name) {
  const std::size_t pmu_end = name.find("::");
  const std::size_t begin = pmu_end == std::string::npos ? 0 : pmu_end + 2;
  return name.substr(0, name.find_first_of(":.", begin));
}

}  // namespace

LibpfmEncoding libpfm_encode(const std::string& name) {
  const auto lock = use_libpfm();
  perf_event_attr attributes{};
  pfm_perf_encode_arg_t argument{};
  argument.attr = &attributes;
  argument.size = sizeof(argument);
  const int result =
      pfm_get_os_event_encoding(name.c_str(), PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
  LibpfmEncoding encoding;
  encoding.outcome = outcome_of(result);
  if (result != PFM_SUCCESS) {
    encoding.words = pfm_strerror(result);
    return encoding;
  }
  if (const auto event = event_info(argument.idx)) {
    if (const auto pmu = active_pmu(event->pmu)) {
      encoding.pmu = pmu->name;
      encoding.outside_of_core = pmu->type == PFM_PMU_TYPE_UNCORE;
    }
  }
  encoding.type = attributes.type;
  encoding.config = attributes.config;
  encoding.config1 = attributes.config1;
  encoding.config2 = attributes.config2;
  return encoding;
}

std::vector<LibpfmPmu> libpfm_pmus() {
  const auto lock = use_libpfm();
  std::vector<LibpfmPmu> pmus;
  for (int index = PFM_PMU_NONE; index < kPmuIndices; ++index) {
    const auto pmu = active_pmu(index);
    if (!pmu || pmu->type == PFM_PMU_TYPE_UNCORE) continue;
    pmus.push_back({pmu->name, pmu->type == PFM_PMU_TYPE_CORE});
  }
  return pmus;
}

std::vector<std::string> libpfm_events(const std::string& pmu) {
  const auto lock = use_libpfm();
  std::vector<std::string> events;
  for (int index = PFM_PMU_NONE; index < kPmuIndices; ++index) {
    const auto active = active_pmu(index);
    if (!active || active->name != pmu) continue;
    for (int event = active->first_event; event >= 0; event = pfm_get_event_next(event)) {
      if (const auto info = event_info(event)) events.emplace_back(info->name);
    }
  }
  return events;
}

LibpfmAttributes libpfm_attributes(const std::string& name) {
  const auto lock = use_libpfm();
  LibpfmAttributes attributes;
  const int event = pfm_find_event(event_part(name).c_str());
  const auto info = event < 0 ? std::nullopt : event_info(event);
  if (!info) return attributes;
  for (int index = 0; index < info->nattrs; ++index) {
    pfm_event_attr_info_t attribute{};
    attribute.size = sizeof(attribute);
    if (pfm_get_event_attr_info(event, index, PFM_OS_PERF_EVENT, &attribute) != PFM_SUCCESS ||
        attribute.ctrl != PFM_ATTR_CTRL_PMU) {
      continue;
    }
    (attribute.type == PFM_ATTR_UMASK ? attributes.unit_masks : attributes.modifiers)
        .emplace_back(attribute.name);
  }
  return attributes;
}

}  // namespace assay
