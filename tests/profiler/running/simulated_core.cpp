#include "tests/profiler/running/simulated_core.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "profiler/block/block.h"
#include "profiler/counting/validation.h"
#include "profiler/machine/identity.h"
#include "profiler/machine/limits.h"
#include "profiler/protocol/control.h"
#include "profiler/running/code_pages.h"
#include "profiler/sampling/canary.h"
#include "profiler/sampling/reference.h"
#include "tests/profiler/subject/simulated_pages.h"

namespace assay {
namespace {

using RunCode = SimulatedRun::Code;

/// What is known of this machine's NOPs, or four in a cycle.
NopRate nops_here() {
  static const auto nops = known_core().nops();
  return nops ? *nops : NopRate{4, 0, kUsualNopBytes};
}

/// The bytes of the blocks that a core can tell apart, in the order of Code.
std::array<Bytes, 6> blocks_with(const Bytes& block) {
  return {reference_chain().bytes,
          canary_block(nops_here().bytes).bytes,
          block,
          steady_blocks().back(),
          control_block().bytes,
          roomy_block().bytes};
}

/// What a run counts without its copies.
constexpr double kCyclesOfRun = 57;
constexpr double kInstructionsOfRun = 12;
constexpr double kBranchesOfRun = 2;
// What is counted around a series in addition, for the series and for each of its runs.
constexpr double kCountsOfSeries = 1000;
constexpr double kCountsOfRun = 31;

double cycles_per_copy(RunCode code, double of_block) {
  const double of_canary = kCanaryNops / nops_here().per_cycle;
  return code == RunCode::kBlock ? of_block : (code == RunCode::kCanary ? of_canary : 1);
}

double instructions_in(const SimulatedRun& run, const Bytes& block) {
  if (run.code == RunCode::kOther) return run.copies;
  const Bytes bytes = blocks_with(block).at(static_cast<std::size_t>(run.code));
  const auto in_copy = static_cast<double>(std::get<Block>(decode(bytes)).instructions.size());
  return in_copy * run.copies + 2 * run.iterations;  // DEC and JNZ
}

}  // namespace

class SimulatedCore::Group : public CounterGroup {
 public:
  Group(SimulatedCore& core, std::vector<std::string> names, std::vector<std::string> events)
      : core_(core),
        names_(std::move(names)),
        events_(std::move(events)),
        pages_(core.method_ == ReadMethod::kRdpmc ? static_cast<std::uint32_t>(names_.size()) : 0),
        descriptors_(pages_.descriptors()),
        // Counters soon overflow into their upper half.
        values_(names_.size(), 0xffff'fe00) {
    show(0);
  }
  ~Group() override {
    if (core_.counting_ == this) core_.counting_ = nullptr;
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  ReadMethod method() const override { return core_.method_; }
  std::span<const std::string> names() const override { return names_; }
  std::span<const int> pages() const override { return descriptors_; }
  void start() override { core_.start(*this); }
  std::vector<std::uint64_t> stop() override { return core_.stop(*this); }

  /// Makes the pages show indices from this one on; 0: no index.
  void show(std::uint32_t first) {
    for (std::uint32_t i = 0; i < descriptors_.size(); ++i) {
      perf_event_mmap_page& page = pages_.page(i);
      page.lock += 2;
      page.index = first == 0 ? 0 : first + i;
    }
  }
  double counted(std::size_t counter, const SimulatedRun& run) const {
    const double count =
        counter == 0 ? core_.cycles(run) : core_.count_of(events_[counter - 1])(run);
    return std::floor(count);
  }

  std::uint32_t first_read = 0;  ///< index by which RDPMC reads the first counter, since start()
  std::vector<std::uint64_t>& values() { return values_; }

 private:
  SimulatedCore& core_;
  std::vector<std::string> names_;
  std::vector<std::string> events_;  ///< specifications, from the second counter on
  subject::SimulatedPages pages_;
  std::vector<int> descriptors_;
  std::vector<std::uint64_t> values_;
};

class SimulatedCore::Backend : public CounterBackend {
 public:
  explicit Backend(SimulatedCore& core) : core_(core) {}

  std::string_view name() const override { return "simulated"; }
  Availability probe(int) override { return {true, "", ""}; }
  Clock clock() override { return {Ticks(1), CyclesPerTick(1)}; }
  std::vector<EventRequest> test_events() const override {
    return {{"instructions", "instructions"}, {"branches", "branches"}};
  }

  std::vector<std::unique_ptr<CounterGroup>> open(pid_t process, int,
                                                  std::span<const EventRequest> requests) override {
    core_.attach(process);
    std::vector<std::unique_ptr<CounterGroup>> groups;
    const auto add = [&](std::span<const EventRequest> pass) {
      std::vector<std::string> names = {"cycles"};
      std::vector<std::string> specifications;
      for (const EventRequest& request : pass) {
        names.push_back(request.name);
        specifications.push_back(request.specification);
        core_.count_of(request.specification);
      }
      groups.push_back(std::make_unique<Group>(core_, names, specifications));
    };
    add({});
    for (std::size_t i = 0; i < requests.size(); i += core_.events_in_group) {
      add(requests.subspan(i, std::min(core_.events_in_group, requests.size() - i)));
    }
    core_.groups_opened_ += static_cast<std::int64_t>(groups.size());
    return groups;
  }

