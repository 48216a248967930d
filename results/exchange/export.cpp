#include "results/exchange/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <numeric>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <type_traits>
#include <variant>
#include <vector>

#include "profiler/support/error.h"
#include "profiler/support/fields.h"
#include "results/exchange/record_json.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"bhive", "csv", "jsonl"};
constexpr std::string_view kFormat = "assay-export";
constexpr int kVersion = 1;
constexpr double kBhiveIterations = 100;

std::string bhive_line(const StoredOutcome& outcome) {
  if (!outcome.measurement.estimate || !outcome.block.state.empty()) return "";
  return fmt::format("{},{}\n", hex_from_bytes(outcome.block.bytes),
                     outcome.measurement.estimate->cycles * kBhiveIterations);
}

/// A text as a field of RFC 4180.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

std::string corpora_of(const StoredOutcome& outcome) {
  std::set<std::string_view> names;
  for (const SourceRecord& source : outcome.sources) names.insert(source.corpus);
  return fmt::format("{}", fmt::join(names, ","));
}

/// How often the block was seen, summed over its lines; empty if they are of several corpora, which
/// count in different units.
std::string frequency_of(const StoredOutcome& outcome) {
  double sum = 0;
  bool known = false;
  for (const SourceRecord& source : outcome.sources) {
    if (source.corpus != outcome.sources.front().corpus) return "";
    known = known || source.frequency;
    sum += source.frequency.value_or(0);
  }
  return known ? fmt::format("{}", sum) : "";
}

/// The name or origin of the block from the first of its lines that has one.
std::string first_of(const StoredOutcome& outcome, std::string SourceRecord::*text) {
  for (const SourceRecord& source : outcome.sources) {
    if (!(source.*text).empty()) return source.*text;
  }
  return "";
}

/// The modes for people: "1.000 +- 0.003 x4, 1.500 +- 0.004 x2".
std::string modes_of(const StoredOutcome& outcome) {
  std::vector<std::string> texts;
  for (const Mode& mode : outcome.measurement.modes) {
    texts.push_back(fmt::format("{:.3f} +- {:.3f} x{}", mode.cycles, mode.half_width, mode.visits));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// The placements for people: "8: 1.000 +- 0.003, 16: 1.500 +- 0.004".
std::string placements_of(const StoredOutcome& outcome) {
  std::vector<std::string> texts;
  for (const auto& [offset, cycles, half_width] : outcome.measurement.placements) {
    texts.push_back(fmt::format("{}: {:.3f} +- {:.3f}", offset, cycles, half_width));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string text_of(const FieldValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return "";
        } else if constexpr (std::is_same_v<Held, std::vector<std::string_view>>) {
          return fmt::format("{}", fmt::join(held, ","));
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

/// The columns in their order, which never changes: new ones are added at the end.
constexpr std::string_view kColumns[] = {"format",      "version",       "hex",
                                         "text",        "size",          "instructions",
                                         "notion",      "verdict",       "reason",
                                         "detail",      "cycles",        "half_width",
                                         "runs",        "dropped",       "copies",
                                         "pages",       "initial_state", "traits",
                                         "measured_at", "corpora",       "frequency",
                                         "campaign",    "program",       "protocol",
                                         "clock",       "brand",         "microarchitecture",
                                         "kernel",      "microcode",     "state",
                                         "name",        "source",        "visits",
                                         "settled",     "modes",         "loop_end",
                                         "placements"};

/// The cells of a line in no particular order: all fields of the measurement, and what is known of
/// the block and the campaign.
Fields cells_of(const Campaign& campaign, const StoredOutcome& outcome) {
  Fields cells = fields_of(outcome.measurement);
  const BlockRecord& block = outcome.block;
  const Fields others = {
      {"format", std::string(kFormat)},
      {"version", std::int64_t{kVersion}},
      {"hex", hex_from_bytes(block.bytes)},
      {"text", block.text},
      {"size", static_cast<std::int64_t>(block.bytes.size())},
      {"measured_at", outcome.measured_at},
      {"corpora", corpora_of(outcome)},
      {"frequency", frequency_of(outcome)},
      {"campaign", static_cast<std::int64_t>(campaign.id)},
      {"program", campaign.program_version},
      {"protocol", campaign.protocol},
      {"clock", campaign.clock},
      {"brand", campaign.machine.brand},
      {"microarchitecture", campaign.machine.microarchitecture},
      {"kernel", campaign.environment.kernel},
      {"microcode", campaign.environment.microcode},
      {"state", block.state},
      {"name", first_of(outcome, &SourceRecord::name)},
      {"source", first_of(outcome, &SourceRecord::origin)},
      {"modes", modes_of(outcome)},
      {"placements", placements_of(outcome)},
  };
  cells.insert(cells.end(), others.begin(), others.end());
  return cells;
}

/// For each column of a line, which of cells_of() stands in it: the order is that of kColumns, and
/// fields of a measurement that are not listed there come last.
std::vector<std::size_t> column_order() {
  const Fields cells = cells_of({}, {});
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t cell) {
    return std::ranges::find(kColumns, cells[cell].name) - std::begin(kColumns);
  });
  return order;
}

/// A line of what `text_in(cell)` makes of each cell.
template <typename TextIn>
std::string csv_of(const Fields& cells, const TextIn& text_in) {
  static const std::vector<std::size_t> kOrder = column_order();
  std::string line;
  for (const std::size_t cell : kOrder) {
    line += line.empty() ? "" : ",";
    line += text_in(cells[cell]);
  }
  return line + '\n';
}

std::string csv_line(const Campaign& campaign, const StoredOutcome& outcome) {
  return csv_of(cells_of(campaign, outcome),
                [](const DescribedField& cell) { return csv_field(text_of(cell.value)); });
}

std::string csv_header() {
  return csv_of(cells_of({}, {}), [](const DescribedField& cell) { return cell.name; });
}

std::string jsonl_line(const Campaign& campaign, const StoredOutcome& outcome) {
  nlohmann::ordered_json json = {
      {"format", kFormat}, {"version", kVersion}, {"program", campaign.program_version}};
  json.update(outcome_json(outcome.block.bytes, outcome.block.text, outcome.measurement,
                           campaign.protocol, campaign.clock));
  json["state"] = outcome.block.state;
  json["measured_at"] = outcome.measured_at;
  json["sources"] = nlohmann::ordered_json::array();
  for (const SourceRecord& source : outcome.sources) json["sources"].push_back(to_json(source));
  json["campaign"] = to_json(campaign);
  // Texts that are not valid UTF-8 do not end the export: the wrong bytes are replaced.
  return json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace

template <>
std::optional<ExportFormat> named<ExportFormat>(std::string_view name) {
  return value_named<ExportFormat>(kNames, name);
}

std::span<const std::string_view> export_format_names() { return kNames; }

std::string export_header(ExportFormat format) {
  return format == ExportFormat::kCsv ? csv_header() : "";
}

std::string export_line(ExportFormat format, const Campaign& campaign,
                        const StoredOutcome& outcome) {
  switch (format) {
    case ExportFormat::kBhive:
      return bhive_line(outcome);
    case ExportFormat::kCsv:
      return csv_line(campaign, outcome);
    case ExportFormat::kJsonl:
      return jsonl_line(campaign, outcome);
  }
  throw Error("an export format without lines");
}

}  // namespace assay
