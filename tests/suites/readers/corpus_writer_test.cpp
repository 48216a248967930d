#include "suites/readers/corpus_writer.h"

#include <gtest/gtest.h>

#include "profiler/support/error.h"

namespace assay {
namespace {

CorpusEntry nop() {
  CorpusEntry entry;
  entry.bytes = {0x90};
  return entry;
}

CorpusEntry add_of_sqlite() {
  CorpusEntry entry;
  entry.bytes = {0x48, 0x01, 0xd8};
  entry.frequency = 12;
  entry.name = "sum \"a\"";
  entry.origin = "sqlite3:main+0x10";
  entry.state = "distinct rdx=0x0";
  entry.line = 7;
  return entry;
}

TEST(CorpusWriter, WritesWhatIsKnownOfABlock) {
  EXPECT_EQ(corpus_line(CorpusFormat::kJsonLines, add_of_sqlite()),
            R"({"hex":"4801d8","name":"sum \"a\"","source":"sqlite3:main+0x10","weight":12,)"
            R"("state":"distinct rdx=0x0"})"
            "\n");
  EXPECT_EQ(corpus_line(CorpusFormat::kHex, add_of_sqlite()), "4801d8\n");
  EXPECT_EQ(corpus_line(CorpusFormat::kBhiveFrequency, add_of_sqlite()), "4801d8,12\n");
}

TEST(CorpusWriter, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(corpus_line(CorpusFormat::kJsonLines, nop()), "{\"hex\":\"90\"}\n");
  EXPECT_EQ(corpus_line(CorpusFormat::kBhiveFrequency, nop()), "90,1\n") << "seen once";
}

TEST(CorpusWriter, WritesNumbersThatReadBack) {
  CorpusEntry entry = nop();
  entry.frequency = 0.1 + 0.2;
  EXPECT_EQ(corpus_line(CorpusFormat::kBhiveFrequency, entry), "90,0.30000000000000004\n");
}

TEST(CorpusWriter, KeepsTextsThatAreNoUtf8FromSpoilingALine) {
  CorpusEntry entry = nop();
  entry.origin = "a\xff\n";
  EXPECT_EQ(corpus_line(CorpusFormat::kJsonLines, entry),
            "{\"hex\":\"90\",\"source\":\"a\\ufffd\\n\"}\n");
}

TEST(CorpusWriter, SaysWhatTheCorpusIs) {
  const CorpusAbout about{"0.1.0", "random\nblocks", {{"seed", "7"}}};
  EXPECT_EQ(corpus_header(CorpusFormat::kJsonLines, about),
            R"({"format":"assay-corpus","version":1,"program":"0.1.0",)"
            R"("description":"random\nblocks","seed":"7"})"
            "\n");
  EXPECT_EQ(corpus_header(CorpusFormat::kHex, about),
            "# corpus written by assay 0.1.0: random\\nblocks\n# seed: 7\n");
  EXPECT_EQ(corpus_header(CorpusFormat::kBhiveFrequency, {"0.1.0", "", {}}),
            "# corpus written by assay 0.1.0\n");
}

TEST(CorpusWriter, RefusesWhatNoCorpusIsWrittenIn) {
  EXPECT_THROW(corpus_header(CorpusFormat::kStore, {}), InputError);
  EXPECT_THROW(corpus_line(CorpusFormat::kBhiveThroughput, add_of_sqlite()), InputError);
}

}  // namespace
}  // namespace assay
