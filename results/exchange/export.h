#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profiler/support/named.h"
#include "results/store/campaign.h"
#include "results/store/outcome_reader.h"

namespace assay {

/// The formats in which outcomes are written for other programs; docs/formats.md describes every
/// field.
enum class ExportFormat {
  kBhive,  ///< HEX,CYCLES: core cycles per 100 iterations, as BHive publishes throughputs
  kCsv,    ///< RFC 4180, except that lines end with a line feed alone
  kJsonl,  ///< one JSON object a line
};

/// Parses "bhive", "csv" or "jsonl".
template <>
std::optional<ExportFormat> named<ExportFormat>(std::string_view name);
std::span<const std::string_view> export_format_names();

/// What comes before the first outcome: a line of column names, or nothing.
std::string export_header(ExportFormat format);

/// The line of an outcome, with its line feed; empty if the format cannot express the outcome:
/// bhive only holds measured blocks without a state of their own. Numbers are the shortest text
/// that reads back as the same double.
std::string export_line(ExportFormat format, const Campaign& campaign,
                        const StoredOutcome& outcome);

}  // namespace assay
