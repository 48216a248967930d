#include "results/store/repeat_rows.h"

#include <SQLiteCpp/Database.h>

#include "results/store/query.h"

namespace assay {

RepeatRowsWriter::RepeatRowsWriter(SQLite::Database& database)
    : upsert_(database,
              "INSERT INTO repeat (campaign, block, notion, verdict, reason, detail, cycles, "
              "spread, runs, dropped) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) "
              "ON CONFLICT DO UPDATE SET verdict = excluded.verdict, reason = excluded.reason, "
              "detail = excluded.detail, cycles = excluded.cycles, spread = excluded.spread, "
              "runs = excluded.runs, dropped = excluded.dropped, "
              "measured_at = excluded.measured_at") {}

void RepeatRowsWriter::write(const MeasurementKey& key, const Measurement& repeat) {
  const bool measured = repeat.outcome.verdict() == Verdict::kMeasured && repeat.estimate;
  const Estimate estimate = repeat.estimate.value_or(Estimate{});
  Query(upsert_, static_cast<std::int64_t>(key.campaign), key.block, key.notion,
        name(repeat.outcome.verdict()), name(repeat.outcome.reason), repeat.outcome.detail,
        measured ? &estimate.cycles : nullptr, measured ? &estimate.half_width : nullptr,
        repeat.timed.runs, repeat.timed.dropped)
      .run();
}

}  // namespace assay
