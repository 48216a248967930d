#include "harness/output/doctor_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "harness/output/core_groups_output.h"
#include "profiler/support/counted.h"
#include "profiler/support/statistics.h"
#include "profiler/support/version.h"
#include "results/exchange/record_json.h"

namespace assay {
namespace {

nlohmann::ordered_json to_json(const Spread& spread) {
  return {{"least", spread.least}, {"median", spread.median}, {"most", spread.most}};
}

const char* describe_reading(ReadMethod method) {
  switch (method) {
    case ReadMethod::kTsc:
      return "read by RDTSC";
    case ReadMethod::kRdpmc:
      return "read by RDPMC, before and behind the copies: core cycles, to the cycle";
    case ReadMethod::kAround:
      return "read around whole series of runs";
  }
  throw Error("a way to read counters that doctor does not know");
}

nlohmann::ordered_json clocks_json(const DoctorReport& report) {
  auto clocks = nlohmann::ordered_json::object();
  for (const auto& [name, availability, method] : report.clocks) {
    nlohmann::ordered_json& clock = clocks[name];
    clock = {{"works", availability.works},
             {"why", availability.why},
             {"remedy", availability.remedy},
             {"read_by", nullptr}};
    if (method) clock["read_by"] = assay::name(*method);
    if (name == "tsc" && report.tsc) {
      clock["invariant"] = report.tsc->invariant;
      clock["step_ticks"] = report.tsc->step;
      clock["ticks_per_second"] = report.tsc_per_second;
      clock["read_ticks"] = report.tsc->read_ticks;
    }
  }
  return clocks;
}

std::string row(std::string_view label, std::string_view value) {
  return fmt::format("{:<22}{}\n", label, value);
}

std::string spread_text(const Spread& spread, int digits) {
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", spread.median, digits, spread.least, digits,
                     spread.most, digits);
}

std::string tsc_text(const TscProperties& tsc, double per_second) {
  return fmt::format("{:.1f} MHz, step {} ticks, a reading {:.0f} ticks{}", per_second / 1e6,
                     tsc.step, tsc.read_ticks, tsc.invariant ? "" : "; not invariant");
}

std::string clock_text(const ClockReport& clock, const DoctorReport& report) {
  if (!clock.availability.works) return "does not work: " + clock.availability.why;
  std::string text = "works";
  if (clock.method) text += fmt::format(", {}", describe_reading(*clock.method));
  if (clock.name == "tsc" && report.tsc)
    text += ": " + tsc_text(*report.tsc, report.tsc_per_second);
  return text;
}

std::string clocks_text(const DoctorReport& report) {
  std::string text;
  for (const ClockReport& clock : report.clocks) {
    text += row("clock " + clock.name, clock_text(clock, report));
  }
  const ClockReport* best = report.best_clock();
  return text + row("--clock auto", best ? fmt::format("takes {}, the best that works", best->name)
                                         : std::string("finds none that works"));
}

/// Which validation events are known, tested and used. The tested ones are named apart, since the
/// encoding of an untested one may be wrong and count something else.
std::string validation_text(const DoctorReport& report) {
  if (report.validation_events == 0) {
    return fmt::format("no events known for {}", report.machine.microarchitecture);
  }
  std::string text =
      fmt::format("{} known for {}, {} of them tested, {} used here",
                  counted(report.validation_events, "event"), report.machine.microarchitecture,
                  report.tested_validation_events, report.counted_validation_events);
  for (const std::string& event : report.distrusted_events) {
    text += fmt::format("; distrusted: {}", event);
  }
  return text;
}

/// Adds advice for each clock that would be better than the one that works.
void add_clock_advice(const DoctorReport& report, std::vector<std::string>& list) {
  for (const auto& [name, availability, method] : report.clocks) {
    if (!availability.works && !availability.remedy.empty()) {
      list.push_back(fmt::format("For the clock {}: {}.", name, availability.remedy));
    }
    if (name == "perf" && method == ReadMethod::kAround) {
      list.emplace_back(
          "For the clock perf to be read by RDPMC: as root, echo 1 > "
          "/sys/bus/event_source/devices/cpu/rdpmc (cpu_core on a hybrid).");
    }
    if (availability.works) return;
  }
}

std::string cores_text(const DoctorReport& report) {
  return report.cores ? to_text(*report.cores) : "not known: " + report.cores_problem;
}

/// What confines blocks: "system-call filter, no capabilities; missing: no vDSO".
std::string confinement_text(const subject::Confinement& confinement) {
  std::string text = walls_text(confinement, true);
  if (!all_walls_in_force(confinement)) {
    text += fmt::format("; missing: {}", walls_text(confinement, false));
  }
  return text;
}

nlohmann::ordered_json to_json(const subject::Confinement& confinement) {
  nlohmann::ordered_json json;
  for (const subject::Wall& wall : subject::all_walls()) json[wall.name] = confinement.*wall.holds;
  json["store_bypass_allowed"] = confinement.store_bypass_allowed;
  return json;
}

std::string run_text(const DoctorReport& report) {
  if (!report.run) return row("running blocks", "does not work: " + report.run_problem);
  const RunReport& run = *report.run;
  std::string text = row("running blocks", "works");
  text += row("blocks are confined", confinement_text(run.confinement));
  text += row("core cycles a tick", spread_text(run.core_cycles_per_tick, 4));
  text += row("disturbed", fmt::format("{:.0f} % of the time just now", 100 * run.disturbed));
  text += row("ptrace stop", spread_text(run.stop_microseconds, 1) + " us");
  return text + row("page fault", spread_text(run.page_fault_microseconds, 1) + " us");
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  const auto [least, most] = std::ranges::minmax(values);
  return {least, median(std::move(values)), most};
}

const ClockReport* DoctorReport::best_clock() const {
  const auto best = std::ranges::find_if(
      clocks, [](const ClockReport& clock) { return clock.availability.works; });
  return best == clocks.end() ? nullptr : &*best;
}

std::vector<std::string> advice(const DoctorReport& report) {
  std::vector<std::string> list;
  if (report.tsc && !report.tsc->invariant) {
    list.emplace_back(
        "The TSC is not invariant: its rate follows the core's. Fix the core's frequency.");
  }
  add_clock_advice(report, list);
  if (!report.model_contradiction.empty()) {
    list.push_back(fmt::format(
        "CPUID does not name the real core: {}. Its limits are measured, and results are stored "
        "for an unknown core. On a host of your own, let the guest see the CPU's model (QEMU: -cpu "
        "host).",
        report.model_contradiction));
  }
  if (report.environment.hypervisor != "none") {
    list.emplace_back(
        "This is a VM: other guests may share the core. Measure when the machine is quiet; assay "
        "waits for that, and rejects what stays disturbed as interference.");
  }
  if (report.environment.smt == "on") {
    list.push_back(
        fmt::format("SMT is on: keep the sibling of processor {} idle, or switch SMT off: "
                    "echo off > /sys/devices/system/cpu/smt/control",
                    report.processor));
  }
  const std::string& governor = report.environment.governor;
  if (governor != "none" && governor != "performance" && governor != "unknown") {
    list.push_back(fmt::format(
        "The frequency governor is '{}'. For a steady clock: cpupower frequency-set -g performance",
        governor));
  }
  if (report.run && !report.page_zero) {
    list.emplace_back(
        "Blocks that use page 0 fail (null_page). To run them: as root, or with "
        "sysctl vm.mmap_min_addr=0.");
  }
  if (!report.assembler) {
    list.emplace_back(
        "Built without LLVM: --asm and --att do not work. Install llvm-19-dev and build again.");
  }
  return list;
}

nlohmann::ordered_json to_json(const DoctorReport& report) {
  nlohmann::ordered_json json = {
      {"format", "assay-doctor"},
      {"version", 1},
      {"program", program_version()},
      {"usable", report.usable()},
      {"machine", to_json(report.machine)},
      {"environment", to_json(report.environment)},
      {"processor", report.processor},
      {"assembler", report.assembler},
      {"clocks", clocks_json(report)},
      {"auto_clock", nullptr},
      {"validation",
       {{"events", report.validation_events},
        {"tested", report.tested_validation_events},
        {"used", report.counted_validation_events},
        {"distrusted", report.distrusted_events}}},
      {"cores", nullptr},
      {"run", {{"works", report.run.has_value()}, {"why", report.run_problem}}},
      {"advice", advice(report)},
  };
  if (const ClockReport* best = report.best_clock()) json["auto_clock"] = best->name;
  if (report.cores) json["cores"] = to_json(*report.cores);
  if (report.run) {
    json["run"]["core_cycles_per_tick"] = to_json(report.run->core_cycles_per_tick);
    json["run"]["stop_microseconds"] = to_json(report.run->stop_microseconds);
    json["run"]["page_fault_microseconds"] = to_json(report.run->page_fault_microseconds);
    json["run"]["confinement"] = to_json(report.run->confinement);
    json["run"]["disturbed"] = report.run->disturbed;
    json["run"]["page_zero"] = report.page_zero;
  }
  return json;
}

std::string to_text(const DoctorReport& report) {
  const Machine& machine = report.machine;
  const Environment& environment = report.environment;
  std::string text =
      row("CPU",
          fmt::format("{} ({} family {} model {} stepping {}: {})", machine.brand, machine.vendor,
                      machine.family, machine.model, machine.stepping, machine.microarchitecture));
  text += row("hypervisor", environment.hypervisor);
  text += row("kernel", environment.kernel);
  text += row("microcode", environment.microcode);
  text += row("processors",
              fmt::format("{} online, SMT {}, governor {}; measuring on {}", environment.cores,
                          environment.smt, environment.governor, report.processor));
  text += row("disturb each other", cores_text(report));
  text += row("assembler", report.assembler ? "LLVM 19 MC" : "not built in");
  text += clocks_text(report) + row("validation", validation_text(report)) + run_text(report);
  const auto list = advice(report);
  if (!list.empty()) text += "what you could change\n";
  for (const std::string& line : list) text += "  - " + line + "\n";
  return text;
}

}  // namespace assay
