#include "suites/readers/csv_lines.h"

#include <gmock/gmock.h>

#include <utility>

#include "tests/suites/readers/items.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> read_csv(std::string_view content) {
  return items_of(content, CorpusFormat::kCsv);
}

TEST(CsvLines, TellBlocksByTheirColumnsNames) {
  EXPECT_THAT(read_csv("# made by hand\nhex,asm,measurement_BHive\n"
                       "4801d8,\"add rax, rbx; nop\",100\n\n90,,\r\n"),
              ElementsAre("3:4801d8", "5:90"));
  EXPECT_THAT(read_csv("hexCode,hexCodeDec,hexCodeJmp,asm,loopReg\n4801d8,49ffc8,75f8,\"x\",R8\n"),
              ElementsAre("2:4801d8"));
  EXPECT_THAT(read_csv("format,hex,frequency,name,source,state\nx,90,0.5,a,\"b \"\"c\"\"\",rdx=0\n"
                       "x,\"90\" , 2 ,,,\n"),
              ElementsAre("2:90@0.5 a (b \"c\") [rdx=0x0]", "3:90@2"));
}

TEST(CsvLines, NeedAColumnForTheBlockAndOnlyOne) {
  EXPECT_THAT(read_csv("a,b\n90,1\n"),
              ElementsAre(HasSubstr("line 1: the columns' names are wrong: "
                                    "column 1: no column is called hex")));
  EXPECT_THAT(read_csv("hex,weight,frequency\n"),
              ElementsAre(HasSubstr("column 12: two columns hold the same field")));
}

TEST(CsvLines, SayWhichColumnIsWrong) {
  const std::pair<const char*, const char*> lines[] = {
      {"90", "column 3: fewer values than the 3 columns"},
      {"90,a", "column 5: fewer values"},
      {"90,a,1,2", "column 8: more values than the 3 columns"},
      {",a,1", "column 1: the block is empty"},
      {"90,a,x", "column 6: \"x\" is no number"},
      {"90, \"a,1", "column 5: the quotes are not closed"},
      {"90,\"a\"b,1", "column 7: expected a comma"},
      {"\"9z\",a,1", "column 3: \"z\" is no hexadecimal digit"},
      {"90,\"a\"\"\",1e999", "column 10: \"1e999\" is no finite number"},
  };
  for (const auto& [line, problem] : lines) {
    EXPECT_THAT(read_csv("hex,name,weight\n90,,\n" + std::string(line)),
                ElementsAre("2:90", StartsWith("3! " + std::string(problem))))
        << line;
  }
}

TEST(CsvLines, AreToldByTheirFirstLine) {
  EXPECT_TRUE(names_csv_columns("hex"));
  EXPECT_TRUE(names_csv_columns("a, \"hex\" ,b"));
  EXPECT_FALSE(names_csv_columns("90,0.5"));
  EXPECT_FALSE(names_csv_columns(""));
  EXPECT_FALSE(names_csv_columns("\"hex"));
}

TEST(ColumnLines, PassOverTheColumnsNames) {
  EXPECT_THAT(items_of("hex,throughput\n90,25\n", CorpusFormat::kBhiveFrequency),
              ElementsAre("2:90@25"));
  EXPECT_THAT(items_of("90\nhex\n", CorpusFormat::kHex), ElementsAre("1:90", StartsWith("2!")))
      << "only a first line names them";
}

TEST(ColumnLines, TakeACategoryForAName) {
  EXPECT_THAT(items_of("90, Scalar/Vec \n90,\n90,\xff\n90\n", CorpusFormat::kBhiveCategory),
              ElementsAre("1:90 Scalar/Vec", "2:90", StartsWith("3! column 4: "),
                          StartsWith("4! column 3: the second column is missing")));
}

}  // namespace
}  // namespace assay
