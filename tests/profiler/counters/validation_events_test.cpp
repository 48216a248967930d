#include "profiler/counters/validation_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiler/counters/event_encoder.h"
#include "profiler/counters/libpfm.h"
#include "profiler/machine/microarchitecture.h"
#include "tests/profiler/counters/forced_pmu.h"

namespace assay {
namespace {

constexpr std::string_view kHybrids[] = {"alderlake", "raptorlake", "meteorlake", "arrowlake",
                                         "lunarlake"};
constexpr std::string_view kAlsoWithPCoresAlone[] = {"alderlake", "raptorlake"};

/// libpfm4 4.13's names for the CPUs of a microarchitecture; none unless it knows all of these
/// CPUs.
std::vector<std::string> pmus_of(const std::string& name) {
  static const std::map<std::string, std::vector<std::string>> pmus = {
      {"sandybridge", {"snb", "snb_ep"}},
      {"ivybridge", {"ivb", "ivb_ep"}},
      {"haswell", {"hsw", "hsw_ep"}},
      {"broadwell", {"bdw", "bdw_ep"}},
      {"skylake", {"skl"}},
      {"skylake-x", {"skx"}},
      {"cascadelake", {"clx"}},
      {"cooperlake", {"clx"}},
      {"kabylake", {"skl"}},
      {"coffeelake", {"skl"}},
      {"whiskeylake", {"skl"}},
      {"cometlake", {"skl"}},
      {"icelake", {"icl", "icx"}},
      {"rocketlake", {"icl"}},
      {"tigerlake", {"icl"}},
      {"sapphirerapids", {"spr"}},
      {"zen1", {"amd64_fam17h_zen1", "amd64_fam17h_zen2"}},
      {"zen+", {"amd64_fam17h_zen1"}},
      {"zen2", {"amd64_fam17h_zen2"}},
      {"zen3", {"amd64_fam19h_zen3"}},
  };
  const auto found = pmus.find(name);
  return found == pmus.end() ? std::vector<std::string>{} : found->second;
}

struct Named {
  std::string microarchitecture;
  std::string vendor;
};

/// All names of microarchitectures that a machine may have; those of hybrid CPUs with the kind of
/// core.
std::vector<Named> all_names() {
  std::map<std::string, std::string> vendors;
  for (const Microarchitecture& row : all_microarchitectures()) {
    const std::string name(row.name);
    const bool hybrid = std::ranges::find(kHybrids, row.name) != std::end(kHybrids);
    const bool plain =
        std::ranges::find(kAlsoWithPCoresAlone, row.name) != std::end(kAlsoWithPCoresAlone);
    if (plain) vendors[name] = row.vendor;
    for (const char* suffix : hybrid ? std::vector{"-p", "-e"} : std::vector{""}) {
      vendors[name + suffix] = row.vendor;
    }
  }
  std::vector<Named> names;
  for (const auto& [name, vendor] : vendors) names.push_back({name, vendor});
  return names;
}

Event encode(const ValidationEvent& row, const std::string& vendor) {
  const std::string specification(row.specification);
  return EventEncoder(std::nullopt, vendor).encode({specification, specification, false});
}

TEST(ValidationEvents, EveryMicroarchitectureCountsItsInstructionsOnce) {
  for (const Named& named : all_names()) {
    const auto rows = validation_events(named.microarchitecture);
    EXPECT_EQ(std::ranges::count(rows, Reason::kInstructionCount, &ValidationEvent::reason), 1)
        << named.microarchitecture;
  }
}

TEST(ValidationEvents, AllReasonsButThoseWithoutAnEvent) {
  const std::set<Reason> all = {
      Reason::kInstructionCount, Reason::kDataCacheMiss,      Reason::kInstructionCacheMiss,
      Reason::kDataTlbMiss,      Reason::kInstructionTlbMiss, Reason::kSplitAccess,
      Reason::kBranchMiss};
  for (const Named& named : all_names()) {
    std::set<Reason> seen;
    for (const ValidationEvent& row : validation_events(named.microarchitecture)) {
      seen.insert(row.reason);
      EXPECT_FALSE(row.source.empty()) << row.specification;
    }
    std::set<Reason> expected = all;
    if (named.microarchitecture == "cannonlake") {
      expected = {Reason::kInstructionCount, Reason::kBranchMiss};
    }
    if (std::set<std::string>{"zen1", "zen+", "zen2"}.contains(named.microarchitecture)) {
      expected.erase(Reason::kSplitAccess);
    }
    EXPECT_EQ(seen, expected) << named.microarchitecture;
  }
}

TEST(ValidationEvents, AnUnknownMicroarchitectureHasNone) {
  EXPECT_TRUE(validation_events("unknown").empty());
}

void expect_encoded(const Named& named) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> codes;
  std::vector<ValidationEvent> rows(validation_events(named.microarchitecture).begin(),
                                    validation_events(named.microarchitecture).end());
  for (const ValidationEvent& row : rows) {
    SCOPED_TRACE(named.microarchitecture + " " + std::string(row.specification));
    ASSERT_NO_THROW(encode(row, named.vendor));
    const Event event = encode(row, named.vendor);
    EXPECT_EQ(event.type, 4U);
    EXPECT_TRUE(codes.emplace(event.config, event.config1).second);
  }
}

TEST(ValidationEvents, CodesCanBeEncodedWhateverLibpfmKnows) {
  for (const Named& named : all_names()) {
    if (pmus_of(named.microarchitecture).empty()) expect_encoded(named);
  }
}

class NamesOfPmu : public testing::TestWithParam<std::string> {};

TEST_P(NamesOfPmu, CanBeEncoded) {
  const std::string& pmu = GetParam();
  if (ran_with_pmu(pmu)) return;
  if (libpfm_events(pmu).empty()) GTEST_SKIP() << "this libpfm does not know " << pmu;
  int known = 0;
  for (const Named& named : all_names()) {
    const std::vector<std::string> pmus = pmus_of(named.microarchitecture);
    if (std::ranges::find(pmus, pmu) == pmus.end()) continue;
    expect_encoded(named);
    ++known;
  }
  EXPECT_GT(known, 0);
}

INSTANTIATE_TEST_SUITE_P(ValidationEvents, NamesOfPmu,
                         testing::Values("snb", "snb_ep", "ivb", "ivb_ep", "hsw", "hsw_ep", "bdw",
                                         "bdw_ep", "skl", "skx", "clx", "icl", "icx", "spr",
                                         "amd64_fam17h_zen1", "amd64_fam17h_zen2",
                                         "amd64_fam19h_zen3"),
                         [](const auto& test) { return test.param; });

/// Expects that the names of events and the codes have the same encodings.
void expect_same_codes(const std::string& by_code, const std::vector<std::string>& names,
                       const std::string& vendor) {
  const auto rows = validation_events(by_code);
  ASSERT_EQ(rows.size(), names.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Event code = encode(rows[i], vendor);
    const Event name = EventEncoder(std::nullopt, vendor).encode({names[i], names[i], false});
    EXPECT_EQ(code.config, name.config) << names[i];
    EXPECT_EQ(code.config1, name.config1) << names[i];
  }
}

TEST(ValidationEvents, GoldenCovesCodesAreWhatSapphireRapidsNamesMean) {
  if (ran_with_pmu("spr")) return;
  std::vector<std::string> names;
  for (const ValidationEvent& row : validation_events("sapphirerapids")) {
    names.emplace_back(row.specification);
  }
  expect_same_codes("alderlake-p", names, "GenuineIntel");
}

TEST(ValidationEvents, Zen4sCodesAreWhatItsNamesMean) {
  if (ran_with_pmu("amd64_fam19h_zen4")) return;
  expect_same_codes("zen4",
                    {"RETIRED_INSTRUCTIONS", "MAB_ALLOCATION_BY_TYPE:LS", "IC_TAG_HIT_MISS:IC_MISS",
                     "L1_DTLB_MISS:0xf0", "L1_ITLB_MISS_L2_ITLB_MISS:0x0f",
                     "MISALIGNED_LOADS:MA64:MA4K", "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED"},
                    "AuthenticAMD");
}

// Encodings that the manuals give, for each family of tables.
struct Manual {
  std::string microarchitecture;
  std::string pmu;
  std::vector<std::uint64_t> configs;
};

class ManualOf : public testing::TestWithParam<Manual> {};

TEST_P(ManualOf, SaysTheSame) {
  const Manual& manual = GetParam();
  if (ran_with_pmu(manual.pmu)) return;
  const bool amd = manual.pmu.starts_with("amd");
  std::vector<std::uint64_t> configs;
  for (const ValidationEvent& row : validation_events(manual.microarchitecture)) {
    configs.push_back(encode(row, amd ? "AuthenticAMD" : "GenuineIntel").config);
  }
  EXPECT_EQ(configs, manual.configs);
}

INSTANTIATE_TEST_SUITE_P(
    ValidationEvents, ManualOf,
    testing::Values(
        Manual{"haswell", "hsw", {0xc0, 0x151, 0x280, 0x108, 0x149, 0x185, 0x105, 0x205, 0xc5}},
        Manual{"ivybridge", "ivb", {0xc0, 0x151, 0x280, 0x8108, 0x149, 0x185, 0x105, 0x205, 0xc5}},
        Manual{"broadwell", "bdw", {0xc0, 0x151, 0x280, 0x108, 0x149, 0x185, 0x41d0, 0x42d0, 0xc5}},
        Manual{"skylake", "skl", {0xc0, 0x151, 0x283, 0x108, 0x149, 0x185, 0x41d0, 0x42d0, 0xc5}},
        Manual{"icelake", "icl", {0xc0, 0x151, 0x283, 0xe08, 0xe49, 0xe85, 0x41d0, 0x42d0, 0xc5}},
        Manual{"sapphirerapids",
               "spr",
               {0xc0, 0x151, 0x1c6, 0xe12, 0xe13, 0xe11, 0x41d0, 0x42d0, 0xc5}},
        Manual{"zen2", "amd64_fam17h_zen2", {0xc0, 0x341, 0x82, 0x83, 0xf045, 0x785, 0xc3}},
        Manual{
            "zen3", "amd64_fam19h_zen3", {0xc0, 0x3f41, 0x10000188e, 0xf045, 0xf85, 0x347, 0xc3}}),
    [](const auto& test) { return test.param.microarchitecture; });

}  // namespace
}  // namespace assay
