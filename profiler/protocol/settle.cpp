#include "profiler/protocol/settle.h"

#include <thread>

namespace assay {

Measurement settle(Profiler& profiler, const BlockSpec& spec, Notion notion,
                   const SettleRequest& request) {
  using SteadyClock = std::chrono::steady_clock;
  const auto end = SteadyClock::now() + request.patience;
  if (request.attempts != nullptr) request.attempts->clear();
  Visits visits(profiler.settings().reject);
  for (;;) {
    std::vector<Attempt> attempts;
    const Measurement found =
        profiler.measure(spec, notion,
                         {.number = visits.next(),
                          .copies = visits.copies(),
                          .last = request.last,
                          .attempts = request.attempts != nullptr ? &attempts : nullptr});
    if (request.attempts != nullptr) {
      request.attempts->insert(request.attempts->end(), attempts.begin(), attempts.end());
    }
    visits.add(found);
    if (visits.settled() || request.last != Stage::kJudge) return visits.result();
    const auto next = SteadyClock::now() + visits.pause();
    // Without a second visit there would be no value, however little patience there is.
    if (next > end && visits.count() > 1) return visits.result();
    request.on_pause(visits);
    std::this_thread::sleep_until(next);
  }
}

}  // namespace assay
