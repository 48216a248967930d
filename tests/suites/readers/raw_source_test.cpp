#include "suites/readers/raw_source.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "profiler/block/block.h"
#include "tests/suites/readers/compressed.h"
#include "tests/suites/readers/items.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> read_raw(std::string_view content) {
  return items_of(content, CorpusFormat::kRaw);
}

TEST(RawSource, GivesTheWholeFileAsOneBlock) {
  EXPECT_THAT(read_raw(std::string_view("\x0a\x00\x23", 3)), ElementsAre("1:0a0023"));
  EXPECT_THAT(read_raw(""), IsEmpty());
  EXPECT_THAT(read_raw(gzip_of("\x90")), ElementsAre("1:90"));
}

TEST(RawSource, RefusesWhatIsTooLongForABlock) {
  EXPECT_EQ(read_raw(std::string(kLargestBlock, '\x90')).at(0).size(), 2 * kLargestBlock + 2);
  EXPECT_THAT(read_raw(std::string(kLargestBlock + 1, '\x90')),
              ElementsAre(HasSubstr("too long for the machine code of one block")));
}

TEST(RawSource, WaitsForTheEndOfAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  RawSource source(InputFile(ends[0], "a pipe"));
  EXPECT_EQ(source.prepare(), Readiness::kWaits);
  ASSERT_EQ(write(ends[1], "\x90", 1), 1);
  EXPECT_EQ(source.prepare(), Readiness::kGoesOn);
  EXPECT_EQ(source.prepare(), Readiness::kWaits);
  EXPECT_FALSE(source.at_end());
  close(ends[1]);
  EXPECT_EQ(source.prepare(), Readiness::kReady);
  EXPECT_FALSE(source.at_end());
  EXPECT_EQ(shown(source.next().value()), "1:90");
  EXPECT_TRUE(source.at_end());
}

}  // namespace
}  // namespace assay
