#include "results/store/block_reader.h"

#include <SQLiteCpp/Database.h>

#include <utility>

#include "results/store/query.h"
#include "results/store/store_error.h"

namespace assay {
namespace {

/// An SQL expression: the value of a column of `source` in the first line of the block that has
/// one.
std::string first_of(const std::string& column) {
  return "ifnull((SELECT " + column + " FROM source WHERE block = ?1 AND " + column +
         " <> '' ORDER BY corpus, line LIMIT 1), '')";
}

}  // namespace

/// The members are in the order in which they must be constructed.
class BlockReader::Rows {
 public:
  Rows(SQLite::Database& database, std::filesystem::path path)
      : path_(std::move(path)),
        select_(database, "SELECT id, bytes, state FROM block ORDER BY bytes, state"),
        select_sources_(database, "SELECT count(DISTINCT corpus), sum(frequency), " +
                                      first_of("name") + ", " + first_of("origin") +
                                      " FROM source WHERE block = ?1"),
        blocks_(select_) {}

  std::optional<StoredBlock> next() {
    if (!blocks_.next()) return std::nullopt;
    StoredBlock block;
    block.bytes = blocks_.blob(1);
    block.state = blocks_.text(2);
    Query sources(select_sources_, blocks_.integer(0));
    if (!sources.next()) return block;
    if (sources.integer(0) == 1 && !sources.is_null(1)) block.frequency = sources.real(1);
    block.name = sources.text(2);
    block.origin = sources.text(3);
    return block;
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  SQLite::Statement select_;
  SQLite::Statement select_sources_;
  Query blocks_;
};

BlockReader::BlockReader(SQLite::Database& database, std::filesystem::path path) {
  naming_store(path, [&] { rows_ = std::make_unique<Rows>(database, path); });
}
BlockReader::BlockReader(BlockReader&& other) noexcept = default;
BlockReader& BlockReader::operator=(BlockReader&& other) noexcept = default;
BlockReader::~BlockReader() = default;

std::optional<StoredBlock> BlockReader::next() {
  return naming_store(rows_->path(), [this] { return rows_->next(); });
}

}  // namespace assay
