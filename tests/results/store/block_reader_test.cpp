#include "results/store/block_reader.h"

#include <gmock/gmock.h>

#include "results/store/store.h"
#include "results/store/store_file.h"
#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

class BlockReaderTest : public ::testing::Test {
 protected:
  std::vector<StoredBlock> read() {
    BlockReader reader = store_.blocks();
    std::vector<StoredBlock> all;
    while (auto block = reader.next()) all.push_back(std::move(*block));
    return all;
  }

  TemporaryFolder folder_;
  Store store_ = Store::open(folder_ / "results.sqlite");
};

TEST_F(BlockReaderTest, OrdersByBytesHoweverTheyWereStored) {
  std::int64_t line = 0;
  for (const Bytes& bytes : {Bytes{0xFF}, Bytes{0x90, 0x00}, Bytes{0x90}, Bytes{0x00, 0x01}}) {
    store_.add_source({{bytes}, "text", 1}, {"c", ++line, std::nullopt, "", ""});
  }
  std::vector<Bytes> blocks;
  for (const StoredBlock& block : read()) blocks.push_back(block.bytes);
  EXPECT_THAT(blocks,
              testing::ElementsAre(Bytes{0x00, 0x01}, Bytes{0x90}, Bytes{0x90, 0x00}, Bytes{0xFF}));
}

TEST_F(BlockReaderTest, SumsTheFrequenciesOfOneCorpus) {
  store_.add_source(some_block(1), {"a", 1, 0.25, "", ""});
  store_.add_source(some_block(1), {"a", 2, 0.5, "", ""});
  store_.add_source(some_block(1), {"a", 3, std::nullopt, "", ""});
  store_.add_source(some_block(2), {"a", 4, 1.0, "", ""});
  store_.add_source(some_block(2), {"b", 1, 1.0, "", ""});
  store_.add_source(some_block(3), {"a", 5, std::nullopt, "", ""});
  const std::vector<StoredBlock> all = read();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].frequency, 0.75);
  EXPECT_EQ(all[1].frequency, std::nullopt) << "in the units of two corpora";
  EXPECT_EQ(all[2].frequency, std::nullopt);
}

TEST_F(BlockReaderTest, TellsBlocksByTheirStatesAndNamesThemByTheFirstLine) {
  BlockRecord block = some_block(1);
  store_.add_source(block, {"b", 1, std::nullopt, "later", "f"});
  store_.add_source(block, {"a", 2, std::nullopt, "name", ""});
  store_.add_source(block, {"a", 1, std::nullopt, "", ""});
  block.state = "rdx=0x0";
  store_.add_source(block, {"a", 3, std::nullopt, "", ""});
  const std::vector<StoredBlock> all = read();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].state + all[0].name + all[0].origin, "namef");
  EXPECT_EQ(all[1].state, "rdx=0x0");
  EXPECT_EQ(all[1].bytes, all[0].bytes);
}

TEST_F(BlockReaderTest, KnowsStoresByTheirFirstBytes) {
  store_.commit();
  EXPECT_TRUE(is_store(folder_ / "results.sqlite"));
  EXPECT_FALSE(is_store(folder_ / "nothing"));
  EXPECT_FALSE(is_store(folder_ / ""));
  EXPECT_FALSE(is_store(folder_.write("text", "90\n")));
  EXPECT_FALSE(
      is_store(folder_.write("other", std::string("SQLite format 3") + std::string(200, '\0'))))
      << "another program's";
}

}  // namespace
}  // namespace assay
