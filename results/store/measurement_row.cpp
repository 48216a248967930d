#include "results/store/measurement_row.h"

#include "results/store/known.h"

namespace assay {

Measurement measurement_of(const Query& row, int column) {
  Measurement measurement;
  const std::string notion = row.text(column), reason = row.text(column + 2);
  measurement.notion = known(notion_named(notion), notion);
  measurement.outcome.reason = known(reason_named(reason), reason);
  measurement.outcome.detail = row.text(column + 3);
  if (!row.is_null(column + 4)) {
    measurement.estimate =
        Estimate{.cycles = row.real(column + 4), .half_width = row.real(column + 5)};
  }
  measurement.timed = {.runs = row.integer(column + 6), .dropped = row.integer(column + 7)};
  measurement.copies = row.integer(column + 8);
  measurement.pages = row.integer(column + 9);
  measurement.initial_state = row.text(column + 10);
  const std::string traits = row.text(column + 11);
  measurement.traits = known(traits_from(traits), traits);
  return measurement;
}

}  // namespace assay
