#include "suites/extract/program/source_lines.h"

#include <gmock/gmock.h>

#include "suites/extract/program/program_file.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

constexpr const char* kProgram = ASSAY_EXTRACT_LOOPS;
const std::string kStripped = std::string(kProgram) + "_stripped";

/// Address of a place in function "sum" of programs/loops.S.
std::uint64_t in_sum(const Image& image, std::uint64_t offset) {
  for (const FunctionSymbol& function : image.functions) {
    if (function.name == "sum") return function.address + offset;
  }
  ADD_FAILURE() << "the program has no function sum";
  return 0;
}

TEST(SourceLines, AreFoundInTheProgramItself) {
  const Image image = load_image(kProgram);
  SourceLines lines(image);
  EXPECT_EQ(lines.at(in_sum(image, 0)), "loops.S:10");
  EXPECT_EQ(lines.at(in_sum(image, 2)), "loops.S:11");
  EXPECT_EQ(lines.at(in_sum(image, 4)), "loops.S:11") << "inside an instruction";
  EXPECT_EQ(lines.at(in_sum(image, 5)), "loops.S:12");
  EXPECT_EQ(lines.at(0), "");
  EXPECT_EQ(lines.at(~std::uint64_t{0}), "");
}

TEST(SourceLines, AreFoundWhereTheyAreCompressed) {
  const Image image = load_image(std::string(kProgram) + "_compressed");
  EXPECT_EQ(SourceLines(image).at(in_sum(image, 2)), "loops.S:11");
}

TEST(SourceLines, AreFoundByTheBuildId) {
  const TemporaryFolder folder;
  const Image image = load_image(kStripped);
  EXPECT_EQ(SourceLines(image, folder / "none").at(in_sum(image, 2)), "");
  std::filesystem::create_directories(folder / ".build-id/0a");
  std::filesystem::copy_file(kProgram, folder / ".build-id/0a/1b2c3d.debug");
  EXPECT_EQ(SourceLines(image, folder / "").at(in_sum(image, 2)), "loops.S:11");
}

TEST(SourceLines, AreNotThereForObjectFilesAndWithoutDebuggingInformation) {
  for (const char* const path : {ASSAY_EXTRACT_UNLINKED, ASSAY_EXTRACT_PROGRAM}) {
    const Image image = load_image(path);
    ASSERT_FALSE(image.functions.empty());
    EXPECT_EQ(SourceLines(image).at(image.functions[0].address), "") << path;
  }
}

}  // namespace
}  // namespace assay
