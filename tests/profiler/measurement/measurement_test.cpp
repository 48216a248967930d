#include "profiler/measurement/measurement.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(MeasurementTest, ANotionIsFoundByItsName) {
  EXPECT_EQ(name(Notion::kUnrolled), "unrolled");
  EXPECT_EQ(named<Notion>("unrolled"), Notion::kUnrolled);
  EXPECT_EQ(named<Notion>("rolled"), std::nullopt);
}

}  // namespace
}  // namespace assay
