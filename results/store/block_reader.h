#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "profiler/block/block_spec.h"

namespace SQLite {
class Database;
}

namespace assay {

/// A block of a store, whatever became of it, with what the corpora say that it stands in.
struct StoredBlock : BlockSpec {
  /// Sum over the lines that it stands on; nothing if none has one, or if they are of several
  /// corpora, which may count in different units.
  std::optional<double> frequency;
  std::string name;    ///< of the first line that has one, by corpus and line; or empty
  std::string origin;  ///< so too
};

/// Reads the blocks of a store one by one, ordered by their bytes (as memcmp() orders them, a block
/// before those that it begins) and then by their states. Memory does not grow with the store.
class BlockReader {
 public:
  /// For Store::blocks(). `database` must outlive it; `path` is for messages.
  BlockReader(SQLite::Database& database, std::filesystem::path path);
  BlockReader(BlockReader&& other) noexcept;
  BlockReader& operator=(BlockReader&& other) noexcept;
  ~BlockReader();

  /// The next block; nothing after the last. Throws as Store does.
  std::optional<StoredBlock> next();

 private:
  class Rows;
  std::unique_ptr<Rows> rows_;
};

}  // namespace assay
