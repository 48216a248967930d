#pragma once

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include <filesystem>
#include <random>
#include <string>

#include "results/store/content_digest.h"
#include "results/store/schema.h"

namespace assay {

/// Makes stores whose rows often have the same keys as rows of other such stores: there are few
/// machines, blocks and times, and ids say nothing of the content.
class RandomStore {
 public:
  RandomStore(const std::filesystem::path& path, std::uint32_t seed)
      : random_(seed), database_(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE) {
    database_.exec("PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF");
    database_.exec(kSchema);
    keep_digests(database_);
    database_.exec("BEGIN");
    add_campaigns();
    for (int i = 0; i < 60; ++i) add_measurement();
    for (int i = 0; i < 10; ++i) add_coverage();
    database_.exec("COMMIT");
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  /// An id for row number `number` that does not follow from the content.
  int shuffled(int number) const { return 1 + (number * 7 + offset_) % 11; }
  void insert(const std::string& text) { database_.exec("INSERT OR IGNORE INTO " + text); }
  std::string moment() { return fmt::format("'2024-05-17T08:30:0{}Z'", below(3)); }

  void add_campaigns() {
    for (int i = 0; i < 2; ++i) {
      insert(fmt::format("machine VALUES ({}, 'v', 'cpu {}', 25, 17, 1, 'zen4')", shuffled(i), i));
      insert(fmt::format("environment VALUES ({}, 'kernel {}', 'm', 'h', 'g', 's', 2, 'w')",
                         shuffled(i), i));
    }
    for (int i = 0; i < 4; ++i) {
      insert(fmt::format("campaign VALUES ({}, {}, {}, '0.1.0', '{{}}', 'assay', 'tsc', {})",
                         shuffled(i), shuffled(i % 2), shuffled(i / 2), moment()));
    }
    for (int i = 0; i < 8; ++i) {
      // The two blocks of a pair differ only in their states.
      insert(fmt::format(
          "block (id, bytes, state, text, instructions) VALUES ({}, x'9{}', '{}', 'nop {}', {})",
          shuffled(i), i / 2, i % 2 == 0 ? "" : "zero", below(2), below(2)));
      insert(fmt::format("source VALUES ({}, 'corpus', {}, {}, 'name {}', 'origin {}')",
                         shuffled(i), i + 1, below(2) == 0 ? "NULL" : "0.5", below(2), below(2)));
    }
  }

  /// SQL values for verdict, reason, detail, cycles, half_width, runs, dropped, visits and
  /// settled.
  std::string outcome() {
    switch (below(4)) {
      case 0:
        return fmt::format("'measured', 'none', '', {}.5, 0.25, 400, 3, 2, 1", below(2));
      case 1:
        return "'rejected', 'interference', '', NULL, NULL, 0, 0, 3, 0";
      case 2:
        return fmt::format("'rejected', 'unstable', '{}', NULL, NULL, 0, 0, 6, {}", below(2),
                           below(2));
      default:
        return "'failed', 'trap', '', NULL, NULL, 0, 0, 1, 1";
    }
  }

  void add_measurement() {
    const std::string key = fmt::format("{}, {}, '{}'", shuffled(below(4)), shuffled(below(8)),
                                        below(2) == 0 ? "unrolled" : "looped");
    insert(fmt::format("measurement VALUES ({}, {}, 500, 2, 'distinct', '', '', {})", key,
                       outcome(), moment()));
    if (database_.getChanges() == 0) return;
    for (int i = 0, events = below(3); i < events; ++i) {
      insert(fmt::format("event_count VALUES ({}, 'E{}', {}, {}.5, 0, 0, 0, 1, 1.5)", key, i, i + 1,
                         below(2)));
    }
    for (int i = 0, modes = below(3); i < modes; ++i) {
      insert(fmt::format("mode VALUES ({}, {}, {}.5, 0, 2, 0.25)", key, i + 1, below(2)));
    }
    for (int i = 0, placements = below(3); i < placements; ++i) {
      insert(fmt::format("placement VALUES ({}, {}, {}, {}.5, 0)", key, i + 1, 8 * i, below(2)));
    }
    if (below(3) == 0) {
      insert(fmt::format("recheck VALUES ({}, {}, 500, 2, 'distinct', '', '', {})", key, outcome(),
                         moment()));
    }
  }

  void add_coverage() {
    const std::string key =
        fmt::format("{}, 'corpus', 'unrolled', {}, 3, {}", shuffled(below(4)), 1 + below(3), 0);
    insert(fmt::format("coverage VALUES ({}, {})", key, below(2) == 0 ? "0, '', 0" : "1, 'ab', 8"));
  }

  std::mt19937 random_;
  int offset_ = below(11);
  SQLite::Database database_;
};

}  // namespace assay
