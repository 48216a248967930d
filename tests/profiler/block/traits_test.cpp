#include "profiler/block/traits.h"

#include <gtest/gtest.h>

#include "profiler/block/verdict.h"

namespace assay {
namespace {

TEST(Traits, HoldWhatWasAdded) {
  Traits traits;
  EXPECT_TRUE(traits.empty());
  traits.add(Trait::kSplitPage);
  EXPECT_TRUE(traits.has(Trait::kSplitPage));
  EXPECT_FALSE(traits.has(Trait::kSplitLine));
  traits.remove(Trait::kSplitPage);
  EXPECT_TRUE(traits.empty());
}

TEST(Traits, UnionAndIntersection) {
  const Traits a = {Trait::kSplitLine, Trait::kSubnormal};
  const Traits b = {Trait::kSubnormal, Trait::kX87Stack};
  EXPECT_EQ(a & b, Traits{Trait::kSubnormal});
  EXPECT_EQ(a | b, (Traits{Trait::kSplitLine, Trait::kSubnormal, Trait::kX87Stack}));
}

TEST(Traits, TextHasTheListsOrder) {
  EXPECT_EQ(to_string({}), "");
  EXPECT_EQ(to_string({Trait::kInputDependent, Trait::kSplitLine}), "split_line,input_dependent");
}

TEST(Traits, TextComesBack) {
  for (int i = 0; i < kTraits; ++i) {
    const Traits one = {static_cast<Trait>(i)};
    EXPECT_EQ(named<Traits>(to_string(one)), one);
  }
  EXPECT_EQ(named<Traits>(""), Traits{});
  EXPECT_EQ(named<Traits>("subnormal,split_page"), (Traits{Trait::kSplitPage, Trait::kSubnormal}));
}

TEST(Traits, UnknownNamesAndLooseCommasAreNone) {
  EXPECT_FALSE(named<Traits>("split"));
  EXPECT_FALSE(named<Traits>("split_line,"));
  EXPECT_FALSE(named<Traits>(",split_line"));
  EXPECT_FALSE(named<Traits>("split_line, subnormal"));
}

TEST(Traits, EachHasAReasonToRejectOfTheSameName) {
  for (int i = 0; i < kTraits; ++i) {
    const auto reason = named<Reason>(name(static_cast<Trait>(i)));
    ASSERT_TRUE(reason) << name(static_cast<Trait>(i));
    EXPECT_EQ(info(*reason).verdict, Verdict::kRejected);
  }
}

}  // namespace
}  // namespace assay
