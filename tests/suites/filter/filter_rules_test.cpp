#include "suites/filter/filter_rules.h"

#include <gtest/gtest.h>

#include "tests/suites/filter/some_support.h"

namespace assay {
namespace {

BlockFacts supported_facts(const char* hex) {
  return facts_of(bytes_from_hex(hex), some_support(true));
}

constexpr const char* kAdd = "4801d8";
constexpr const char* kLoad = "488b03";
constexpr const char* kAliasing = "488b03488901";
constexpr const char* kDivision = "48f7f3";
constexpr const char* kVector = "c5f458c2";
constexpr const char* kSystemCall = "0f05";

std::string reason(const FilterRules& rules, const char* hex) {
  return std::string(dropped_for(rules, supported_facts(hex)).value_or("stays"));
}

TEST(FilterRules, DropNothingByDefault) {
  const FilterRules rules;
  EXPECT_FALSE(rules.look_at_code());
  for (const char* const hex : {kAdd, kAliasing, kDivision, kSystemCall}) {
    EXPECT_EQ(reason(rules, hex), "stays");
  }
}

TEST(FilterRules, DropAndKeepByTraits) {
  FilterRules rules;
  rules.drop = *named<CodeTraits>("input_dependent,refused");
  EXPECT_TRUE(rules.look_at_code());
  EXPECT_EQ(reason(rules, kDivision), "input_dependent");
  EXPECT_EQ(reason(rules, kSystemCall), "refused");
  EXPECT_EQ(reason(rules, kAliasing), "stays");
  rules.keep = *named<CodeTraits>("may_alias");
  EXPECT_EQ(reason(rules, kAliasing), "stays");
  EXPECT_EQ(reason(rules, kAdd), "none_of_keep");
  EXPECT_EQ(reason(rules, kDivision), "input_dependent");
}

TEST(FilterRules, DropByLength) {
  FilterRules rules;
  rules.min_length = 2;
  EXPECT_EQ(reason(rules, kAdd), "too_short");
  EXPECT_EQ(reason(rules, kAliasing), "stays");
  rules = {};
  rules.max_length = 1;
  EXPECT_EQ(reason(rules, kAdd), "stays");
  EXPECT_EQ(reason(rules, kAliasing), "too_long");
}

TEST(FilterRules, DropByMemoryAndExtensions) {
  FilterRules rules;
  rules.memory = {MemoryUse::kLoads, MemoryUse::kBoth};
  EXPECT_EQ(reason(rules, kAdd), "memory");
  EXPECT_EQ(reason(rules, kLoad), "stays");
  EXPECT_EQ(reason(rules, kAliasing), "stays");
  rules = {};
  rules.extensions = {"avx", "fma"};
  EXPECT_EQ(reason(rules, kAdd), "extension");
  EXPECT_EQ(reason(rules, kVector), "stays");
  rules = {};
  rules.without_extensions = {"avx"};
  EXPECT_EQ(reason(rules, kAdd), "stays");
  EXPECT_EQ(reason(rules, kVector), "extension");
}

TEST(FilterRules, CannotKeepARefusedBlockForWhatIsNotKnownOfIt) {
  FilterRules rules;
  rules.min_length = 0;
  EXPECT_EQ(reason(rules, kSystemCall), "refused");
  rules = {};
  rules.drop = *named<CodeTraits>("may_alias");
  EXPECT_EQ(reason(rules, kSystemCall), "stays");
  rules.keep = *named<CodeTraits>("refused");
  EXPECT_EQ(reason(rules, kSystemCall), "stays");
}

}  // namespace
}  // namespace assay
