#include "suites/readers/foreign_file.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace assay {
namespace {

TEST(ForeignFile, KnowsFilesByTheirMagic) {
  using namespace std::string_view_literals;
  const std::pair<std::string_view, std::string_view> kinds[] = {
      {"\xfd\x37zXZ\0\0"sv, "xz-compressed"},
      {"BZh91AY"sv, "bzip2-compressed"},
      {"PK\x03\x04\x14"sv, "a zip archive"},
      {"\177ELF\2\1\1"sv, "an ELF binary"},
      {"\xff\xfe"sv, "UTF-16 text"},
      {"\xfe\xff"sv, "UTF-16 text"},
      {"SQLite format 3\0\x10"sv, "an SQLite database"}};
  for (const auto& [start, what] : kinds) {
    const auto found = foreign_file(start);
    ASSERT_TRUE(found.has_value()) << what;
    EXPECT_EQ(found->what, what);
    EXPECT_FALSE(found->way_out.empty());
  }
}

TEST(ForeignFile, LetsEverythingElsePass) {
  for (const char* const start :
       {"", "\x1f\x8b\x08", "\x28\xb5\x2f\xfd", "4801d8", "# a corpus", "\xef\xbb\xbf"}) {
    EXPECT_FALSE(foreign_file(start).has_value()) << start;
  }
}

}  // namespace
}  // namespace assay
