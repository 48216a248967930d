#include "suites/filter/code_traits.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(CodeTraits, AreReadAsTheyArePrinted) {
  const auto traits = named<CodeTraits>("may_alias,input_dependent");
  ASSERT_TRUE(traits);
  EXPECT_EQ(to_string(*traits), "input_dependent, may_alias");
  EXPECT_TRUE(has(*traits, CodeTrait::kMayAlias));
  EXPECT_FALSE(has(*traits, CodeTrait::kRefused));
  EXPECT_EQ(to_string(CodeTraits{}), "");
}

TEST(CodeTraits, AreAllMeantByUica) {
  EXPECT_TRUE(named<CodeTraits>("uica")->all());
  EXPECT_TRUE(named<CodeTraits>("refused,uica")->all());
}

TEST(CodeTraits, AreKnownByTheirNamesAlone) {
  for (const char* const list :
       {"", ",", "may_alias,", "may_alias, refused", "x87_stack", "Uica"}) {
    EXPECT_FALSE(named<CodeTraits>(list)) << list;
  }
}

}  // namespace
}  // namespace assay
