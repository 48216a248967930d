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

/// A block of a store, whatever its outcomes, with what the corpora that hold it say of it.
struct StoredBlock : BlockSpec {
  /// The sum of the frequencies of all its lines; nothing if no line has one, or if the lines are
  /// of several corpora, which may count in different units.
  std::optional<double> frequency;
  std::string name;    ///< from the first line, by corpus and line, that has one; may be empty
  std::string origin;  ///< from the first line, by corpus and line, that has one; may be empty
};

/// Reads the blocks of a store one by one, ordered by their bytes (as memcmp() orders them, a block
/// before those that it begins) and then by their states. Memory does not grow with the store.
class BlockReader {
 public:
  /// For Store::blocks(). `database` must outlive the reader; `path` is for messages.
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
