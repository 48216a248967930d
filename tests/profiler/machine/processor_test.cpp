#include "profiler/machine/processor.h"

#include <gtest/gtest.h>

#include "profiler/support/error.h"

namespace assay {
namespace {

TEST(Processor, PinningIsUndoneByWhoeverKeptWhatWasAllowed) {
  const std::vector<int> before = allowed_processors();
  {
    const KeptProcessors kept;
    pin_to_processor(before.back());
    EXPECT_EQ(allowed_processors(), std::vector<int>{before.back()});
  }
  EXPECT_EQ(allowed_processors(), before);
}

TEST(Processor, WhatIsNotAllowedIsRefused) { EXPECT_THROW(pin_to_processor(99999), InputError); }

}  // namespace
}  // namespace assay
