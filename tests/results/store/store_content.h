#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <string>

namespace assay {

/// The whole content of a store as text, in a fixed order and without ids: the same for two stores
/// with the same content.
inline std::string content_of_store(const std::filesystem::path& path) {
  SQLite::Database database(path.string());
  const std::string campaign =
      "WITH c AS (SELECT campaign.id AS id, vendor || brand || family || model || stepping || "
      "microarchitecture || kernel || microcode || hypervisor || governor || smt || cores || walls "
      "|| "
      "program_version || settings AS text FROM campaign JOIN machine ON machine.id = machine "
      "JOIN environment ON environment.id = environment) ";
  std::string content;
  for (const char* rows :
       {"SELECT vendor || brand || family || model || stepping || microarchitecture AS row "
        "FROM machine",
        "SELECT kernel || microcode || hypervisor || governor || smt || cores || walls AS row "
        "FROM environment",
        "SELECT c.text || protocol || clock || started_at AS row FROM campaign JOIN c USING (id)",
        "SELECT hex(bytes) || state || text || instructions AS row FROM block",
        "SELECT hex(bytes) || state || corpus || line || ifnull(frequency, '-') || name || origin "
        "AS row FROM source "
        "JOIN block ON id = block",
        "SELECT c.text || hex(bytes) || state || notion || verdict || reason || detail || "
        "ifnull(cycles, '-') || ifnull(half_width, '-') || runs || ':' || dropped || ':' || visits "
        "|| ':' || settled || ':' || copies "
        "|| "
        "':' || pages || measured_at || initial_state || traits AS row FROM measurement "
        "JOIN c ON c.id = campaign JOIN block ON block.id = block",
        "SELECT c.text || hex(bytes) || state || notion || name || position || ':' || per_copy || "
        "':' || "
        "half_width || ':' || overhead || validates || pass || ':' || pass_cycles AS row "
        "FROM event_count JOIN c ON c.id = campaign JOIN block ON block.id = block",
        "SELECT c.text || hex(bytes) || state || notion || position || ':' || mode.cycles || ':' "
        "|| "
        "half_width || ':' || visits || ':' || share AS row "
        "FROM mode JOIN c ON c.id = campaign JOIN block ON block.id = block",
        "SELECT c.text || hex(bytes) || state || notion || position || ':' || offset || ':' || "
        "placement.cycles || ':' || half_width AS row "
        "FROM placement JOIN c ON c.id = campaign JOIN block ON block.id = block",
        "SELECT c.text || corpus || notion || shard || ':' || shards || ':' || block_limit || "
        "complete || digest || ':' || blocks AS row FROM coverage JOIN c ON c.id = campaign",
        "SELECT c.text || hex(bytes) || state || notion || verdict || reason || detail || "
        "ifnull(cycles, '-') || ifnull(half_width, '-') || runs || ':' || dropped || ':' || visits "
        "|| ':' || settled || ':' || copies "
        "|| "
        "':' || pages || measured_at || initial_state || traits AS row FROM recheck JOIN c ON c.id "
        "= campaign JOIN block ON block.id = block"}) {
    SQLite::Statement select(database, campaign + rows + " ORDER BY row");
    while (select.executeStep()) content += select.getColumn(0).getString() + "\n";
    content += "--\n";
  }
  return content;
}

}  // namespace assay
