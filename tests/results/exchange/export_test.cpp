#include "results/exchange/export.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/results/records.h"

namespace assay {
namespace {

using nlohmann::json;

StoredOutcome some_outcome(Measurement measurement) {
  return {.block = {{{0x48, 0x01, 0xD8}}, "add rax, rbx", 1},
          .measurement = std::move(measurement),
          .measured_at = "2024-05-17T08:30:01Z",
          .sources = {some_source("gzip", 7, 0.25), some_source("gzip", 9, 0.5)}};
}

std::string line(ExportFormat format, const StoredOutcome& outcome) {
  return export_line(format, some_campaign_data(), outcome);
}

/// The fields of a line of CSV, read as RFC 4180 says.
std::vector<std::string> fields_of(const std::string& text) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (quoted && text[i] == '"' && text[i + 1] == '"') {
      fields.back() += text[i++];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (text[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += text[i];
    }
  }
  EXPECT_FALSE(quoted);
  EXPECT_EQ(text.back(), '\n');
  return fields;
}

/// A value in the CSV line of an outcome, by the name of its column in the header.
std::string field(const StoredOutcome& outcome, const std::string& column) {
  const auto names = fields_of(export_header(ExportFormat::kCsv));
  const auto fields = fields_of(line(ExportFormat::kCsv, outcome));
  EXPECT_EQ(names.size(), fields.size());
  const auto found = std::ranges::find(names, column);
  return found == names.end() ? "no such column"
                              : fields.at(static_cast<std::size_t>(found - names.begin()));
}

TEST(Export, FormatsHaveNames) {
  for (const auto name : export_format_names()) EXPECT_TRUE(named<ExportFormat>(name));
  EXPECT_EQ(named<ExportFormat>("bhive"), ExportFormat::kBhive);
  EXPECT_EQ(named<ExportFormat>("csv"), ExportFormat::kCsv);
  EXPECT_EQ(named<ExportFormat>("jsonl"), ExportFormat::kJsonl);
  EXPECT_EQ(named<ExportFormat>("CSV"), std::nullopt);
}

TEST(Export, BhiveHasCyclesOfAHundredIterations) {
  EXPECT_EQ(export_header(ExportFormat::kBhive), "");
  EXPECT_EQ(line(ExportFormat::kBhive, some_outcome(measured(1.25))), "4801d8,125\n");
  EXPECT_EQ(line(ExportFormat::kBhive, some_outcome(measured(0.3345))), "4801d8,33.45\n");
}

TEST(Export, BhiveHasMeasuredBlocksAlone) {
  StoredOutcome outcome = some_outcome(without_number(Reason::kUnstable));
  outcome.measurement.timed.runs = 400;
  EXPECT_EQ(line(ExportFormat::kBhive, outcome), "");
}

TEST(Export, BhiveHasNoPlaceForAStateOfABlocksOwn) {
  StoredOutcome outcome = some_outcome(measured(1.25));
  outcome.block.state = "mem=0x0";
  EXPECT_EQ(line(ExportFormat::kBhive, outcome), "");
  EXPECT_EQ(field(outcome, "state"), "mem=0x0");
  EXPECT_EQ(json::parse(line(ExportFormat::kJsonl, outcome))["state"], "mem=0x0");
}

TEST(Export, CsvHasTheFirstNameAndOriginThatAnyLineGives) {
  StoredOutcome outcome = some_outcome(measured(1));
  EXPECT_EQ(field(outcome, "name"), "");
  outcome.sources.push_back({"z", 1, std::nullopt, "sort/3", ""});
  outcome.sources.push_back({"z", 2, std::nullopt, "other", "libc, qsort"});
  EXPECT_EQ(field(outcome, "name"), "sort/3");
  EXPECT_EQ(field(outcome, "source"), "libc, qsort");
}

TEST(Export, CsvHasItsColumnsInAFixedOrder) {
  EXPECT_EQ(export_header(ExportFormat::kCsv),
            "format,version,hex,text,size,instructions,notion,verdict,reason,detail,cycles,"
            "half_width,runs,dropped,copies,pages,initial_state,traits,measured_at,corpora,"
            "frequency,campaign,program,protocol,clock,brand,microarchitecture,kernel,"
            "microcode,state,name,source,visits,settled,modes,loop_end,placements\n");
  Measurement measurement = measured(1.5);
  measurement.instructions = 1;
  measurement.traits = {Trait::kSplitLine, Trait::kSubnormal};
  EXPECT_EQ(line(ExportFormat::kCsv, some_outcome(measurement)),
            "assay-export,1,4801d8,\"add rax, rbx\",3,1,unrolled,measured,none,,1.5,0.01,400,3,500,"
            "2,distinct,\"split_line,subnormal\",2024-05-17T08:30:01Z,gzip,0.75,3,0.1.0,assay,tsc,"
            "AMD EPYC,zen4,Linux 6.1.0,0xa101148,,,,1,true,,,\n");
}

TEST(Export, CsvQuotesWhatItMust) {
  StoredOutcome outcome = some_outcome(without_number(Reason::kUnstable));
  for (const std::string text : {"a, b", "say \"no\"", "two\nlines", "\"", "plain", ""}) {
    outcome.measurement.outcome.detail = text;
    EXPECT_EQ(field(outcome, "detail"), text);
  }
  EXPECT_THAT(line(ExportFormat::kCsv, outcome), ::testing::HasSubstr(",unstable,,,,0,0,"))
      << "nothing needs no quotes";
}

TEST(Export, CsvHasRejectedBlocksWithoutAValue) {
  StoredOutcome outcome = some_outcome(without_number(Reason::kUnstable));
  outcome.measurement.timed = {.runs = 400, .dropped = 3};
  EXPECT_EQ(field(outcome, "verdict"), "rejected");
  EXPECT_EQ(field(outcome, "reason"), "unstable");
  EXPECT_EQ(field(outcome, "cycles"), "");
  EXPECT_EQ(field(outcome, "half_width"), "");
  EXPECT_EQ(field(outcome, "runs"), "400");
}

TEST(Export, CsvHasTheModesOfABlockOfSeveralStates) {
  StoredOutcome outcome = some_outcome(measured(1.5));
  EXPECT_EQ(field(outcome, "modes"), "");
  outcome.measurement.modes = some_modes();
  EXPECT_EQ(field(outcome, "modes"), "1.500 +- 0.250 x4, 1.250 +- 0.000 x2");
}

TEST(Export, CsvHasWhatALoopTakesAtOtherPlaces) {
  StoredOutcome outcome = some_outcome(measured(1.5));
  EXPECT_EQ(field(outcome, "placements"), "");
  outcome.measurement.placements = some_placements();
  EXPECT_EQ(field(outcome, "placements"), "8: 1.500 +- 0.250, 56: 1.750 +- 0.000");
}

TEST(Export, CsvHasAFrequencyOnlyWhereItIsOneNumber) {
  StoredOutcome outcome = some_outcome(measured(1));
  EXPECT_EQ(field(outcome, "frequency"), "0.75");
  outcome.sources.push_back(some_source("redis, server", 1, 0.5));
  EXPECT_EQ(field(outcome, "frequency"), "") << "of two corpora";
  EXPECT_EQ(field(outcome, "corpora"), "gzip,redis, server");
  outcome.sources = {some_source("hex", 1)};
  EXPECT_EQ(field(outcome, "frequency"), "") << "of none";
  outcome.sources.clear();
  EXPECT_EQ(field(outcome, "corpora"), "");
}

TEST(Export, NumbersReadBackAsTheyWere) {
  for (const double cycles : {1.0 / 3, 0.1, 1e-7, 123456.789012345678, 1e22}) {
    const StoredOutcome outcome = some_outcome(measured(cycles));
    EXPECT_EQ(std::stod(field(outcome, "cycles")), cycles);
    EXPECT_EQ(json::parse(line(ExportFormat::kJsonl, outcome))["cycles"], cycles);
    const std::string bhive = line(ExportFormat::kBhive, outcome);
    EXPECT_EQ(std::stod(bhive.substr(bhive.find(',') + 1)), cycles * 100);
  }
}

TEST(Export, JsonHasTheFieldsOfAMeasurementAndWhereItIsFrom) {
  StoredOutcome outcome = some_outcome(measured(1.5));
  outcome.measurement.events = some_events();
  outcome.measurement.modes = some_modes();
  const std::string text = line(ExportFormat::kJsonl, outcome);
  EXPECT_EQ(export_header(ExportFormat::kJsonl), "");
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "one line";
  const json object = json::parse(text);
  EXPECT_EQ(object["format"], "assay-export");
  EXPECT_EQ(object["version"], 1);
  EXPECT_EQ(object["program"], "0.1.0");
  EXPECT_EQ(object["hex"], "4801d8");
  EXPECT_EQ(object["text"], "add rax, rbx");
  EXPECT_EQ(object["ci95"].dump(), "[1.49,1.51]");
  EXPECT_EQ(object["protocol"], "assay");
  EXPECT_EQ(object["clock"], "tsc");
  EXPECT_EQ(object["events"].size(), 2U);
  EXPECT_EQ(object["modes"].size(), 2U);
  EXPECT_EQ(object["sources"][1]["line"], 9);
  EXPECT_EQ(object["state"], "");
  EXPECT_EQ(object["measured_at"], "2024-05-17T08:30:01Z");
  EXPECT_EQ(object["campaign"]["id"], 3);
  EXPECT_EQ(object["campaign"]["machine"]["microarchitecture"], "zen4");
}

TEST(Export, ACorpusWhoseNameIsNoTextIsStillJson) {
  StoredOutcome outcome = some_outcome(measured(1.5));
  outcome.sources = {some_source("\xFF\xFE", 1)};
  EXPECT_TRUE(json::accept(line(ExportFormat::kJsonl, outcome)));
}

}  // namespace
}  // namespace assay
