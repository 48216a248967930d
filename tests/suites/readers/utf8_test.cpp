#include "suites/readers/utf8.h"

#include <gtest/gtest.h>

#include <utility>

namespace assay {
namespace {

using namespace std::string_view_literals;

TEST(Utf8, EndsBeforeWhatIsNone) {
  const std::pair<std::string_view, std::size_t> texts[] = {
      {""sv, 0},
      {"plain\0text"sv, 10},
      {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"sv, 11},
      {"\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"sv, 19},
      {"a\x80"sv, 1},              // a byte that continues nothing
      {"a\xc3"sv, 1},              // cut off
      {"a\xc3 "sv, 1},             // not continued
      {"a\xe2\x82"sv, 1},          // cut off after two of three bytes
      {"a\xe2\x82 "sv, 1},         // not continued after two of three bytes
      {"a\xf0\x9f\x98 "sv, 1},     // not continued after three of four bytes
      {"a\xc1\xbf"sv, 1},          // overlong, with two bytes
      {"a\xe0\x9f\xbf"sv, 1},      // overlong, with three bytes
      {"a\xf0\x8f\xbf\xbf"sv, 1},  // overlong, with four bytes
      {"a\xed\xa0\x80"sv, 1},      // half a surrogate pair
      {"a\xf4\x90\x80\x80"sv, 1},  // beyond the last character, U+10FFFF
      {"a\xf5\x80\x80\x80"sv, 1},  // a first byte that no character has
      {"a\xff"sv, 1},
  };
  for (const auto& [text, length] : texts) EXPECT_EQ(utf8_length(text), length) << text;
}

}  // namespace
}  // namespace assay
