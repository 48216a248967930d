#include "harness/output/block_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "profiler/block/text.h"
#include "profiler/support/clipped.h"
#include "profiler/support/counted.h"
#include "profiler/support/printable.h"

namespace assay {
namespace {

constexpr std::string_view kIndent = "    ";
constexpr std::string_view kGap = "  ";

std::string memory_text(const BlockFacts& facts) {
  if (facts.memory == MemoryUse::kNone) return "";
  return fmt::format("{}{}",
                     facts.memory == MemoryUse::kBoth ? "loads and stores" : name(facts.memory),
                     facts.rip_relative ? " (RIP-relative)" : "");
}

/// What the first lines of the listing say of the block.
std::vector<std::string> remarks(const CorpusEntry& entry, const BlockFacts& facts) {
  std::vector<std::string> said;
  if (facts.refusal == Reason::kNone) {
    said.push_back(counted(facts.instructions, "instruction"));
  }
  said.push_back(counted(entry.bytes.size(), "byte"));
  if (entry.frequency) said.push_back(fmt::format("weight {}", *entry.frequency));
  said.push_back(memory_text(facts));
  said.push_back(facts.refusal == Reason::kNone ? to_string(facts.traits)
                                                : fmt::format("refused: {}", name(facts.refusal)));
  if (!entry.name.empty()) said.push_back(fmt::format("name {}", clipped(entry.name)));
  if (!entry.origin.empty()) said.push_back(fmt::format("from {}", clipped(entry.origin)));
  if (!entry.state.empty()) said.push_back(fmt::format("state {}", printable_name(entry.state)));
  std::erase(said, "");
  return said;
}

/// Adds lines, the first of which begins with `start`, each with as many of the parts as fit.
void append_filled(const std::string& start, const std::vector<std::string>& parts,
                   std::string& text) {
  std::string line = start;
  for (const std::string& part : parts) {
    if (line.size() + kGap.size() + part.size() > kListingWidth && line != kIndent) {
      text += line + '\n';
      line = std::string(kGap);
    }
    line.append(kGap).append(part);
  }
  text += line + '\n';
}

void append_hex(const Bytes& bytes, std::string& text) {
  const std::string hex = hex_from_bytes(bytes);
  const std::size_t digits = (kListingWidth - kIndent.size()) / 2 * 2;
  for (std::size_t first = 0; first < hex.size(); first += digits) {
    text.append(kIndent).append(hex, first, digits) += '\n';
  }
}

void append_instructions(const Bytes& bytes, std::string& text) {
  constexpr std::string_view kBetween = "; ";
  const std::string all = text_of(bytes);
  std::string_view rest = all;
  while (true) {
    const std::size_t end = rest.find(kBetween);
    text.append(kIndent).append(rest.substr(0, end)) += '\n';
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + kBetween.size());
  }
}

}  // namespace

std::string listing(const CorpusEntry& entry, const BlockFacts& facts, const std::string& corpus) {
  std::string text;
  append_filled(fmt::format("{}:{}", corpus, entry.line), remarks(entry, facts), text);
  append_hex(entry.bytes, text);
  append_instructions(entry.bytes, text);
  text += '\n';
  return text;
}

}  // namespace assay
