#include "harness/campaign/corpus_walk.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "profiler/support/error.h"
#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

class CorpusWalkTest : public testing::Test {
 protected:
  /// The bytes of all blocks of the walk that are new.
  std::vector<Bytes> new_blocks(CorpusWalk& walk) const {
    std::vector<Bytes> blocks;
    while (const auto item = walk.next()) {
      const auto* const block = std::get_if<WalkedBlock>(&*item);
      if (block != nullptr && block->is_new) blocks.push_back(block->entry.bytes);
    }
    return blocks;
  }

  TemporaryFolder folder_;
  std::string one_ = folder_.write("one.hex", "90\n6690\n90\nxyz\n");
  std::string two_ = folder_.write("two.hex", "90\n90\n480fafc0\n");
};

TEST_F(CorpusWalkTest, GivesEveryLineAndKnowsBlocksAgain) {
  CorpusWalk walk({{one_, two_}, {}, {}, {}});
  EXPECT_EQ(walk.total_lines(), 7);
  EXPECT_EQ(walk.prepare(), Readiness::kReady);
  EXPECT_EQ(new_blocks(walk), (std::vector<Bytes>{{0x90}, {0x66, 0x90}, {0x48, 0x0f, 0xaf, 0xc0}}));
  EXPECT_TRUE(walk.at_end());
  EXPECT_EQ(walk.blocks(), 3);
  ASSERT_EQ(walk.corpora().size(), 2U);
  EXPECT_EQ(walk.corpora()[0].name, "one");
  EXPECT_EQ(walk.corpora()[0].blocks, 2);
  EXPECT_EQ(walk.corpora()[1].blocks, 2) << "one of them also stands in the first";
  for (const WalkedCorpus& corpus : walk.corpora()) {
    EXPECT_EQ(corpus.digest.hex(), corpus.known_digest);
  }
}

/// "HEX STATE" of each line of the walk, with a mark if the block has come before.
std::vector<std::string> told(CorpusWalk& walk) {
  std::vector<std::string> all;
  while (const auto item = walk.next()) {
    const auto& block = std::get<WalkedBlock>(*item);
    all.push_back(hex_from_bytes(block.entry.bytes) + " " + block.entry.state +
                  (block.is_new ? "" : "!"));
  }
  return all;
}

TEST_F(CorpusWalkTest, TellsBlocksByTheirOwnStatesToo) {
  const std::string path = folder_.write("own.jsonl",
                                         "{\"hex\":\"90\",\"state\":\"zero\"}\n"
                                         "{\"hex\":\"90\"}\n"
                                         "{\"hex\":\"90\",\"state\":\"mem=0x40\"}\n"
                                         "{\"hex\":\"90\",\"state\":\"zero\"}\n");
  CorpusWalk walk({{path, two_}, {}, {}, {}});
  EXPECT_EQ(told(walk), (std::vector<std::string>{"90 zero", "90 ", "90 mem=0x40", "90 zero!",
                                                  "90 !", "90 !", "480fafc0 "}));
  EXPECT_EQ(walk.corpora()[0].blocks, 3);
  EXPECT_EQ(walk.corpora()[0].digest.hex(), walk.corpora()[0].known_digest);
}

TEST_F(CorpusWalkTest, AStoreGivesItsBlocksWithTheirStatesAndNames) {
  const std::string path = folder_ / "store.sqlite";
  {
    Store store = Store::open(path);
    const BlockRecord own = with_state(some_block(1), "zero");
    store.put(some_campaign(store), own, measured(1));
    store.put(some_campaign(store), some_block(1), measured(1));
    store.add_source(own, some_source("a", 1));
    store.add_source(own, {"a", 2, std::nullopt, "sort/3", ""});
    store.add_source(own, {"b", 1, std::nullopt, "other", "libc"});
  }
  CorpusWalk walk({{path}, {}, {}, {}});
  const CorpusEntry plain = std::get<WalkedBlock>(walk.next().value()).entry;
  EXPECT_EQ(plain.state + plain.name + plain.origin, "");
  const CorpusEntry own = std::get<WalkedBlock>(walk.next().value()).entry;
  EXPECT_EQ(own.bytes, plain.bytes);
  EXPECT_EQ(own.state, "zero");
  EXPECT_EQ(own.name, "sort/3");
  EXPECT_EQ(own.origin, "libc");
}

