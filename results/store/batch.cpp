#include "results/store/batch.h"

#include <SQLiteCpp/Database.h>

#include <exception>
#include <utility>

namespace assay {
namespace {

constexpr std::chrono::seconds kLongestBatch{1};

}  // namespace

Batch::Batch(SQLite::Database& database, Now now, Around around)
    : database_(database), now_(std::move(now)), around_(std::move(around)) {}

Batch::~Batch() {
  try {
    commit();
  } catch (const std::exception&) {
    abandon();
  }
}

void Batch::begin() {
  if (first_write_) return;
  // IMMEDIATE takes the lock for writing now, and not at the first write.
  database_.exec("BEGIN IMMEDIATE");
  first_write_ = now_();
}

void Batch::commit_if_due() {
  if (first_write_ && now_() - *first_write_ >= kLongestBatch) commit();
}

void Batch::commit() {
  if (!first_write_) return;
  around_.before_commit();
  database_.exec("COMMIT");
  first_write_.reset();
  around_.after_commit();
}

void Batch::abandon() noexcept {
  if (first_write_) database_.tryExec("ROLLBACK");
  first_write_.reset();
}

}  // namespace assay
