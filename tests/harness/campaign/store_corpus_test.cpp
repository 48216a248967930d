#include "harness/campaign/store_corpus.h"

#include <gmock/gmock.h>

#include "profiler/support/error.h"
#include "results/store/store.h"
#include "tests/results/records.h"
#include "tests/suites/readers/items.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using testing::ElementsAre;

class StoreCorpus : public testing::Test {
 protected:
  void SetUp() override {
    Store store = Store::open(path_);
    store.add_source({{{0xcc}}, "int3", 1}, {"c", 1, std::nullopt, "", ""});
    store.add_source({{{0x90}, "rdx=0x1"}, "nop", 1}, {"c", 2, 0.5, "", "f"});
    store.add_source({{{0x90}}, "nop", 1}, {"c", 3, 0.25, "a nop", ""});
  }

  std::vector<std::string> read(const std::string& path, std::optional<CorpusFormat> format) {
    CorpusReader reader = open_corpus(path, format);
    return items_of(reader);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "old.sqlite";
};

TEST_F(StoreCorpus, GivesTheBlocksInTheOrderOfTheirBytes) {
  EXPECT_THAT(read(path_, std::nullopt),
              ElementsAre("1:90@0.25 a nop", "2:90@0.5 (f) [rdx=0x1]", "3:cc"));
  EXPECT_THAT(read(path_, CorpusFormat::kStore),
              ElementsAre("1:90@0.25 a nop", "2:90@0.5 (f) [rdx=0x1]", "3:cc"));
  CorpusReader reader = open_corpus(path_, std::nullopt);
  EXPECT_EQ(reader.name(), "old");
  EXPECT_EQ(reader.format(), CorpusFormat::kStore);
}

TEST_F(StoreCorpus, IsReadAheadAsAnyCorpus) {
  CorpusReader reader = open_corpus(path_, std::nullopt);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(reader.prepare(), Readiness::kReady);
    EXPECT_FALSE(reader.at_end());
    EXPECT_TRUE(reader.next().has_value());
  }
  EXPECT_EQ(reader.prepare(), Readiness::kReady);
  EXPECT_TRUE(reader.at_end());
  EXPECT_FALSE(reader.next().has_value());
}

TEST_F(StoreCorpus, IsOnlyWhatIsAStore) {
  const std::string text = folder_.write("c.hex", "9090\n");
  EXPECT_THAT(read(text, std::nullopt), ElementsAre("1:9090"));
  EXPECT_THROW(open_corpus(text, CorpusFormat::kStore), InputError);
  EXPECT_THROW(open_corpus(folder_ / "nothing", CorpusFormat::kStore), InputError);
  EXPECT_THAT(read(path_, CorpusFormat::kHex),
              ElementsAre(testing::HasSubstr("an SQLite database, not a corpus")));
}

}  // namespace
}  // namespace assay
