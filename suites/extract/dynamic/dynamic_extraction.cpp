#include "suites/extract/dynamic/dynamic_extraction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "profiler/support/error.h"
#include "suites/extract/program/program_file.h"

namespace assay {
namespace {

/// The name that callgrind gives to code in no file.
constexpr std::string_view kNoFile = "???";

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

bool fits(const std::string& pattern, const std::string& path) {
  return fnmatch(pattern.c_str(), file_name(path).c_str(), 0) == 0;
}

[[noreturn]] void throw_not_there(const std::string& what, const ExecutedCode& code) {
  std::set<std::string> names;
  for (const auto& item : code) names.insert(file_name(item.first));
  throw InputError(
      fmt::format("nothing ran in an object '{}'; there were: {}", what, fmt::join(names, ", ")));
}

void check_choice(const ExecutedCode& code, const ObjectChoice& choice) {
  if (!choice.only.empty() && !code.contains(choice.only)) throw_not_there(choice.only, code);
  for (const std::string& pattern : choice.patterns) {
    const auto fitting = [&](const auto& item) { return fits(pattern, item.first); };
    if (std::ranges::none_of(code, fitting)) throw_not_there(pattern, code);
  }
}

/// Why nothing is taken from an object, by its path alone; empty if blocks may be taken from it.
std::string reason_against(const std::string& path, const ObjectChoice& choice) {
  const auto fitting = [&](const std::string& pattern) { return fits(pattern, path); };
  if (path == kNoFile) return "linkage tables, the kernel's code, and code made at run time";
  if (file_name(path).starts_with("vgpreload_")) return "valgrind's own";
  const bool wanted = (choice.only.empty() || path == choice.only) &&
                      (choice.patterns.empty() || std::ranges::any_of(choice.patterns, fitting));
  return wanted ? "" : "not asked for";
}

void extract_object(ExecutedObject& ran, const ObjectChoice& choice, ObjectFigures& figures,
                    BlockSet& blocks) {
  BlockSet own;
  try {
    figures.counts = add_executed_blocks(load_image(figures.path), ran, choice.blocks, own);
  } catch (const InputError& error) {
    figures.passed_over = error.what();
  }
  figures.distinct = own.size();
  blocks.add(own);
}

}  // namespace

std::vector<ObjectFigures> extract_executed(ExecutedCode& code, const ObjectChoice& choice,
                                            BlockSet& blocks) {
  check_choice(code, choice);
  std::vector<ObjectFigures> all;
  for (auto& [path, ran] : code) {
    ObjectFigures figures;
    figures.path = path;
    for (const AddressCount& item : ran.instructions.sorted()) figures.instructions += item.count;
    if (figures.instructions == 0) continue;  // called, but the profile ended before it ran
    figures.passed_over = reason_against(path, choice);
    if (figures.passed_over.empty()) extract_object(ran, choice, figures, blocks);
    all.push_back(std::move(figures));
  }
  return all;
}

}  // namespace assay
