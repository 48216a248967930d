#include "harness/output/core_groups_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace assay {
namespace {

using testing::StartsWith;

constexpr Slowdown kFree = {-0.001, 0.004, Sharing::kApart};
constexpr Slowdown kSlowedALittle = {0.001, 0.003, Sharing::kApart};
constexpr Slowdown kSlowed = {0.98, 0.01, Sharing::kShared};
constexpr Slowdown kSlowedMore = {1.5, 0.02, Sharing::kShared};

TEST(CoreGroupsOutput, TextHasTheWeakestEvidence) {
  EXPECT_EQ(to_text({{{0}, {1}}, {kSlowedALittle, kFree}, {}}),
            "none of 0, 1 (slowed by 0.1 +- 0.3 % at most)");
  EXPECT_EQ(to_text({{{0, 2}, {1, 3}}, {kSlowedMore, kSlowed}, {}}),
            "0+2, 1+3 (slowed by 98.0 +- 1.0 % at least)");
  EXPECT_THAT(to_text({{{0, 1}, {2}, {3}}, {kSlowed, kFree, kSlowedALittle}, {2, 3}}),
              StartsWith("0+1 (slowed by 98.0 +- 1.0 % at least); none of 2, 3 (slowed by 0.1 +- "
                         "0.3 % at most); could not tell for 2, 3 ("));
}

TEST(CoreGroupsOutput, JsonHasAllOfIt) {
  const auto json = to_json(CoreGroups{{{0, 2}, {1}}, {kSlowed, kFree}, {1}});
  EXPECT_EQ(json["groups"][0].dump(),
            R"({"processors":[0,2],"sharing":"shared","slowdown":0.98,"half_width":0.01})");
  EXPECT_EQ(json["groups"][1]["sharing"], "apart");
  EXPECT_EQ(json["unsure"].dump(), "[1]");
  EXPECT_EQ(json["one_of_each"].dump(), "[1,2]");
}

}  // namespace
}  // namespace assay
