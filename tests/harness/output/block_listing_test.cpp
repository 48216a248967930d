#include "harness/output/block_listing.h"

#include <gmock/gmock.h>

#include <sstream>

#include "tests/suites/filter/some_support.h"

namespace assay {
namespace {

using testing::HasSubstr;

std::string listed(CorpusEntry entry) {
  entry.line = 7;
  return listing(entry, facts_of(entry.bytes, some_support(true)), "some.csv");
}

TEST(BlockListing, HasPlaceFactsBytesAndInstructions) {
  CorpusEntry entry;
  entry.bytes = bytes_from_hex("4801d8488b03488901");
  entry.frequency = 0.25;
  EXPECT_EQ(listed(entry),
            "some.csv:7  3 instructions  9 bytes  weight 0.25  loads and stores  may_alias\n"
            "    4801d8488b03488901\n"
            "    add rax, rbx\n"
            "    mov rax, qword ptr [rbx]\n"
            "    mov qword ptr [rcx], rax\n"
            "\n");
}

TEST(BlockListing, SaysWhyABlockIsRefused) {
  CorpusEntry entry;
  entry.bytes = bytes_from_hex("0f05");
  EXPECT_EQ(listed(entry), "some.csv:7  2 bytes  refused: system_call\n    0f05\n    syscall\n\n");
}

TEST(BlockListing, NamesBlocksWithoutTrustingTheirNames) {
  CorpusEntry entry;
  entry.bytes = {0x90};
  entry.name = "\x1b[2Jdeflate\n";
  entry.origin = "gzip";
  entry.state = "bhive rdx=0x0";
  const std::string text = listed(entry);
  EXPECT_THAT(text, HasSubstr("name \"\\x1b[2Jdeflate\\x0a\""));
  EXPECT_THAT(text, HasSubstr("from \"gzip\""));
  EXPECT_THAT(text, HasSubstr("state bhive rdx=0x0"));
}

TEST(BlockListing, KeepsToItsWidth) {
  CorpusEntry entry;
  entry.bytes = bytes_from_hex("488b03488901");
  for (int i = 0; i < 100; ++i) entry.bytes.push_back(0x90);
  entry.frequency = 1.0 / 3;
  entry.name = std::string(100, 'n');
  entry.origin = std::string(100, 'o');
  std::istringstream lines(listed(entry));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kListingWidth) << line;
}

}  // namespace
}  // namespace assay
