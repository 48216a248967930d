#include "profiler/support/clipped.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Clipped, PutsTextInQuotes) {
  EXPECT_EQ(clipped(""), "\"\"");
  EXPECT_EQ(clipped("4801d8,0.5"), "\"4801d8,0.5\"");
}

TEST(Clipped, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(clipped(std::string_view("a\0\n\x1b[2J\x7f", 8)), R"("a\x00\x0a\x1b[2J\x7f")");
  EXPECT_EQ(clipped("\xc3\xa4"), R"("\xc3\xa4")");
}

TEST(Clipped, EscapesItsOwnQuotesAndBackslashes) { EXPECT_EQ(clipped(R"(a"\)"), R"("a\"\\")"); }

TEST(Clipped, CutsOnlyTextThatIsTooLong) {
  const std::string longest(kClippedLength, 'x');
  EXPECT_EQ(clipped(longest), "\"" + longest + "\"");
  EXPECT_EQ(clipped(longest + "y"), "\"" + longest + "\"...");
}

}  // namespace
}  // namespace assay
