#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

#include "harness/command_line.h"
#include "harness/commands/subcommands.h"
#include "harness/output/json_text.h"
#include "harness/subcommand.h"
#include "profiler/support/counted.h"
#include "profiler/support/printable.h"
#include "profiler/support/version.h"
#include "results/exchange/check.h"

namespace assay {
namespace {

CommandLine check_options() {
  CommandLine line("assay check STORE [options]",
                   "Reads a store from its first page to its last, and says whether it holds what "
                   "assay wrote.\nCommands that read results do the same. The exit status is 1 if "
                   "it does not.");
  line.take_words(1);
  line.add()("accept", "take what it holds for what it should hold, if you changed it yourself");
  line.add()("json", "print one JSON object (docs/formats.md)");
  return line;
}

void print_text(const std::string& store, const StoreCheck& check, bool accepted) {
  const std::string path = printable_name(store);
  if (check.damage) {
    fmt::print("{}: damaged, or changed by another program: {}\n", path,
               printable_name(*check.damage));
    return;
  }
  fmt::print("{}: {}: {}, {}, {}\n", path, accepted ? "accepted" : "whole",
             counted(check.campaigns, "campaign"), counted(check.blocks, "block"),
             counted(check.outcomes, "outcome"));
  if (check.given_up) fmt::print("{}: given up: {}\n", path, *check.given_up);
}

void print_json(const std::string& path, const StoreCheck& check) {
  nlohmann::ordered_json json;
  json["format"] = "assay-check";
  json["version"] = 1;
  json["program"] = program_version();
  json["db"] = path;
  json["whole"] = !check.damage.has_value();
  if (check.damage) {
    json["damage"] = *check.damage;
  } else {
    json["campaigns"] = check.campaigns;
    json["blocks"] = check.blocks;
    json["outcomes"] = check.outcomes;
    if (check.given_up) json["given_up"] = *check.given_up;
  }
  fmt::print("{}\n", json_text(json));
}

}  // namespace

int run_check(const std::vector<std::string>& arguments) {
  const auto values = check_options().parse(arguments);
  if (!values) return kDone;
  const std::vector<std::string> words = words_of(*values);
  if (words.size() != 1) throw UsageError("one store is needed");
  const bool accept = values->count("accept") != 0;
  const StoreCheck check = accept ? accept_store(words[0]) : check_store(words[0]);
  if (values->count("json")) {
    print_json(words[0], check);
  } else {
    print_text(words[0], check, accept);
  }
  return check.damage ? kNothingMeasured : kDone;
}

}  // namespace assay
