#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "results/store/batch.h"
#include "results/store/block_reader.h"
#include "results/store/block_record.h"
#include "results/store/campaign.h"
#include "results/store/coverage.h"
#include "results/store/outcome_reader.h"

namespace SQLite {
class Database;
}

namespace assay {

/// A store of results: an SQLite file whose tables schema.sql describes. A Store is used by one
/// thread only. Only one Store at a time, in all processes, can write a file; any number may read
/// it meanwhile.
///
/// Everything here throws EnvironmentError when the disk, permissions or another program are in the
/// way, and InputError when the file is damaged. Writes are committed together, about once a
/// second; an error that keeps a write from the disk discards what was not committed and leaves the
/// rest intact, so that the campaign can go on from there.
class Store {
 public:
  /// Opens a store for writing, and creates it if there is none. A file that is not a store or is
  /// one of another schema version (InputError), and a store that is being written
  /// (EnvironmentError), are refused and stay as they are, byte for byte.
  static Store open(const std::filesystem::path& path, Now now = std::chrono::steady_clock::now);
  /// Opens an existing store for reading. Refuses a file that is not a store, or is one of another
  /// schema version, as open() does.
  static Store open_read_only(const std::filesystem::path& path);

  Store(Store&& other) noexcept;
  Store& operator=(Store&& other) noexcept;
  /// Commits what was written, and ignores errors: call commit() to get to know them.
  ~Store();

  /// The campaign with the same machine, environment, program version and settings; a new one,
  /// committed at once, if there is none.
  CampaignId campaign(const Machine& machine, const Environment& environment,
                      std::string_view program_version, const Settings& settings);

  /// The reason of the campaign's outcome for the block, settled or not; nothing if there is no
  /// outcome. What is not yet committed counts.
  std::optional<Reason> outcome(CampaignId campaign, const BlockSpec& block, Notion notion);
  /// Whether the campaign has a settled outcome for the block; what is not yet committed counts.
  bool has(CampaignId campaign, const BlockSpec& block, Notion notion);

  /// Notes that the block stands on that line of that corpus, with that frequency, name and origin
  /// from now on. If the block is stored already, its text and number of instructions stay as they
  /// are.
  void add_source(const BlockRecord& block, const SourceRecord& source);

  /// Stores what became of a block, with its lists, in place of an outcome that was not
  /// settled. Throws Error, and does not store the outcome, if there is a settled one already (see
  /// has()) or if the schema rules it out, such as a measured value that is not positive or an
  /// event counted twice. If the block is stored already, its text and number of instructions stay
  /// as they are.
  void put(CampaignId campaign, const BlockRecord& block, const Measurement& measurement);

  /// Notes that the campaign has begun with a corpus, or with a shard of one, and commits that at
  /// once. The corpus or shard is incomplete from then on, until complete_coverage(). It stays
  /// complete only if it is complete without a limit and with the same digest as `coverage`, if the
  /// caller knows that beforehand. A store knows one corpus by a name: with a digest that is new to
  /// it the sources of the corpus are removed, for the caller to add them anew, and no part of it
  /// is complete any more; outcomes stay. The sources are also removed if this is a whole corpus
  /// that has no digest yet.
  void begin_coverage(CampaignId campaign, const Coverage& coverage);
  /// Notes that every block of the corpus or shard has an outcome, and commits that with all
  /// outcomes before. Parts that were noted with another digest become incomplete. Throws Error if
  /// `coverage` has neither digest nor limit.
  void complete_coverage(CampaignId campaign, const Coverage& coverage);
  /// All coverage of the campaign, in the order of the fields of Coverage.
  std::vector<Coverage> coverage(CampaignId campaign);

  /// Stores the recheck of a block beside its outcome, in place of an earlier recheck. It is
  /// removed when the outcome is replaced. Throws Error if the campaign has no outcome for the
  /// block.
  void put_recheck(CampaignId campaign, const BlockSpec& block, const Measurement& recheck);
  bool has_recheck(CampaignId campaign, const BlockSpec& block, Notion notion);

  /// Commits what put(), put_recheck() and add_source() have written and not yet committed. They
  /// commit by themselves when a second has passed since the first write that is not committed.
  void commit();

  /// All campaigns, oldest first.
  std::vector<Campaign> campaigns();

  /// Reads outcomes of a campaign in the order of the blocks' bytes and states; this store must
  /// outlive the reader.
  OutcomeReader outcomes(const OutcomeQuery& query);

  /// Reads all blocks of all campaigns; this store must outlive the reader.
  BlockReader blocks();

  /// The names of all corpora in which blocks of the store stand, in alphabetical order.
  std::vector<std::string> corpora();

  /// Calls `queries`, which computes something from the store (results/findings), and turns what
  /// SQLite throws into an Error. What is not yet committed counts.
  void query(const std::function<void(SQLite::Database&)>& queries);

 private:
  class Connection;
  explicit Store(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace assay
