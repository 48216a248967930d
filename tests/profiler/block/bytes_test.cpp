#include "profiler/block/bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/support/error.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Bytes, ReadsBothCases) {
  EXPECT_EQ(bytes_from_hex("4801D8"), (Bytes{0x48, 0x01, 0xd8}));
  EXPECT_EQ(bytes_from_hex("4801d8"), (Bytes{0x48, 0x01, 0xd8}));
  EXPECT_EQ(bytes_from_hex(""), Bytes{});
}

TEST(Bytes, WritesLowerCase) {
  EXPECT_EQ(hex_from_bytes({0x00, 0xAB, 0x0f, 0xf0}), "00ab0ff0");
  EXPECT_EQ(hex_from_bytes({}), "");
}

TEST(Bytes, EveryByteSurvivesTheRoundTrip) {
  Bytes all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<std::uint8_t>(i));
  EXPECT_EQ(bytes_from_hex(hex_from_bytes(all)), all);
}

TEST(Bytes, NamesTheWrongCharacterAndItsPosition) {
  EXPECT_THAT([] { bytes_from_hex("48g1"); },
              ThrowsMessage<InputError>(HasSubstr("'g' at position 3")));
  EXPECT_THAT([] { bytes_from_hex("48 1"); },
              ThrowsMessage<InputError>(HasSubstr("' ' at position 3")));
  EXPECT_THAT([] { bytes_from_hex("4\n"); },
              ThrowsMessage<InputError>(HasSubstr("the byte 0x0a at position 2")));
  EXPECT_THAT([] { bytes_from_hex("48x"); },
              ThrowsMessage<InputError>(HasSubstr("'x' at position 3")));
}

TEST(Bytes, RefusesHalfAByte) {
  EXPECT_THAT([] { bytes_from_hex("480"); },
              ThrowsMessage<InputError>(HasSubstr("3 hexadecimal digits")));
}

}  // namespace
}  // namespace assay
