#include "profiler/support/printable.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  EXPECT_EQ(printable("two lines\n\tand a tab"), "two lines\n\tand a tab");
  EXPECT_EQ(printable("Ä € \xf0\x9f\x99\x82"), "Ä € \xf0\x9f\x99\x82");
  EXPECT_EQ(printable("\xc2\xb5s"), "\xc2\xb5s");  // the micro sign, which begins as C1 does
}

TEST(Printable, ShowsWhatWouldBeAnOrderToTheTerminal) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m\r"), "\\x1b[31mred\\x1b[0m\\x0d");
  EXPECT_EQ(printable(std::string("a\0b\x7f", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // CSI as one character
}

}  // namespace
}  // namespace assay
