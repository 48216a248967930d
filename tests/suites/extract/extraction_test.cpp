#include "suites/extract/walk/extraction.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "profiler/block/bytes.h"
#include "suites/extract/program/program_file.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// The blocks as "FUNCTION:HEX COUNT", without the bytes that depend on where the linker puts
/// things.
std::vector<std::string> blocks_of(const BlockSet& set) {
  std::vector<std::string> found;
  for (const CorpusEntry& entry : set.entries()) {
    found.push_back(entry.origin.substr(entry.origin.find(':') + 1) + ":" +
                    hex_from_bytes(entry.bytes) + " " +
                    std::to_string(static_cast<int>(*entry.frequency)));
  }
  return found;
}

/// Expects the blocks of the test program, which are the same in every kind of file that holds it.
void expect_the_program(const BlockSet& set) {
  using testing::MatchesRegex;
  EXPECT_THAT(blocks_of(set),
              ElementsAre(MatchesRegex("_start:31ed488d3d[0-9a-f]{8} 1"),
                          MatchesRegex("_start:89c2b801000000488d35[0-9a-f]{8}bf01000000 1"),
                          "_start:31ff 1", "length:31c0 1", "length:803c0700 1", "length:48ffc0 1",
                          "leave:b83c000000 1", "chosen:89f8 1"));
}

TEST(Extraction, FindsExactlyTheCodeOfAProgram) {
  for (const char* path : {ASSAY_EXTRACT_PROGRAM, ASSAY_EXTRACT_RELOCATED}) {
    BlockSet set;
    const ExtractionCounts counts = extract_blocks(load_image(path), {}, set);
    expect_the_program(set);
    EXPECT_EQ(counts.blocks, 8) << path;
    EXPECT_EQ(counts.functions, 4) << path;
    EXPECT_EQ(counts.walk.invalid_code, 0) << path;
    EXPECT_EQ(counts.walk.past_end, 0) << path;
    EXPECT_EQ(counts.skipped.branch_alone, 2) << path;
    EXPECT_GT(counts.code_bytes, counts.reached_bytes) << path;
  }
}

TEST(Extraction, FindsTheSameInObjectFilesAndCountsPlaces) {
  ProgramFile archive(ASSAY_EXTRACT_ARCHIVE);
  BlockSet set;
  extract_blocks(*archive.next(), {}, set);
  expect_the_program(set);
  EXPECT_EQ(set.entries()[3].origin, "libextract_archive.a(flow.S.o):length");
  extract_blocks(load_image(ASSAY_EXTRACT_PROGRAM), {}, set);
  EXPECT_EQ(set.entries()[3].frequency, 2.0);
  EXPECT_EQ(set.entries()[3].origin, "libextract_archive.a(flow.S.o):length");
}

TEST(Extraction, PassesOverWhatOnlyALinkerKnows) {
  BlockSet set;
  const auto counts = extract_blocks(load_image(ASSAY_EXTRACT_UNLINKED), {}, set);
  EXPECT_EQ(counts.skipped.unknown_field, 1);
  EXPECT_EQ(counts.walk.invalid_code, 0) << "abort() does not return";
  EXPECT_THAT(blocks_of(set), ElementsAre(HasSubstr("refers:488d3d"), "unknown:85ff 1"));
}

TEST(Extraction, FollowsWhatACompilerMakesOfSwitchesAndExceptions) {
  const Image image = load_image(ASSAY_EXTRACT_THROWS);
  ASSERT_THAT(image.landing_pads, Not(SizeIs(0)));
  const CodeSpace space(image);
  CodeWalk walk(image, space);
  EXPECT_TRUE(walk.run([](std::size_t) { return true; }));
  for (const LandingPad& pad : image.landing_pads) {
    EXPECT_NE(walk.marks()[*space.offset_of(pad.address)] & kStart, 0);
  }
  EXPECT_EQ(walk.counts().unresolved_jumps, 0);
  EXPECT_EQ(walk.counts().invalid_code, 0);
}

TEST(Extraction, GivesLoopsAloneWithTheirBranchAndPlace) {
  BlockSet set;
  const Image image = load_image(ASSAY_EXTRACT_LOOPS);
  const auto counts = extract_blocks(image, {{.loops = true}}, set);
  EXPECT_THAT(blocks_of(set), ElementsAre("sum:48030748ffce75f8 2", "spin:f390ebfc 1"));
  const std::uint64_t sum = image.functions[1].address;
  EXPECT_EQ(set.entries()[0].name, fmt::format("{:#x} sum+0x2 loops.S:11", sum + 2));
  EXPECT_EQ(set.entries()[0].origin, "extract_loops:sum");
  EXPECT_EQ(counts.loops, 3);
  EXPECT_EQ(counts.blocks, 7) << "all places with a block, loops or not";
  BlockSet all;
  EXPECT_EQ(extract_blocks(image, {}, all).loops, 3);
  EXPECT_EQ(all.entries()[0].name, "");
}

TEST(Extraction, GivesNoBlocksOnceToldToEnd) {
  BlockSet set;
  extract_blocks(load_image(ASSAY_EXTRACT_PROGRAM), {{}, [](std::size_t) { return false; }}, set);
  EXPECT_EQ(set.size(), 0U);
}

}  // namespace
}  // namespace assay
