#include "profiler/counters/core_pmu.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "profiler/counters/event_text.h"
#include "profiler/support/error.h"
#include "profiler/support/number.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct FieldText {
  std::string_view name;
  std::string_view layout;
};

// The fields that arch/x86/events/intel/core.c shows (intel_arch_formats_attr and the extra
// registers).
constexpr FieldText kIntelFields[] = {
    {"any", "config:21"},      {"cmask", "config:24-31"},       {"edge", "config:18"},
    {"event", "config:0-7"},   {"frontend", "config1:0-23"},    {"inv", "config:23"},
    {"ldlat", "config1:0-15"}, {"offcore_rsp", "config1:0-63"}, {"umask", "config:8-15"},
};

// The fields that arch/x86/events/amd/core.c shows (amd_format_group).
constexpr FieldText kAmdFields[] = {
    {"cmask", "config:24-31"}, {"edge", "config:18"},    {"event", "config:0-7,32-35"},
    {"inv", "config:23"},      {"umask", "config:8-15"},
};

[[noreturn]] void throw_not_understood(const fs::path& file, const std::string& content) {
  throw EnvironmentError(fmt::format(
      "{}: \"{}\": this kernel describes its counters in a way that assay does not know",
      file.string(), content));
}

/// Throws if the line cannot be read: the kernel's files always can be if they exist.
std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) {
    throw EnvironmentError(fmt::format("{}: cannot be read, or is empty", path.string()));
  }
  return line;
}

/// Whether the processor is in the file's list, which has the form "0-7,16".
bool lists_processor(const fs::path& file, int processor) {
  const std::string list = first_line(file);
  for (const std::string_view part : split(list, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse_number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(part.substr(dash + 1));
    if (!first || !last || *first > *last) throw_not_understood(file, list);
    const auto wanted = static_cast<std::uint64_t>(processor);
    if (*first <= wanted && wanted <= *last) return true;
  }
  return false;
}

/// The folder of the PMU whose cores include the processor. Only the PMUs of hybrid cores have a
/// file `cpus`; those outside the cores have a `cpumask`.
std::optional<fs::path> hybrid_folder(int processor, const fs::path& root) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(root, none)) {
    const fs::path list = entry.path() / "cpus";
    if (fs::exists(list, none) && lists_processor(list, processor)) return entry.path();
  }
  return std::nullopt;
}

std::uint32_t read_type(const fs::path& file) {
  const std::string line = first_line(file);
  const auto type = parse_number(line);
  if (!type || *type > std::numeric_limits<std::uint32_t>::max()) throw_not_understood(file, line);
  return static_cast<std::uint32_t>(*type);
}

std::vector<PmuField> read_fields(const fs::path& folder) {
  std::vector<PmuField> fields;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string line = first_line(entry.path());
    const auto field = parse_pmu_field(entry.path().filename().string(), line);
    if (!field) throw_not_understood(entry.path(), line);
    fields.push_back(*field);
  }
  std::ranges::sort(fields, {}, &PmuField::name);
  return fields;
}

/// The PMU's aliases. The folder also holds files with the unit and scale of an alias, "NAME.unit",
/// which are left out.
std::map<std::string, std::string> read_aliases(const fs::path& folder) {
  std::map<std::string, std::string> aliases;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.find('.') == std::string::npos) aliases[name] = first_line(entry.path());
  }
  return aliases;
}

std::vector<PmuField> fields_of(std::span<const FieldText> texts) {
  std::vector<PmuField> fields;
  for (const FieldText& text : texts) fields.push_back(*parse_pmu_field(text.name, text.layout));
  return fields;
}

}  // namespace

const PmuField* CorePmu::field(std::string_view field_name) const {
  const auto found = std::ranges::find(fields, field_name, &PmuField::name);
  return found == fields.end() ? nullptr : &*found;
}

std::optional<CorePmu> find_core_pmu(int processor, const fs::path& root) {
  std::error_code none;
  const std::optional<fs::path> folder =
      fs::exists(root / "cpu", none) ? root / "cpu" : hybrid_folder(processor, root);
  if (!folder) return std::nullopt;
  CorePmu pmu;
  pmu.name = folder->filename().string();
  pmu.type = read_type(*folder / "type");
  pmu.fields = read_fields(*folder / "format");
  pmu.events = read_aliases(*folder / "events");
  return pmu;
}

CorePmu architectural_core_pmu(std::string_view vendor) {
  CorePmu pmu{"cpu", PERF_TYPE_RAW, {}, {}};
  if (vendor == "GenuineIntel") pmu.fields = fields_of(kIntelFields);
  if (vendor == "AuthenticAMD" || vendor == "HygonGenuine") pmu.fields = fields_of(kAmdFields);
  return pmu;
}

}  // namespace assay
