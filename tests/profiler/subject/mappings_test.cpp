#include "profiler/subject/mappings.h"

#include <gtest/gtest.h>

#include <array>

namespace assay::subject {
namespace {

constexpr std::string_view kText =
    "01234000-01236000 rw-s 00003000 00:01 17                   /memfd:assay-frame (deleted)\n"
    "02000000-02001000 rw-s 00000000 00:01 17                   /memfd:assay-frame (deleted)\n"
    "5ec700000000-5ec700001000 r-xp 00000000 00:01 19           /memfd:assay-subject (deleted)\n"
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0    [vsyscall]\n";

const std::array<std::string, 2> kOwn = {
    "5ec700000000-5ec700001000 r-xp 00000000 00:01 19           /memfd:assay-subject (deleted)",
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0    [vsyscall]"};
constexpr std::array<PageChange, 3> kPages = {
    {{0x0200'0000, 0}, {0x0123'4000, 0x3000}, {0x0123'5000, 0x4000}}};

std::string replaced(std::string_view what, std::string_view with) {
  std::string text(kText);
  text.replace(text.find(what), what.size(), with);
  return text;
}

TEST(UnexpectedMapping, NoneIfAllIsAsItWasMade) {
  EXPECT_EQ(unexpected_mapping(kText, kOwn, kPages), std::nullopt);
}

TEST(UnexpectedMapping, FindsWhatIsThereBesides) {
  const std::string more = "03000000-03001000 rw-s 00005000 00:01 17  /memfd:assay-frame (deleted)";
  const auto found = unexpected_mapping(more + "\n" + std::string(kText), kOwn, kPages);
  ASSERT_TRUE(found);
  EXPECT_NE(found->find(more), std::string::npos) << *found;
}

TEST(UnexpectedMapping, FindsWhatLiesElsewhere) {
  EXPECT_TRUE(unexpected_mapping(replaced("rw-s 00000000", "rw-s 00001000"), kOwn, kPages));
  EXPECT_TRUE(unexpected_mapping(replaced("02000000-02001000", "02001000-02002000"), kOwn, kPages));
  EXPECT_TRUE(unexpected_mapping(replaced("01234000-01236000", "01234000-01237000"), kOwn, kPages));
  EXPECT_TRUE(unexpected_mapping(replaced("01234000-01236000", "01234000-01235000"), kOwn, kPages));
}

TEST(UnexpectedMapping, FindsOtherRightsAndOtherFiles) {
  EXPECT_TRUE(unexpected_mapping(replaced("rw-s", "rwxs"), kOwn, kPages));
  EXPECT_TRUE(unexpected_mapping(replaced("rw-s", "r--s"), kOwn, kPages));
  EXPECT_TRUE(unexpected_mapping(replaced("assay-frame", "assay-arena"), kOwn, kPages));
  EXPECT_TRUE(unexpected_mapping(replaced("r-xp", "rwxp"), kOwn, kPages));
}

TEST(UnexpectedMapping, FindsWhatIsGone) {
  const std::string_view text = kText;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    std::string without(text.substr(0, at));
    without += text.substr(text.find('\n', at) + 1);
    EXPECT_TRUE(unexpected_mapping(without, kOwn, kPages)) << without;
  }
}

}  // namespace
}  // namespace assay::subject
