// Two thousand inputs of the attack through the whole program: a corpus in, a store out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "profiler/block/block.h"
#include "profiler/subject/subject.h"
#include "profiler/support/error.h"
#include "results/store/store.h"
#include "tests/fuzz/bundled_inputs.h"
#include "tests/harness/process.h"

namespace assay::fuzz {
namespace {

constexpr std::uint64_t kCampaignSeed = 2;
constexpr std::uint64_t kCampaignInputs = 2'000;

/// A corpus of the inputs after the hostile blocks, some of which are hostile too. Empty blocks,
/// and blocks too large to be decoded, are left out, since no line can hold them.
std::string corpus() {
  const InputSource source = bundled_inputs(kCampaignSeed);
  std::string lines;
  for (std::uint64_t i = 0; i < kCampaignInputs; ++i) {
    const Bytes bytes = source.input(source.hostile_inputs() + i).bytes;
    if (bytes.empty() || bytes.size() > kLargestBlock) continue;
    lines += hex_from_bytes(bytes) + "\n";
  }
  return lines;
}

/// How often each distinct line occurs.
std::map<std::string, int> distinct(const std::string& lines) {
  std::map<std::string, int> counts;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) ++counts[line];
  return counts;
}

TEST(CampaignFuzz, EveryBlockHasOneRowAndNothingElseIsLeft) {
  try {
    const subject::Subject trial;
  } catch (const EnvironmentError& error) {
    GTEST_SKIP() << error.what();
  }
  const TemporaryFolder folder;
  const std::string lines = corpus();
  const std::string file = folder.write("attack.hex", lines);
  const std::string store = folder / "attack.sqlite";
  const Finished run = run_assay({"profile", file, "--db", store, "--budget", "1", "--time-limit",
                                  "20", "--patience", "0", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(nlohmann::json::accept(run.out)) << run.out;
  EXPECT_EQ(snapshot(folder.path()).size(), 2U) << "files beside the corpus and the store";

  std::map<std::string, int> blocks = distinct(lines);
  Store stored = Store::open_read_only(store);
  ASSERT_EQ(stored.campaigns().size(), 1U);
  std::size_t rows = 0;
  OutcomeReader outcomes = stored.outcomes({.campaign = stored.campaigns()[0].id});
  while (const auto outcome = outcomes.next()) {
    ++rows;
    const std::string hex = hex_from_bytes(outcome->block.bytes);
    EXPECT_EQ(blocks.erase(hex), 1U) << "a row too many";
    EXPECT_NE(outcome->measurement.outcome.reason, Reason::kDeniedSystemCall) << hex;
  }
  EXPECT_TRUE(blocks.empty()) << blocks.size() << " blocks without a row, the first is "
                              << blocks.begin()->first;
}

}  // namespace
}  // namespace assay::fuzz