TEST_F(CorpusWalkTest, StopsAtTheLimit) {
  CorpusWalk walk({{one_, two_}, {}, {}, 2});
  EXPECT_EQ(walk.total_lines(), std::nullopt);
  EXPECT_EQ(new_blocks(walk).size(), 2U);
  EXPECT_TRUE(walk.at_end());
  ASSERT_EQ(walk.corpora().size(), 1U);
  CorpusWalk whole({{one_}, {}, {}, {}});
  new_blocks(whole);
  EXPECT_EQ(walk.corpora()[0].known_digest, whole.corpora()[0].digest.hex());
}

TEST_F(CorpusWalkTest, AShardHasItsBlocksAndTheDigestOfAll) {
  std::vector<Bytes> blocks;
  std::set<std::string> digests;
  for (std::int64_t index = 1; index <= 3; ++index) {
    CorpusWalk walk({{one_}, {}, {index, 3}, {}});
    for (const Bytes& block : new_blocks(walk)) blocks.push_back(block);
    digests.insert(walk.corpora()[0].digest.hex());
  }
  EXPECT_EQ(blocks.size(), 2U);
  EXPECT_EQ(digests.size(), 1U);
}

TEST_F(CorpusWalkTest, WaitsForANamedPipeBetweenFiles) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  CorpusWalk walk({{one_, pipe, two_}, {}, {}, {}});
  EXPECT_EQ(walk.total_lines(), std::nullopt);
  for (int line = 1; line <= 4; ++line) {
    ASSERT_EQ(walk.prepare(), Readiness::kReady) << line;
    walk.next();
  }
  EXPECT_EQ(walk.prepare(), Readiness::kWaits);
  EXPECT_EQ(walk.corpora().size(), 2U);
  {
    const int writer = open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(walk.prepare(), Readiness::kWaits);
    close(writer);
  }
  EXPECT_EQ(walk.prepare(), Readiness::kReady);
  EXPECT_EQ(walk.corpora().size(), 3U);
  EXPECT_EQ(new_blocks(walk), (std::vector<Bytes>{{0x48, 0x0f, 0xaf, 0xc0}}));
}

TEST_F(CorpusWalkTest, RefusesADeviceBeforeAnythingIsRead) {
  EXPECT_THROW(CorpusWalk({{one_, "/dev/zero"}, {}, {}, {}}), InputError);
}

TEST_F(CorpusWalkTest, RefusesWhatCannotEvenBeExamined) {
  const std::string loop = folder_ / "loop.hex";
  std::filesystem::create_symlink(loop, loop);
  EXPECT_THROW(CorpusWalk({{loop}, {}, {}, {}}), InputError);
  EXPECT_THROW(CorpusWalk({{std::string(300, 'a')}, {}, {}, {}}), InputError);
}

TEST_F(CorpusWalkTest, RefusesTwoCorporaOfOneName) {
  EXPECT_THROW(CorpusWalk({{one_, one_}, {}, {}, {}}), InputError);
  EXPECT_THROW(CorpusWalk({{"-", "-"}, {}, {}, {}}), InputError);
  EXPECT_THROW(CorpusWalk({{"/dev/stdin", "-"}, {}, {}, {}}), InputError);
  EXPECT_THROW(CorpusWalk({{one_, folder_ / "missing.hex"}, {}, {}, {}}), InputError);
}

TEST_F(CorpusWalkTest, CountsNoFurtherWhenInterrupted) {
  int asked = 0;
  CorpusWalk walk({{one_, two_}, {}, {}, {}}, [&asked] { return ++asked >= 2; });
  EXPECT_LE(asked, 4) << "in the first corpus, for the second, and at the end";
  EXPECT_FALSE(walk.total_lines());
  new_blocks(walk);
  ASSERT_EQ(walk.corpora().size(), 2U);
  EXPECT_FALSE(walk.corpora()[0].known_digest) << "is of one line alone";
}

}  // namespace
}  // namespace assay
