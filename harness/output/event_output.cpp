#include "harness/output/event_output.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

std::size_t longest_name(std::span<const EventCount> events) {
  std::size_t longest = 0;
  for (const EventCount& event : events) longest = std::max(longest, event.name.size());
  return longest;
}

}  // namespace

std::string to_text(std::span<const EventCount> events) {
  std::string text;
  for (const EventCount& event : events) {
    text +=
        fmt::format("  {:<9}{:<{}}  {:.3f} +- {:.3f} per copy (pass {}{})\n",
                    text.empty() ? "events" : "", event.name, longest_name(events), event.per_copy,
                    event.half_width, event.pass, event.validates ? ", validation" : "");
  }
  return text;
}

std::string event_table(std::span<const EventCount> events) {
  if (events.empty()) return "";
  std::string text = "    pass     cycles   per copy         +-   overhead  event\n";
  for (const EventCount& event : events) {
    text += fmt::format("    {:>4}{:>11.4f}{:>11.4f}{:>11.4f}{:>11.2f}  {}{}\n", event.pass,
                        event.pass_cycles, event.per_copy, event.half_width, event.overhead,
                        event.name, event.validates ? " (validation)" : "");
  }
  return text;
}

}  // namespace assay
