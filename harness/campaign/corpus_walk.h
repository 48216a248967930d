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
  std::optional<CorpusFormat> format;  ///< of all of them; nothing: see CorpusReader::open
  Shard shard;
  std::optional<std::int64_t>
      limit;  ///< distinct blocks of the shard, the first ones of all corpora
};

/// How far a walk has come with a corpus.
struct WalkedCorpus {
  std::string path;
  std::string name;
  std::optional<std::string> known_digest;  ///< of the whole, where it could be read beforehand
  BlocksDigest digest;                      ///< of all good lines so far, of all shards
  std::int64_t blocks = 0;                  ///< distinct ones of the shard so far
};

/// A line with a block of the shard.
struct WalkedBlock {
  CorpusEntry entry;
  std::uint64_t hash = 0;  ///< stable_hash() of its bytes and its own state
  bool is_new = false;     ///< comes for the first time in this walk
};

/// A line with a block of another shard.
struct ElsewhereBlock {};

/// Several corpora, line by line, one after the other. A block is told from another by its bytes
/// and its own initial state. Memory grows by a hash for each distinct block.
class CorpusWalk {
 public:
  using Item = std::variant<WalkedBlock, ElsewhereBlock, BadLine>;

  /// Reads all corpora that are no pipes once, to count their lines, and to find a wrong path or
  /// format before anything else is done. Throws InputError as the reader does, and for two corpora
  /// of one name. `interrupted` is asked at each line: once true, no more is read here, and what is
  /// counted is not known.
  explicit CorpusWalk(
      CorpusSelection selection, const std::function<bool()>& interrupted = [] { return false; });

  /// Lines that hold a block or ought to; nothing if that cannot be known: of a pipe, or with a
  /// limit.
  std::optional<std::int64_t> total_lines() const { return total_lines_; }

  /// Reads on towards the next line without waiting, and not for long: whether next() would have to
  /// wait, or to read for long. Throws as it does.
  Readiness prepare();
  /// The next line; nothing at the end of the last corpus, or when the limit is reached. Throws
  /// InputError as the reader does.
  std::optional<Item> next();
  /// Whether next() has given nothing, or would do so.
  bool at_end() const { return at_end_; }

  /// Those that were begun, in order: the last of them is at hand until at_end().
  const std::vector<WalkedCorpus>& corpora() const { return corpora_; }
  /// Distinct blocks of the shard so far.
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
  std::optional<CorpusReader> reader_;  ///< of the last of them, until its end
  SeenBlocks seen_;
  bool at_end_ = false;
};

}  // namespace assay
