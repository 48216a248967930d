// The lists of measurements, stored and read back with these.
#include "results/store/list_rows.h"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>

#include <limits>

#include "profiler/support/error.h"
#include "results/findings/summary.h"
#include "results/store/store.h"
#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

Measurement with_events(Measurement measurement, std::vector<EventCount> events) {
  measurement.events = std::move(events);
  return measurement;
}

Measurement with_modes(Measurement measurement, std::vector<Mode> modes) {
  measurement.modes = std::move(modes);
  return measurement;
}

Measurement with_placements(Measurement measurement, std::vector<CodePlacement> placements) {
  measurement.placements = std::move(placements);
  return measurement;
}

class ListRowsTest : public ::testing::Test {
 protected:
  /// The events of all measurements of the campaign, in the store's order.
  std::vector<std::vector<EventCount>> stored() {
    std::vector<std::vector<EventCount>> all;
    for (const StoredOutcome& outcome : all_outcomes(store_, campaign_)) {
      all.push_back(outcome.measurement.events);
    }
    return all;
  }
  int rows(const std::string& table = "event_count") {
    store_.commit();
    return SQLite::Database(path_).execAndGet("SELECT count(*) FROM " + table).getInt();
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "results.sqlite";
  Store store_ = Store::open(path_);
  CampaignId campaign_ = some_campaign(store_);
};

TEST_F(ListRowsTest, EventsComeBackInTheirOrderWithTheirMeasurement) {
  store_.put(campaign_, some_block(1), with_events(measured(1), some_events()));
  store_.put(campaign_, some_block(2), measured(2));
  Measurement looped = with_events(measured(3), {some_events()[1], some_events()[0]});
  looped.notion = Notion::kLooped;
  store_.put(campaign_, some_block(1), looped);
  EXPECT_THAT(stored(), ElementsAre(ElementsAre(some_events()[1], some_events()[0]),
                                    ElementsAreArray(some_events()), IsEmpty()));
}

TEST_F(ListRowsTest, EventsAreKeptOfARejectedBlock) {
  store_.put(campaign_, some_block(1),
             with_events(without_number(Reason::kDataCacheMiss), some_events()));
  EXPECT_THAT(stored(), ElementsAre(ElementsAreArray(some_events())));
}

TEST_F(ListRowsTest, EventsAreReplacedWithTheirMeasurement) {
  store_.put(campaign_, some_block(1),
             with_events(without_number(Reason::kInterference), some_events()));
  store_.put(campaign_, some_block(1), with_events(measured(1), {some_events()[1]}));
  EXPECT_THAT(stored(), ElementsAre(ElementsAre(some_events()[1])));
  EXPECT_EQ(rows(), 1);
}

TEST_F(ListRowsTest, EventsGoWithAMeasurementThatIsReplacedByOneWithoutAny) {
  store_.put(campaign_, some_block(1),
             with_events(without_number(Reason::kInterference), some_events()));
  store_.put(campaign_, some_block(1), measured(1));
  EXPECT_EQ(rows(), 0);
}

TEST_F(ListRowsTest, AnImpossibleEventKeepsTheWholeOutcomeOut) {
  store_.put(campaign_, some_block(1), without_number(Reason::kInterference));
  std::vector<EventCount> impossible = some_events();
  impossible[1].per_copy = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(store_.put(campaign_, some_block(1), with_events(measured(1), impossible)), Error);
  EXPECT_THROW(store_.put(campaign_, some_block(2), with_events(measured(1), impossible)), Error);
  EXPECT_EQ(rows(), 0);
  EXPECT_EQ(summarize(store_, campaign_).by_reason,
            (std::map{std::pair{Reason::kInterference, 1L}}));
  store_.put(campaign_, some_block(1), with_events(measured(1), some_events()));
  EXPECT_EQ(rows(), 2);
}

TEST_F(ListRowsTest, NoEventIsCountedTwice) {
  EXPECT_THROW(store_.put(campaign_, some_block(1),
                          with_events(measured(1), {some_events()[0], some_events()[0]})),
               Error);
  EXPECT_FALSE(store_.has(campaign_, some_block(1), Notion::kUnrolled));
}

TEST_F(ListRowsTest, ModesComeBackInTheirOrderBesideEvents) {
  const std::vector<Mode> turned = {some_modes()[1], some_modes()[0]};
  store_.put(campaign_, some_block(1), with_modes(measured(1), some_modes()));
  store_.put(campaign_, some_block(2), measured(2));
  store_.put(campaign_, some_block(3), with_modes(with_events(measured(3), some_events()), turned));
  std::vector<std::vector<Mode>> all;
  for (const StoredOutcome& outcome : all_outcomes(store_, campaign_)) {
    all.push_back(outcome.measurement.modes);
  }
  EXPECT_THAT(all,
              ElementsAre(ElementsAreArray(some_modes()), IsEmpty(), ElementsAreArray(turned)));
  EXPECT_THAT(stored(), ElementsAre(IsEmpty(), IsEmpty(), ElementsAreArray(some_events())));
}

TEST_F(ListRowsTest, ModesGoWithAMeasurementThatIsReplaced) {
  const Measurement open = with_modes(without_number(Reason::kNoSingleState), some_modes());
  store_.put(campaign_, some_block(1), open);
  EXPECT_EQ(rows("mode"), 2);
  store_.put(campaign_, some_block(1), measured(1));
  EXPECT_EQ(rows("mode"), 0);
}

TEST_F(ListRowsTest, AnImpossibleModeKeepsTheWholeOutcomeOut) {
  std::vector<Mode> impossible = some_modes();
  impossible[1].visits = 1;
  EXPECT_THROW(store_.put(campaign_, some_block(1), with_modes(measured(1), impossible)), Error);
  EXPECT_FALSE(store_.has(campaign_, some_block(1), Notion::kUnrolled));
  EXPECT_EQ(rows("mode"), 0);
}

TEST_F(ListRowsTest, PlacementsComeAndGoWithTheirMeasurement) {
  store_.put(campaign_, some_block(1), with_placements(measured(1), some_placements()));
  const Measurement open =
      with_placements(without_number(Reason::kInterference), some_placements());
  store_.put(campaign_, some_block(2), open);
  EXPECT_EQ(rows("placement"), 4);
  store_.put(campaign_, some_block(2), measured(2));
  EXPECT_EQ(rows("placement"), 2);
  std::vector<std::vector<CodePlacement>> all;
  for (const StoredOutcome& outcome : all_outcomes(store_, campaign_)) {
    all.push_back(outcome.measurement.placements);
  }
  EXPECT_THAT(all, ElementsAre(ElementsAreArray(some_placements()), IsEmpty()));
}

TEST_F(ListRowsTest, APlaceThatComesTwiceKeepsTheWholeOutcomeOut) {
  const std::vector<CodePlacement> twice(2, some_placements()[0]);
  EXPECT_THROW(store_.put(campaign_, some_block(1), with_placements(measured(1), twice)), Error);
  EXPECT_FALSE(store_.has(campaign_, some_block(1), Notion::kUnrolled));
}

}  // namespace
}  // namespace assay
