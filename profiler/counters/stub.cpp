#include "profiler/counters/backend.h"
#include "profiler/counters/tsc.h"
namespace assay {
namespace {
class G : public CounterGroup {
  std::vector<std::string> n_{"ticks"};

 public:
  ReadMethod method() const override { return ReadMethod::kTsc; }
  std::span<const std::string> names() const override { return n_; }
  void start() override {}
  std::vector<std::uint64_t> stop() override { return {}; }
};
class B : public CounterBackend {
 public:
  std::string_view name() const override { return "tsc"; }
  Availability probe(int) override { return {true, "", ""}; }
  Clock clock() override { return {probe_tsc().granularity, std::nullopt}; }
  std::vector<std::unique_ptr<CounterGroup>> open(pid_t, int,
                                                  std::span<const EventRequest> e) override {
    if (!e.empty()) throw InputError("no");
    std::vector<std::unique_ptr<CounterGroup>> v;
    v.push_back(std::make_unique<G>());
    return v;
  }
};
}  // namespace
std::span<const std::string_view> backend_names() {
  static constexpr std::string_view n[] = {"tsc"};
  return n;
}
std::unique_ptr<CounterBackend> backend_named(std::string_view) { return std::make_unique<B>(); }
}  // namespace assay
