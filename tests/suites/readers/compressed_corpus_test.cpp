// Corpora of every format give the same blocks, compressed or not.
#include <gmock/gmock.h>

#include <utility>

#include "profiler/block/assembler.h"
#include "tests/suites/readers/compressed.h"
#include "tests/suites/readers/items.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(CompressedCorpus, GivesWhatThePlainOneDoes) {
  const std::pair<CorpusFormat, const char*> corpora[] = {
      {CorpusFormat::kHex, "90\n4801d8\nx\n"},
      {CorpusFormat::kBhiveFrequency, "90,1\n4801d8,0.5\nx\n"},
      {CorpusFormat::kBhiveThroughput, "90,25\n4801d8,100\nx\n"},
      {CorpusFormat::kBhiveCategory, "90,Load\n4801d8,Vec\nx\n"},
      {CorpusFormat::kCsv, "hex,name\n90,a\n4801d8,b\nx,\n"},
      {CorpusFormat::kJsonLines, "{\"hex\":\"90\"}\n{\"hex\":\"4801d8\"}\nx\n"},
      {CorpusFormat::kAsm, "nop\n\nadd rax, rbx\n\nx\n"},
      {CorpusFormat::kAtt, "nop\n\naddq %rbx, %rax\n\nx\n"},
      {CorpusFormat::kAsmLine, "nop\nadd rax, rbx\nx\n"},
      {CorpusFormat::kAttLine, "nop\naddq %rbx, %rax\nx\n"},
  };
  for (const auto& [format, text] : corpora) {
    if (format >= CorpusFormat::kAsm && !can_assemble()) continue;
    const auto items = items_of(text, format);
    EXPECT_THAT(items, SizeIs(3)) << name(format);
    EXPECT_EQ(items_of(gzip_of(text), format), items) << name(format);
    EXPECT_EQ(items_of(zstd_of(text), format), items) << name(format);
  }
}

TEST(CompressedCorpus, TellsItsFormatToo) {
  EXPECT_THAT(items_of(gzip_of("90\n"), std::nullopt), ElementsAre("1:90"));
  EXPECT_THAT(items_of(zstd_of("{\"hex\":\"90\"}\n"), std::nullopt), ElementsAre("1:90"));
  EXPECT_THAT(items_of(gzip_of("\177ELF"), CorpusFormat::kHex), ElementsAre(HasSubstr("ELF")));
}

TEST(CompressedCorpus, GivesItsLinesBeforeItEndsTooEarly) {
  const std::string whole = gzip_of("90\n9090\n");
  EXPECT_THAT(items_of(whole.substr(0, whole.size() - 1), CorpusFormat::kHex),
              ElementsAre("1:90", "2:9090", HasSubstr("it was cut off there")));
}

}  // namespace
}  // namespace assay
