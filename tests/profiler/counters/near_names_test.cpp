#include "profiler/counters/near_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearNames, EditsAreCounted) {
  EXPECT_EQ(edits_between("", "abc"), 3U);
  EXPECT_EQ(edits_between("kitten", "sitting"), 3U);
  EXPECT_EQ(edits_between("abc", "abc"), 0U);
  EXPECT_EQ(edits_between("ab", "ba"), 2U);
}

TEST(NearNames, NearestFirstWhateverTheCapitals) {
  const std::vector<std::string> names = {"INST_RETIRED", "INSTR_RETIRED", "UOPS_ISSUED"};
  EXPECT_THAT(near_names("insst_retired", names, 5), ElementsAre("INST_RETIRED", "INSTR_RETIRED"));
  EXPECT_THAT(near_names("insst_retired", names, 1), ElementsAre("INST_RETIRED"));
  EXPECT_THAT(near_names("nothing_like_it", names, 5), IsEmpty());
}

TEST(NearNames, ThoseThatItIsAPartOf) {
  EXPECT_THAT(near_names("issued", {"UOPS_ISSUED", "INST_RETIRED", "UOPS_ISSUED"}, 5),
              ElementsAre("UOPS_ISSUED"));
  EXPECT_THAT(near_names("is", {"UOPS_ISSUED"}, 5), IsEmpty());
}

}  // namespace
}  // namespace assay
