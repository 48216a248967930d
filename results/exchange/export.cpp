#include "results/exchange/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <vector>

#include "profiler/support/error.h"
#include "results/exchange/record_json.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"bhive", "csv", "jsonl"};
constexpr std::string_view kFormat = "assay-export";
constexpr int kVersion = 1;
constexpr double kBhiveIterations = 100;

bool is_measured(const Measurement& measurement) {
  return measurement.outcome.verdict() == Verdict::kMeasured && measurement.estimate;
}

std::string bhive_line(const StoredOutcome& outcome) {
  if (!is_measured(outcome.measurement) || !outcome.block.state.empty()) return "";
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

/// How often the block was seen, if that is one number: corpora have units of their own.
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

/// What the first line says that says it, which is all for a block with one line.
std::string first_of(const StoredOutcome& outcome, std::string SourceRecord::*text) {
  for (const SourceRecord& source : outcome.sources) {
    if (!(source.*text).empty()) return source.*text;
  }
  return "";
}

/// An outcome with what it is of.
struct Row {
  const Campaign& campaign;
  const StoredOutcome& outcome;
  const Measurement& measurement;
  Estimate estimate;  ///< zeros if there is none
  bool measured;
};

struct Column {
  std::string_view name;
  std::string (*field)(const Row&);
};

// The order is fixed: a column that is added comes last.
constexpr Column kColumns[] = {
    {"format", [](const Row&) { return std::string(kFormat); }},
    {"version", [](const Row&) { return fmt::format("{}", kVersion); }},
    {"hex", [](const Row& row) { return hex_from_bytes(row.outcome.block.bytes); }},
    {"text", [](const Row& row) { return row.outcome.block.text; }},
    {"size", [](const Row& row) { return fmt::format("{}", row.outcome.block.bytes.size()); }},
    {"instructions",
     [](const Row& row) { return fmt::format("{}", row.measurement.instructions); }},
    {"notion", [](const Row& row) { return std::string(name(row.measurement.notion)); }},
    {"verdict",
     [](const Row& row) { return std::string(name(row.measurement.outcome.verdict())); }},
    {"reason", [](const Row& row) { return std::string(name(row.measurement.outcome.reason)); }},
    {"detail", [](const Row& row) { return row.measurement.outcome.detail; }},
    {"cycles",
     [](const Row& row) { return row.measured ? fmt::format("{}", row.estimate.cycles) : ""; }},
    {"half_width",
     [](const Row& row) { return row.measured ? fmt::format("{}", row.estimate.half_width) : ""; }},
    {"runs", [](const Row& row) { return fmt::format("{}", row.measurement.timed.runs); }},
    {"dropped", [](const Row& row) { return fmt::format("{}", row.measurement.timed.dropped); }},
    {"copies", [](const Row& row) { return fmt::format("{}", row.measurement.copies); }},
    {"pages", [](const Row& row) { return fmt::format("{}", row.measurement.pages); }},
    {"initial_state", [](const Row& row) { return row.measurement.initial_state; }},
    {"traits", [](const Row& row) { return to_string(row.measurement.traits); }},
    {"measured_at", [](const Row& row) { return row.outcome.measured_at; }},
    {"corpora", [](const Row& row) { return corpora_of(row.outcome); }},
    {"frequency", [](const Row& row) { return frequency_of(row.outcome); }},
    {"campaign",
     [](const Row& row) { return fmt::format("{}", static_cast<std::int64_t>(row.campaign.id)); }},
    {"program", [](const Row& row) { return row.campaign.program_version; }},
    {"protocol", [](const Row& row) { return row.campaign.protocol; }},
    {"clock", [](const Row& row) { return row.campaign.clock; }},
    {"brand", [](const Row& row) { return row.campaign.machine.brand; }},
    {"microarchitecture", [](const Row& row) { return row.campaign.machine.microarchitecture; }},
    {"kernel", [](const Row& row) { return row.campaign.environment.kernel; }},
    {"microcode", [](const Row& row) { return row.campaign.environment.microcode; }},
    {"state", [](const Row& row) { return row.outcome.block.state; }},
    {"name", [](const Row& row) { return first_of(row.outcome, &SourceRecord::name); }},
    {"source", [](const Row& row) { return first_of(row.outcome, &SourceRecord::origin); }},
};

std::string csv_header() {
  std::string line;
  for (const Column& column : kColumns) {
    line += line.empty() ? "" : ",";
    line += column.name;
  }
  return line + '\n';
}

std::string csv_line(const Campaign& campaign, const StoredOutcome& outcome) {
  const Measurement& measurement = outcome.measurement;
  const Row row{campaign, outcome, measurement, measurement.estimate.value_or(Estimate{}),
                is_measured(measurement)};
  std::string line;
  for (const Column& column : kColumns) {
    line += line.empty() ? "" : ",";
    line += csv_field(column.field(row));
  }
  return line + '\n';
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
  // Stores of earlier versions call a corpus as its file was, which may be no UTF-8.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace

std::optional<ExportFormat> export_format_named(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<ExportFormat>(found - kNames.begin());
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
