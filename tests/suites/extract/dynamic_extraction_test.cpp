#include "suites/extract/dynamic/dynamic_extraction.h"

#include <gmock/gmock.h>

#include "profiler/support/error.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using testing::HasSubstr;

class DynamicExtraction : public testing::Test {
 protected:
  void ran(const std::string& path, std::uint64_t count) {
    code_[path].instructions.add(0x1000, count);
  }
  /// For each object, in order, why nothing was taken from it.
  std::vector<std::string> passed_over(const ObjectChoice& choice) {
    BlockSet blocks;
    std::vector<std::string> reasons;
    for (const ObjectFigures& object : extract_executed(code_, choice, blocks)) {
      reasons.push_back(object.passed_over);
    }
    EXPECT_EQ(blocks.size(), 0);
    return reasons;
  }

  TemporaryFolder folder_;
  ExecutedCode code_;
};

TEST_F(DynamicExtraction, SaysOfWhichObjectsNothingIsTakenAndWhy) {
  ran("/lib/liba.so.1", 1);
  ran("/lib/libb.so.1", 2);
  ran("/libexec/vgpreload_core-amd64-linux.so", 3);
  ran(folder_.write("text", "no program"), 4);
  ran("???", 5);
  code_["/lib/libc.so.6"].targets.add(0x1000, 1);  // it was called, but did not run yet
  EXPECT_THAT(passed_over({}),
              testing::ElementsAre(HasSubstr("liba.so.1"), HasSubstr("libb.so.1"), "valgrind's own",
                                   HasSubstr("is neither an ELF file"),
                                   HasSubstr("code made at run time")));
  EXPECT_THAT(passed_over(ObjectChoice{.patterns = {"liba*", "text"}}),
              testing::ElementsAre(HasSubstr("liba.so.1"), "not asked for", "valgrind's own",
                                   HasSubstr("is neither an ELF file"),
                                   HasSubstr("code made at run time")));
  EXPECT_THAT(passed_over(ObjectChoice{.only = "/lib/libb.so.1"})[0], "not asked for");
  EXPECT_THAT(passed_over(ObjectChoice{.only = "/lib/libb.so.1"})[1], HasSubstr("libb.so.1"));
}

TEST_F(DynamicExtraction, RefusesToLookForWhatDidNotRun) {
  ran("/lib/liba.so.1", 1);
  for (const ObjectChoice& choice :
       {ObjectChoice{.patterns = {"liba*", "libb*"}}, ObjectChoice{.only = "libb*"}}) {
    try {
      passed_over(choice);
      FAIL();
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "nothing ran in an object 'libb*'; there were: liba.so.1");
    }
  }
}

}  // namespace
}  // namespace assay
