#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "harness/campaign/seen_blocks.h"
#include "suites/readers/corpus_reader.h"
#include "suites/shard.h"

namespace assay {

struct CorpusSelection {
  std::vector<std::string> corpora;    ///< paths; "-" is standard input
  std::optional<CorpusFormat> format;  ///< of all of them; unset: see CorpusReader::open
  Shard shard;
  /// How many distinct blocks of the shard, the first ones of all corpora together; unset: all.
  std::optional<std::int64_t> limit;
};

/// How far a walk has come with a corpus.
struct WalkedCorpus {
  std::string path;
  std::string name;
  std::optional<std::string> known_digest;  ///< of the whole corpus, if it was read beforehand
  BlocksDigest digest;                      ///< of all good lines so far, of all shards
  std::int64_t blocks = 0;                  ///< distinct blocks of the shard so far
};

/// A line with a block of the shard.
struct WalkedBlock {
  CorpusEntry entry;
  std::uint64_t hash = 0;  ///< stable_hash() of its bytes and its own state
  bool is_new = false;     ///< the block comes for the first time in this walk
};

/// A line with a block of another shard.
struct ElsewhereBlock {};

/// Reads several corpora line by line, one after the other. A block is identified by its bytes and
/// its own initial state. Memory grows by a hash for each distinct block.
class CorpusWalk {
 public:
  using Item = std::variant<WalkedBlock, ElsewhereBlock, BadLine>;

  /// Reads all corpora that are not pipes once, to count their lines, and to find a wrong path or
  /// format before anything else is done. Throws InputError as the reader does, and for two corpora
  /// with the same name. `interrupted` is called for each line: once it returns true, no more is
  /// read here, and the counts are unknown.
  explicit CorpusWalk(
      CorpusSelection selection, const std::function<bool()>& interrupted = [] { return false; });

  /// The number of lines that hold a block, or should; nothing if it cannot be known because of a
  /// pipe or a limit.
  std::optional<std::int64_t> total_lines() const { return total_lines_; }

  /// Reads on towards the next line, without waiting and not for long. The result says whether
  /// next() would have to wait, or to read for long. Throws as next() does.
  Readiness prepare();
  /// The next line; nothing at the end of the last corpus, or when the limit is reached. Throws
  /// InputError as the reader does.
  std::optional<Item> next();
  /// Whether the walk has ended: next() has given nothing, or would give nothing.
  bool at_end() const { return at_end_; }

  /// The corpora that were begun, in order; the last one is being read until at_end().
  const std::vector<WalkedCorpus>& corpora() const { return corpora_; }
  /// The number of distinct blocks of the shard so far.
  std::int64_t blocks() const { return static_cast<std::int64_t>(seen_.size()); }

 private:
  void look_at(const std::string& path, std::set<std::string>& names,
               const std::function<bool()>& interrupted);
  void forget_what_was_counted();
  void open_next();
  void end_corpus();
  Item item_of(CorpusEntry&& entry);

  CorpusSelection selection_;
  std::optional<std::int64_t> total_lines_;
  std::vector<std::optional<std::string>> known_digests_;  ///< by selected corpus
  std::vector<WalkedCorpus> corpora_;
  std::optional<CorpusReader> reader_;  ///< of the last of corpora_, until its end
  SeenBlocks seen_;
  bool at_end_ = false;
};

}  // namespace assay
