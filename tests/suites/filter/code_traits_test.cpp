#include "suites/filter/code_traits.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(CodeTraits, AreReadAsTheyArePrinted) {
  const auto traits = code_traits_from("may_alias,input_dependent");
  ASSERT_TRUE(traits);
  EXPECT_EQ(to_string(*traits), "input_dependent, may_alias");
  EXPECT_TRUE(has(*traits, CodeTrait::kMayAlias));
  EXPECT_FALSE(has(*traits, CodeTrait::kRefused));
  EXPECT_EQ(to_string({}), "");
}

TEST(CodeTraits, AreAllMeantByUica) {
  EXPECT_TRUE(code_traits_from("uica")->all());
  EXPECT_TRUE(code_traits_from("refused,uica")->all());
}

TEST(CodeTraits, AreKnownByTheirNamesAlone) {
  for (const char* const list :
       {"", ",", "may_alias,", "may_alias, refused", "x87_stack", "Uica"}) {
    EXPECT_FALSE(code_traits_from(list)) << list;
  }
}

}  // namespace
}  // namespace assay
