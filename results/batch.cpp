#include "results/batch.h"

#include <SQLiteCpp/Database.h>

#include <utility>

namespace assay {
namespace {

constexpr std::chrono::seconds kLongestBatch{1};

}  // namespace

Batch::Batch(SQLite::Database& database, Now now) : database_(database), now_(std::move(now)) {}

Batch::~Batch() {
  if (first_write_) database_.tryExec("COMMIT");
}

void Batch::begin() {
  if (first_write_) return;
  database_.exec("BEGIN IMMEDIATE");
  first_write_ = now_();
}

void Batch::commit_if_due() {
  if (first_write_ && now_() - *first_write_ >= kLongestBatch) commit();
}

void Batch::commit() {
  if (!first_write_) return;
  database_.exec("COMMIT");
  first_write_.reset();
}

void Batch::abandon() noexcept {
  if (first_write_) database_.tryExec("ROLLBACK");
  first_write_.reset();
}

}  // namespace assay
