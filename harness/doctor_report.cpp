#include "harness/doctor_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/commands.h"

namespace assay {
namespace {

nlohmann::ordered_json to_json(const Spread& spread) {
  return {{"least", spread.least}, {"median", spread.median}, {"most", spread.most}};
}

nlohmann::ordered_json clocks_json(const DoctorReport& report) {
  nlohmann::ordered_json tsc = {{"works", report.tsc.has_value()}, {"why", report.tsc_problem}};
  if (report.tsc) {
    tsc["invariant"] = report.tsc->invariant;
    tsc["step_ticks"] = report.tsc->step;
    tsc["ticks_per_second"] = report.tsc->ticks_per_second;
    tsc["read_ticks"] = report.tsc->read_ticks;
  }
  const nlohmann::ordered_json perf = {
      {"works", report.perf.works}, {"why", report.perf.why}, {"remedy", report.perf.remedy}};
  return {{"tsc", tsc}, {"perf", perf}};
}

std::string row(std::string_view label, std::string_view value) {
  return fmt::format("{:<22}{}\n", label, value);
}

std::string spread_text(const Spread& spread, int digits) {
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", spread.median, digits, spread.least, digits,
                     spread.most, digits);
}

std::string clocks_text(const DoctorReport& report) {
  std::string text;
  if (report.tsc) {
    const TscProperties& tsc = *report.tsc;
    text +=
        row("clock tsc", fmt::format("works: {:.1f} MHz, step {} ticks, a reading {:.0f} ticks{}",
                                     tsc.ticks_per_second / 1e6, tsc.step, tsc.read_ticks,
                                     tsc.invariant ? "" : "; not invariant"));
  } else {
    text += row("clock tsc", "does not work: " + report.tsc_problem);
  }
  return text + row("clock perf", report.perf.works
                                      ? "the counter works; this version of assay reads the tsc"
                                      : "does not work: " + report.perf.why);
}

std::string run_text(const DoctorReport& report) {
  if (!report.run) return row("running blocks", "does not work: " + report.run_problem);
  const RunReport& run = *report.run;
  std::string text = row("running blocks", "works");
  text += row("core cycles a tick", spread_text(run.core_cycles_per_tick, 4));
  text += row("disturbed", fmt::format("{:.0f} % of the time just now", 100 * run.disturbed));
  text += row("ptrace stop", spread_text(run.stop_microseconds, 1) + " us");
  return text + row("page fault", spread_text(run.page_fault_microseconds, 1) + " us");
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  return {values.front(), values[values.size() / 2], values.back()};
}

std::vector<std::string> advice(const DoctorReport& report) {
  std::vector<std::string> list;
  if (report.tsc && !report.tsc->invariant) {
    list.emplace_back(
        "The TSC is not invariant: its rate follows the core's. Fix the core's frequency.");
  }
  if (!report.perf.works && !report.perf.remedy.empty()) {
    list.push_back("For hardware counters: " + report.perf.remedy + ".");
  }
  if (report.environment.hypervisor != "none") {
    list.emplace_back(
        "This is a VM: other guests may share the core. Measure when the machine is quiet; assay "
        "waits "
        "for that, and rejects what stays disturbed as interference.");
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
  const Machine& machine = report.machine;
  const Environment& environment = report.environment;
  nlohmann::ordered_json json = {
      {"format", "assay-doctor"},
      {"version", 1},
      {"program", program_version()},
      {"usable", report.usable()},
      {"machine",
       {{"vendor", machine.vendor},
        {"brand", machine.brand},
        {"family", machine.family},
        {"model", machine.model},
        {"stepping", machine.stepping},
        {"microarchitecture", machine.microarchitecture}}},
      {"environment",
       {{"kernel", environment.kernel},
        {"microcode", environment.microcode},
        {"hypervisor", environment.hypervisor},
        {"governor", environment.governor},
        {"smt", environment.smt},
        {"cores", environment.cores}}},
      {"processor", report.processor},
      {"assembler", report.assembler},
      {"clocks", clocks_json(report)},
      {"run", {{"works", report.run.has_value()}, {"why", report.run_problem}}},
      {"advice", advice(report)},
  };
  if (report.run) {
    json["run"]["core_cycles_per_tick"] = to_json(report.run->core_cycles_per_tick);
    json["run"]["stop_microseconds"] = to_json(report.run->stop_microseconds);
    json["run"]["page_fault_microseconds"] = to_json(report.run->page_fault_microseconds);
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
  text += row("assembler", report.assembler ? "LLVM 19 MC" : "not built in");
  text += clocks_text(report) + run_text(report);
  const auto list = advice(report);
  if (!list.empty()) text += "what you could change\n";
  for (const std::string& line : list) text += "  - " + line + "\n";
  return text;
}

}  // namespace assay
