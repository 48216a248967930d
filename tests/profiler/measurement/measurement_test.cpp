#include "profiler/measurement/measurement.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(MeasurementTest, ANotionIsFoundByItsName) {
  EXPECT_EQ(name(Notion::kUnrolled), "unrolled");
  EXPECT_EQ(notion_named("unrolled"), Notion::kUnrolled);
  EXPECT_EQ(notion_named("rolled"), std::nullopt);
}

}  // namespace
}  // namespace assay
