// Reading of frame entries and exception tables, number by number.
#include <gmock/gmock.h>

#include <limits>

#include "suites/extract/program/byte_reader.h"
#include "suites/extract/program/encoded_pointer.h"
#include "suites/extract/program/frames.h"
#include "suites/extract/program/landing_pads.h"
#include "tests/suites/extract/made_image.h"

namespace assay {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(ByteReader, FailsAtTheEndAndStaysSo) {
  const Bytes bytes = bytes_from_hex("0102030405");
  ByteReader reader(bytes);
  EXPECT_EQ(reader.read<std::uint16_t>(), 0x0201);
  EXPECT_EQ(reader.read<std::uint32_t>(), 0U);
  EXPECT_TRUE(reader.failed());
  EXPECT_EQ(reader.read<std::uint8_t>(), 0);
  ByteReader skipping(bytes);
  skipping.skip(std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(skipping.failed());
}

TEST(ByteReader, ReadsNumbersOfVariableLength) {
  const struct {
    const char* hex;
    std::uint64_t plain;
    std::int64_t sign_extended;
  } cases[] = {{"00", 0, 0},
               {"7f", 127, -1},
               {"8001", 128, 128},
               {"ff7e", 16255, -129},
               {"e58e26", 624485, 624485},
               {"ffffffffffffffffff01", ~std::uint64_t{0}, -1}};
  for (const auto& test : cases) {
    const Bytes bytes = bytes_from_hex(test.hex);
    EXPECT_EQ(ByteReader(bytes).read_uleb(), test.plain) << test.hex;
    EXPECT_EQ(ByteReader(bytes).read_sleb(), test.sign_extended) << test.hex;
  }
  for (const char* hex : {"", "80", "ffffffffffffffffffffff01"}) {
    const Bytes bytes = bytes_from_hex(hex);
    ByteReader reader(bytes);
    reader.read_uleb();
    EXPECT_TRUE(reader.failed()) << hex;
  }
}

TEST(EncodedPointer, IsReadByItsEncoding) {
  const struct {
    std::uint8_t encoding;
    const char* hex;
    std::optional<std::uint64_t> pointer;
    bool failed;
  } cases[] = {
      {0x00, "8877665544332211", 0x1122334455667788, false},
      {0x03, "88776655", 0x55667788, false},
      {0x1b, "f0ffffff", 0x4ff0, false},  // relative to its own address, 0x5000
      {0x1a, "1000", 0x5010, false},
      {0x01, "8001", 128, false},
      {0x1b, "00000000", std::nullopt, false},
      {0xff, "", std::nullopt, false},
      {0x1b, "f0ff", std::nullopt, true},
      {0x9b, "f0ffffff", std::nullopt, true},  // indirect, through a pointer
      {0x3b, "f0ffffff", std::nullopt, true},  // relative to the data section
      {0x07, "f0ffffff", std::nullopt, true},  // not a valid encoding
  };
  for (const auto& test : cases) {
    const Bytes bytes = bytes_from_hex(test.hex);
    ByteReader reader(bytes);
    EXPECT_EQ(read_encoded_pointer(reader, test.encoding, 0x5000), test.pointer) << test.hex;
    EXPECT_EQ(reader.failed(), test.failed) << test.hex;
  }
}

std::vector<std::uint64_t> pads(const char* table, std::uint64_t function = 0x1000) {
  const MadeImage made("90909090909090909090", table);
  Image image = made.image();
  LandingPadReader(image).add({function, function + 10}, MadeImage::kData);
  std::vector<std::uint64_t> found;
  for (const LandingPad& pad : image.landing_pads) {
    EXPECT_EQ(pad.function, function);
    found.push_back(pad.address);
  }
  return found;
}

TEST(LandingPads, AreThoseOfTheCallSites) {
  using testing::ElementsAre;
  // A table without a base and without types; call sites in uleb128, as (start, length, landing
  // pad): (0, 2, 5), (2, 1, none), (3, 1, 7).
  EXPECT_THAT(pads("ff ff 01 0c 00020501 02010000 03010700"), ElementsAre(0x1005, 0x1007));
  // A table with a base of its own (udata4) and a type table.
  EXPECT_THAT(pads("03 00100000 9b 10 01 04 00020301"), ElementsAre(0x1003));
  EXPECT_THAT(pads("ff ff 01 08 00027f01 00020401"), ElementsAre(0x1004)) << "outside of the code";
  for (const char* damaged : {"ff", "ff ff 01 ffffffff0f 0002", "ff ff 07 04 00020501"}) {
    EXPECT_THAT(pads(damaged), IsEmpty()) << damaged;
  }
}

/// An .eh_frame section with a common entry of augmentation "zR" (sdata4, relative) and one frame
/// entry.
std::string frame_table(const char* start, const char* size, const char* augmentation = "7a5200") {
  return std::string("14000000 00000000 01 ") + augmentation +
         " 01 78 10 01 1b 0c07089001 0000 "
         "10000000 1c000000 " +
         start + size + " 00000000";
}

std::vector<FrameRange> frames(const std::string& table) {
  const MadeImage made("90909090909090909090", table);
  Image image = made.image();
  add_frames({image.data[0].bytes, MadeImage::kData, true}, image);
  return image.frames;
}

TEST(Frames, AreReadRelativeToTheirPlace) {
  // The function's start is encoded at 0x2020, relative to that address: 0x1002.
  const auto found = frames(frame_table("e2efffff", "05000000"));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].start, 0x1002U);
  EXPECT_EQ(found[0].end, 0x1007U);
}

TEST(Frames, ThatMakeNoSenseArePassedOver) {
  EXPECT_THAT(frames(frame_table("e2efffff", "09000000")), IsEmpty()) << "past the code's end";
  EXPECT_THAT(frames(frame_table("e2efffff", "ffffffff")), IsEmpty());
  EXPECT_THAT(frames(frame_table("e2efffff", "00000000")), IsEmpty());
  EXPECT_THAT(frames(frame_table("00100000", "05000000")), IsEmpty()) << "outside of the code";
  EXPECT_THAT(frames(frame_table("e2efffff", "05000000", "7a5800")), IsEmpty()) << "unknown";
  EXPECT_THAT(frames("ffffffff"), IsEmpty());
  EXPECT_THAT(frames("10000000"), IsEmpty());
}

}  // namespace
}  // namespace assay
