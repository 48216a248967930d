#include "results/exchange/merge.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <fmt/format.h>

#include <algorithm>

#include "profiler/support/error.h"
#include "results/exchange/content_merger.h"
#include "results/exchange/merge_target.h"
#include "results/store/campaign.h"
#include "results/store/database.h"
#include "results/store/query.h"
#include "results/store/store_error.h"
#include "results/store/store_file.h"

namespace assay {
namespace {

struct Interrupted {};

/// A store that is read as it was when the reading began, whatever is written meanwhile.
class Source {
 public:
  Source(const std::filesystem::path& path, Content content)
      : file_(path, StoreAccess::kRead), database_(open_database(file_, content)) {
    database_.exec("BEGIN");
  }
  SQLite::Database& database() { return database_; }

 private:
  StoreFile file_;
  SQLite::Database database_;
};

/// The files to be merged, each once, without the one that they are merged into.
std::vector<std::filesystem::path> distinct_files(const MergeRequest& request) {
  const auto same = [](const auto& a, const auto& b) {
    std::error_code missing;  // a missing file is reported when it is opened
    return std::filesystem::equivalent(a, b, missing);
  };
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : request.in) {
    if (same(path, request.out)) continue;
    const bool known =
        std::ranges::any_of(files, [&](const auto& file) { return same(file, path); });
    if (!known) files.push_back(path);
  }
  return files;
}

bool has_outcomes(SQLite::Database& database, CampaignId campaign) {
  SQLite::Statement select(database, "SELECT 1 FROM measurement WHERE campaign = ?1 LIMIT 1");
  return Query(select, static_cast<std::int64_t>(campaign)).next();
}

/// How far stores have come.
struct Progress {
  std::vector<StoredCoverage> said;
  std::vector<Unfinished> unsaid;  ///< campaigns with outcomes and without coverage
};

void read_progress(SQLite::Database& database, const std::filesystem::path& path,
                   const std::vector<Campaign>& campaigns, Progress& progress) {
  for (const Campaign& campaign : campaigns) {
    const std::vector<Coverage> all = read_coverage(database, campaign.id);
    for (const Coverage& coverage : all) progress.said.push_back({path, campaign, coverage});
    if (all.empty() && has_outcomes(database, campaign.id)) {
      progress.unsaid.push_back({path, campaign, std::nullopt});
    }
  }
}

/// Reads a store once from its first page to its last, before anything is written: throws if it is
/// damaged, adds how far it has come, and returns its campaigns.
std::vector<Campaign> check(const std::filesystem::path& path, Progress& progress) {
  return naming_store(path, [&] {
    Source source(path, Content::kChecked);
    std::vector<Campaign> campaigns = all_campaigns(source.database());
    read_progress(source.database(), path, campaigns, progress);
    return campaigns;
  });
}

/// How far the store has come that is merged into; an empty file is not a store yet.
std::vector<StoredCoverage> progress_of_target(const std::filesystem::path& path) {
  Progress progress;
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  if (!missing && size > 0) check(path, progress);
  return progress.said;
}

std::vector<Unfinished> unfinished(const Progress& progress,
                                   const std::vector<CorpusCoverage>& together) {
  std::vector<Unfinished> all = progress.unsaid;
  for (const StoredCoverage& part : progress.said) {
    if (part.coverage.complete || is_completed_by(together, part)) continue;
    all.push_back({part.store, part.campaign, part.coverage});
  }
  return all;
}

MergedStore take(ContentMerger& merger, const std::filesystem::path& path) {
  Source source = naming_store(path, [&] { return Source(path, Content::kUnchecked); });
  try {
    const ContentMerger::Counts counts = merger.take(source.database());
    return {path, counts.added, counts.replaced, counts.known};
  } catch (const UnknownWord& unknown) {
    throw InputError(path.string() + ": " + unknown.what());
  } catch (const SQLite::Exception& exception) {
    // Either database may have reported the error: theirs has, if it is its latest one.
    const bool is_theirs = source.database().getErrorCode() == exception.getErrorCode();
    if (is_theirs) throw_store_error(path, exception);
    if (!is_refused_by_schema(exception)) throw;
    throw InputError(
        fmt::format("{}: the store is damaged: it has a row that no store may have "
                    "({}): take a copy from before",
                    path.string(), exception.what()));
  }
}

/// Merges all files in one transaction.
void write(const MergeRequest& request, const std::vector<std::filesystem::path>& files,
           MergeResult& result) {
  MergeTarget target(request.out);
  {
    // The merger's statements must be gone before finish(), which may close the database.
    ContentMerger merger(target.database(), [&request] {
      if (request.interrupted && request.interrupted()) throw Interrupted{};
    });
    for (const auto& path : files) result.stores.push_back(take(merger, path));
  }
  const auto count = [&target](const char* table) {
    return target.database().execAndGet(fmt::format("SELECT count(*) FROM {}", table)).getInt64();
  };
  result.blocks = count("block");
  result.measurements = count("measurement");
  target.finish();
}

}  // namespace

MergeResult merge_stores(const MergeRequest& request) {
  const std::vector<std::filesystem::path> files = distinct_files(request);
  Progress progress;
  for (const auto& path : files) check_not_empty(path, check(path, progress));
  std::vector<StoredCoverage> all = progress_of_target(request.out);
  all.insert(all.end(), progress.said.begin(), progress.said.end());

  MergeResult result;
  result.coverage = combine(all);
  result.unfinished = unfinished(progress, result.coverage);
  if (!result.unfinished.empty() && !request.partial) return result;
  try {
    naming_store(request.out, [&] { write(request, files, result); });
    result.merged = true;
  } catch (const Interrupted&) {
    result.interrupted = true;
  }
  return result;
}

}  // namespace assay