 private:
  SimulatedCore& core_;
};

SimulatedCore::SimulatedCore(ReadMethod method, Bytes bytes, double of_block)
    : block(std::move(bytes)), method_(method) {
  cycles = [of_block](const SimulatedRun& run) {
    return kCyclesOfRun + cycles_per_copy(run.code, of_block) * run.copies;
  };
  events["instructions"] = [this](const SimulatedRun& run) {
    return kInstructionsOfRun + instructions_in(run, block);
  };
  events["branches"] = [](const SimulatedRun& run) { return kBranchesOfRun + run.iterations; };
}

SimulatedCore::~SimulatedCore() = default;

std::unique_ptr<CounterBackend> SimulatedCore::backend() {
  return std::make_unique<Backend>(*this);
}

subject::Subject::RdpmcEmulator SimulatedCore::emulator() {
  return [this](user_regs_struct& registers) { return read(registers); };
}

void SimulatedCore::touch() { move(first_index); }

void SimulatedCore::move(std::uint32_t to_first_index) {
  first_index = to_first_index;
  if (counting_) counting_->show(first_index);
}

const SimulatedCore::Count& SimulatedCore::count_of(const std::string& specification) const {
  const auto found = events.find(specification);
  if (found == events.end()) throw InputError("there is no event " + specification);
  return found->second;
}

/// Begins a series. What is known of kernels is forgotten, since the process may be a new one with
/// other kernels.
void SimulatedCore::start(Group& group) {
  kernel_.reset();
  copies_.clear();
  group.show(first_index);
  group.first_read = first_index - 1;
  counting_ = &group;
}

RunningKernel& SimulatedCore::kernel() {
  if (!kernel_) kernel_.emplace(process_);
  return *kernel_;
}

std::vector<std::uint64_t> SimulatedCore::stop(Group& group) {
  counting_ = nullptr;
  group.show(0);
  if (lost_series > 0) {
    --lost_series;
    throw CounterError("it did not count all of the time");
  }
  if (method_ == ReadMethod::kRdpmc) return group.values();
  const std::int64_t made = kernel().report().runs;
  std::vector<std::uint64_t> counts;
  std::vector<SimulatedRun> runs;
  for (std::int64_t i = 0; i < made; ++i) runs.push_back(run_at(i));
  for (std::size_t counter = 0; counter < group.names().size(); ++counter) {
    double count = kCountsOfSeries;
    for (const SimulatedRun& run : runs) count += kCountsOfRun + group.counted(counter, run);
    counts.push_back(static_cast<std::uint64_t>(count));
  }
  return counts;
}

/// The run with this number in the present series.
SimulatedRun SimulatedCore::run_at(std::int64_t number) {
  const subject::Request& request = kernel().request();
  const std::uint64_t* const entries = request.kernel_entry;
  const auto entry_of = [&](std::int64_t run) { return entries[run % request.kernels]; };
  const std::uint64_t entry = entry_of(number);
  if (!copies_.contains(entry)) copies_[entry] = kernel().copies_of(entry, blocks_with(block));
  const RunningCopies& running = copies_[entry];
  SimulatedRun run;
  if (running.block != RunningCopies::kOther) run.code = static_cast<RunCode>(running.block);
  run.copies = static_cast<double>(running.copies);
  run.iterations = static_cast<double>(running.iterations);
  run.in_series = number;
  while (run.warm < number && entry_of(number - run.warm - 1) == entry) ++run.warm;
  run.number = runs_++;
  return run;
}

/// Emulates a RDPMC. The first reading of a counter in a run is the one before the copies; a new
/// run is recognised by the state of the random delay before it.
bool SimulatedCore::read(user_regs_struct& registers) {
  if (!counting_) return false;
  const std::size_t counter = static_cast<std::uint32_t>(registers.rcx) - counting_->first_read;
  if (counter >= counting_->names().size()) return false;
  const subject::Report& report = kernel().report();
  if (report.phase_state != phase_state_) {
    phase_state_ = report.phase_state;
    begun_.clear();
    run_ = run_at(report.runs);
    if (on_run) on_run(run_);
  }
  std::uint64_t& value = counting_->values()[counter];
  if (!begun_.insert(counter).second) {
    value += static_cast<std::uint64_t>(counting_->counted(counter, run_));
  }
  registers.rax = static_cast<std::uint32_t>(value);
  registers.rdx = value >> 32;
  registers.rip += 2;
  return true;
}

}  // namespace assay
