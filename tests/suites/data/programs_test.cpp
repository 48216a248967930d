// Checks what readers of suites/data/programs.jsonl rely on.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <variant>

#include "suites/readers/corpus_reader.h"

namespace assay {
namespace {

TEST(ProgramsSuite, HoldsBlocksOfManyProgramsEachWithItsOriginAndExecutions) {
  CorpusReader reader =
      CorpusReader::open(ASSAY_SUITES_DATA "/programs.jsonl", CorpusFormat::kJsonLines);
  std::map<std::string, int> by_object;
  int blocks = 0;
  while (const auto item = reader.next()) {
    ASSERT_TRUE(std::holds_alternative<CorpusEntry>(*item)) << std::get<BadLine>(*item).problem;
    const auto& entry = std::get<CorpusEntry>(*item);
    ++by_object[entry.origin.substr(0, entry.origin.find(':'))];
    ++blocks;
    EXPECT_GE(entry.frequency.value_or(0), 1) << entry.line;
  }
  EXPECT_EQ(blocks, 3600);
  EXPECT_GE(by_object.size(), 8);
  EXPECT_FALSE(by_object.contains(""));
}

}  // namespace
}  // namespace assay
