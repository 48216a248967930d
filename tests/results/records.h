#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/store/store.h"

namespace assay {

/// One of many different blocks, by its number.
inline BlockRecord some_block(std::uint32_t number) {
  const auto byte = [number](int index) { return static_cast<std::uint8_t>(number >> 8 * index); };
  return {{{0xB8, byte(0), byte(1), byte(2), byte(3)}}, "mov eax, " + std::to_string(number), 1};
}

/// The block with an initial state of its own.
inline BlockRecord with_state(BlockRecord block, std::string state) {
  block.state = std::move(state);
  return block;
}

inline SourceRecord some_source(std::string corpus, std::int64_t line,
                                std::optional<double> frequency = std::nullopt) {
  return {
      .corpus = std::move(corpus), .line = line, .frequency = frequency, .name = "", .origin = ""};
}

inline Measurement measured(double cycles) {
  Measurement measurement;
  measurement.outcome = {Reason::kNone, ""};
  measurement.estimate = Estimate{.cycles = cycles, .half_width = 0.01};
  measurement.timed = {.runs = 400, .dropped = 3};
  measurement.copies = 500;
  measurement.pages = 2;
  measurement.initial_state = "distinct";
  return measurement;
}

inline Measurement without_number(Reason reason) {
  Measurement measurement;
  measurement.outcome = {reason, "at offset 0"};
  measurement.settled = !may_pass(reason);
  return measurement;
}

/// An event counted in one pass, and one counted in the next to judge the block.
inline std::vector<EventCount> some_events() {
  return {{.name = "UOPS",
           .per_copy = 2,
           .half_width = 0.25,
           .overhead = 7,
           .pass = 1,
           .pass_cycles = 1.5},
          {.name = "MISSES",
           .per_copy = -0.125,
           .half_width = 0.5,
           .overhead = -1,
           .validates = true,
           .pass = 2,
           .pass_cycles = 1.75}};
}

/// The modes of a block of which two visits of eight found values of their own.
inline std::vector<Mode> some_modes() {
  return {{.cycles = 1.5, .half_width = 0.25, .visits = 4, .share = 0.5},
          {.cycles = 1.25, .half_width = 0, .visits = 2, .share = 0.25}};
}

/// The placements of a loop that is slower where it crosses a line.
inline std::vector<CodePlacement> some_placements() {
  return {{.offset = 8, .cycles = 1.5, .half_width = 0.25},
          {.offset = 56, .cycles = 1.75, .half_width = 0}};
}

inline Machine some_machine() {
  return {.vendor = "AuthenticAMD",
          .brand = "AMD EPYC",
          .family = 25,
          .model = 17,
          .stepping = 1,
          .microarchitecture = "zen4"};
}

inline Environment some_environment() {
  return {.kernel = "Linux 6.1.0",
          .microcode = "0xa101148",
          .hypervisor = "KVMKVMKVM",
          .governor = "none",
          .smt = "on",
          .cores = 2,
          .walls = "system-call filter, no vDSO"};
}

inline CampaignId some_campaign(Store& store) {
  return store.campaign(some_machine(), some_environment(), "0.1.0", Settings{});
}

/// All outcomes of the campaign, in the order of the blocks' bytes.
inline std::vector<StoredOutcome> all_outcomes(Store& store, CampaignId campaign) {
  std::vector<StoredOutcome> all;
  OutcomeReader reader = store.outcomes({.campaign = campaign});
  while (auto outcome = reader.next()) all.push_back(std::move(*outcome));
  return all;
}

inline Campaign some_campaign_data() {
  return {.id = CampaignId{3},
          .machine = some_machine(),
          .environment = some_environment(),
          .program_version = "0.1.0",
          .settings = "{}",
          .protocol = "assay",
          .clock = "tsc",
          .started_at = "2024-05-17T08:30:00Z"};
}

}  // namespace assay
