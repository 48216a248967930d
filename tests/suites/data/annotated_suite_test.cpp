#include "tests/suites/data/annotated_suite.h"

#include <gmock/gmock.h>

#include <sstream>

#include "profiler/support/error.h"
#include "tests/error_of.h"

namespace assay {
namespace {

using testing::HasSubstr;

std::vector<AnnotatedBlock> parse(const std::string& text) {
  std::istringstream stream(text);
  return read_annotated_suite(stream);
}

std::string parsing_error(const std::string& text) {
  return error_of<InputError>([&] { parse(text); });
}

TEST(AnnotatedSuite, TakesTheCommentsDirectlyAboveABlock) {
  const auto blocks = parse(
      "# heading\n\n# A system call\n# by its entry.\n# text:  syscall \n"
      "# expect: rejected system_call\n0f05\n90\n");
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].about, " A system call by its entry.");
  EXPECT_EQ(blocks[0].text, "syscall");
  EXPECT_EQ(blocks[0].expected, Reason::kSystemCall);
  EXPECT_EQ(blocks[0].line, 7);
  EXPECT_EQ(blocks[0].bytes, (Bytes{0x0f, 0x05}));
  EXPECT_EQ(blocks[1].about, "");
  EXPECT_EQ(blocks[1].text, "");
  EXPECT_EQ(blocks[1].expected, Reason::kNone);
}

TEST(AnnotatedSuite, RefusesExpectationsThatNothingCanMeet) {
  for (const std::string words : {"rejected", "system_call", "rejected nonsense",
                                  "failed system_call", "rejected system_call twice", ""}) {
    EXPECT_THAT(parsing_error("\n# expect: " + words + "\n90\n"), HasSubstr("line 2: no verdict"))
        << words;
  }
}

TEST(AnnotatedSuite, RefusesWhatIsNoBlock) {
  EXPECT_THAT(parsing_error("90\nzz\n"), HasSubstr("line 2: column 1"));
}

TEST(AnnotatedSuite, NormalisesBlanks) {
  EXPECT_EQ(with_single_blanks("  add\trax,   rbx "), "add rax, rbx");
  EXPECT_EQ(with_single_blanks(" "), "");
}

}  // namespace
}  // namespace assay
