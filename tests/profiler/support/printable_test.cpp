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
            "\\xc2\\x9b31m");                             // CSI as one character
  EXPECT_EQ(printable("a\u202eb"), "a\\xe2\\x80\\xaeb");  // right to left from here on
  EXPECT_EQ(printable("a\u2066b\u200fc\u061cd"), "a\\xe2\\x81\\xa6b\\xe2\\x80\\x8fc\\xd8\\x9cd");
  EXPECT_EQ(printable("\u2014 \u2026"), "\u2014 \u2026");  // a dash and an ellipsis
}

TEST(Printable, ANameStaysInItsLine) {
  EXPECT_EQ(printable_name("bhive\n  all: complete\t\u2028"),
            "bhive\\x0a  all: complete\\x09\\xe2\\x80\\xa8");
  EXPECT_EQ(printable_name("Ä €"), "Ä €");
}

}  // namespace
}  // namespace assay
