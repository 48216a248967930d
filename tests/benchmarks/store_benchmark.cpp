// The time that the store takes for each block.

#include <benchmark/benchmark.h>

#include <cstring>

#include "profiler/machine/identity.h"
#include "results/store/store.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

Bytes numbered_block(std::uint64_t number) {
  Bytes bytes(8);
  std::memcpy(bytes.data(), &number, bytes.size());
  return bytes;
}

Measurement some_measurement() {
  Measurement measurement;
  measurement.outcome = {Reason::kNone, ""};
  measurement.estimate = Estimate{1.0, 0.01};
  measurement.timed.runs = 400;
  return measurement;
}

void put_and_look_up(benchmark::State& state) {
  const TemporaryFolder folder;
  Store store = Store::open(folder / "store.sqlite");
  const CampaignId campaign =
      store.campaign(identify_machine(), identify_environment(0), "benchmark", Settings{});
  std::uint64_t number = 0;
  for (auto _ : state) {
    const BlockRecord block{{numbered_block(++number), ""}, "add rax, rbx", 2};
    if (store.has(campaign, block, Notion::kUnrolled)) state.SkipWithError("known already");
    store.put(campaign, block, some_measurement());
    store.add_source(block, {"benchmark", static_cast<std::int64_t>(number), 1.0, "", ""});
  }
  store.commit();
}
BENCHMARK(put_and_look_up)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace assay
