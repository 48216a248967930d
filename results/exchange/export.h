#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profiler/support/named.h"
#include "results/store/campaign.h"
#include "results/store/outcome_reader.h"

namespace assay {

/// How outcomes are written for other programs; docs/formats.md has every field of each.
enum class ExportFormat {
  kBhive,  ///< HEX,CYCLES: core cycles per 100 iterations, as BHive publishes throughputs
  kCsv,    ///< RFC 4180, but for line feeds alone at the ends of lines
  kJsonl,  ///< one JSON object a line
};

/// bhive, csv, jsonl.
template <>
std::optional<ExportFormat> named<ExportFormat>(std::string_view name);
std::span<const std::string_view> export_format_names();

/// What stands before the first outcome: a line of column names, or nothing.
std::string export_header(ExportFormat format);

/// The line of an outcome, with its end; empty if the format has none for it: bhive holds measured
/// blocks without a state of their own alone. Numbers are the shortest text that reads back as the
/// same double.
std::string export_line(ExportFormat format, const Campaign& campaign,
                        const StoredOutcome& outcome);

}  // namespace assay
