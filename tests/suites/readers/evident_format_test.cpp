#include "suites/readers/evident_format.h"

#include <gmock/gmock.h>

#include <utility>

#include "tests/suites/readers/items.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(EvidentFormat, IsToldByTheFirstBlockLine) {
  const std::pair<const char*, CorpusFormat> lines[] = {
      {"4801d8", CorpusFormat::kHex},
      {" 90 ", CorpusFormat::kHex},
      {"0x90", CorpusFormat::kHex},  // a bad line, but of that format
      {"{\"hex\":\"90\"}", CorpusFormat::kJsonLines},
      {"{", CorpusFormat::kJsonLines},
      {"hex,asm,measurement_BHive", CorpusFormat::kCsv},
      {"format,version,hex", CorpusFormat::kCsv},
  };
  for (const auto& [text, format] : lines) {
    EXPECT_EQ(evident_format({.text = text, .number = 1}, "file"), format) << text;
  }
}

TEST(EvidentFormat, IsNeverGuessed) {
  EXPECT_THAT(items_of("# c\n4801d8,Load\n", std::nullopt),
              ElementsAre(AllOf(HasSubstr("is ambiguous"), HasSubstr("line 2"),
                                HasSubstr("--corpus-format bhive-category"))));
  for (const char* const text : {"add rax, rbx", "nop; nop", "ret  # done", "%rax"}) {
    EXPECT_THAT(items_of(text, std::nullopt),
                ElementsAre(AllOf(HasSubstr("is ambiguous"), HasSubstr("assembly text"),
                                  HasSubstr("--corpus-format asm or att"))))
        << text;
  }
}

}  // namespace
}  // namespace assay
