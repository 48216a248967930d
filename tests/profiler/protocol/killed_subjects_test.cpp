#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/counters/backend.h"
#include "profiler/protocol/profiler.h"
#include "profiler/support/error.h"
#include "tests/processor_at_hand.h"

namespace assay {
namespace {

using testing::HasSubstr;

/// The processor time that a process has had; nothing if there is no such process.
std::optional<std::chrono::nanoseconds> processor_time_of(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) {
    return std::nullopt;
  }
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// The time-stamp counter, for subjects that are killed.
class KillingBackend : public CounterBackend {
 public:
  /// How much processor time the next subject gets before it is killed; it is not if this is none.
  using Life = std::function<std::optional<std::chrono::microseconds>()>;
  explicit KillingBackend(Life life) : life_(std::move(life)) {}

  std::string_view name() const override { return tsc_->name(); }
  Availability probe(int processor) override { return tsc_->probe(processor); }
  Clock clock() override { return tsc_->clock(); }
  std::vector<std::unique_ptr<CounterGroup>> open(pid_t process, int processor,
                                                  std::span<const EventRequest> events) override {
    const bool is_subject = process != gettid();
    if (is_subject) latest_ = process;
    if (const auto life = is_subject ? life_() : std::nullopt) {
      killer_ = std::jthread([process, life = *life](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          const auto time = processor_time_of(process);
          if (!time) return;
          if (*time >= life) {
            kill(process, SIGKILL);
            return;
          }
          std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
      });
    }
    return tsc_->open(process, processor, events);
  }
  /// The process of the subject that was started last.
  pid_t latest() const { return latest_; }

 private:
  std::unique_ptr<CounterBackend> tsc_ = backend_named("tsc");
  Life life_;
  pid_t latest_ = 0;
  std::jthread killer_;
};

TEST(KilledSubjects, AreReplacedWhateverTheyWereDoing) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20; ++i) {
    int kills =
        3;  // not even a machine that is so busy that none gets ready sees a fourth in a row
    // Every other one lives long enough to get ready.
    const auto life = [&]() -> std::optional<std::chrono::microseconds> {
      if (kills == 0) return std::nullopt;
      --kills;
      return std::chrono::microseconds((kills % 2 == 0 ? 4'000 : 0) + random() % 8'000);
    };
    std::optional<Profiler> profiler;
    ASSERT_NO_THROW(
        profiler.emplace(Settings{}, processor_at_hand(), std::make_unique<KillingBackend>(life)));
    while (kills > 0) {
      const Measurement measurement = profiler->measure({bytes_from_hex("4801d8")});
      EXPECT_NE(measurement.outcome.verdict(), Verdict::kFailed) << measurement.outcome.detail;
    }
  }
}

TEST(KilledSubjects, AreReplacedSoOftenAndNoOftener) {
  for (const int after : {1, 3, 5, 8}) {
    int started = 0;
    const auto life = [&] {
      ++started;
      return std::optional(std::chrono::microseconds(1000 * after));
    };
    try {
      const Profiler profiler(Settings{}, processor_at_hand(),
                              std::make_unique<KillingBackend>(life));
    } catch (const EnvironmentError&) {  // as it mostly is: no subject lives long enough
    }
    EXPECT_LE(started, 100) << after << " ms";
  }
}

TEST(KilledSubjects, AreNoFaultOfTheBlock) {
  std::optional<std::chrono::microseconds> life;
  auto backend = std::make_unique<KillingBackend>([&] { return life; });
  const KillingBackend& killing = *backend;
  Settings settings;
  settings.time_limit = std::chrono::seconds(10);
  Profiler profiler(settings, processor_at_hand(), std::move(backend));
  life = std::chrono::milliseconds(20);
  kill(killing.latest(), SIGKILL);
  // mov ecx, 0x20000; mov rsi, rbx; rep lodsb: at a byte a cycle, 334 copies take some 10 ms
  const Measurement measurement = profiler.measure({bytes_from_hex("b9000002004889def3ac")});
  EXPECT_EQ(measurement.outcome.reason, Reason::kInterference);
  EXPECT_THAT(measurement.outcome.detail, HasSubstr("somebody ended the processes"));
  EXPECT_FALSE(measurement.settled);
}

}  // namespace
}  // namespace assay
