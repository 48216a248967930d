// The value of --events: a list of events, a line of an event file, or such a file.
#include "profiler/counters/core_pmu.h"
#include "profiler/counters/event_encoder.h"
#include "profiler/counters/event_list.h"
#include "profiler/counters/kernel_event.h"
#include "profiler/counters/nanobench_event.h"
#include "profiler/support/error.h"
#include "tests/fuzz/targets/target.h"

namespace assay::fuzz {
namespace {

/// Runs a step that may throw an InputError, but nothing else.
template <typename Step>
void tried(const Step& step) {
  try {
    step();
  } catch (const InputError& error) {
    require(*error.what() != '\0', "an error says nothing");
  }
}

/// A PMU with fields and an alias, as the kernel shows them.
CorePmu made_up_pmu() {
  CorePmu pmu = architectural_core_pmu("GenuineIntel");
  pmu.name = "cpu";
  pmu.events = {{"instructions", "event=0xc0"}, {"mem-loads", "event=0xcd,umask=0x1,ldlat=3"}};
  return pmu;
}

void encode(const EventRequest& request) {
  static const EventEncoder kEncoders[] = {{made_up_pmu(), "GenuineIntel"},
                                           {std::nullopt, "GenuineIntel"},
                                           {std::nullopt, "AuthenticAMD"}};
  for (const EventEncoder& encoder : kEncoders) {
    tried([&] { require(!encoder.encode(request).name.empty(), "an event has no name"); });
  }
}

void encode_all(const std::vector<EventRequest>& requests) {
  require(!requests.empty(), "nothing is asked for");
  for (const EventRequest& request : requests) {
    require(!request.name.empty() && !request.specification.empty(), "a request is empty");
    encode(request);
  }
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  using namespace assay::fuzz;
  const std::string_view text = text_from(data, size);
  static const CorePmu kPmu = made_up_pmu();
  tried([&] { encode_all(parse_event_list(text)); });
  tried([&] { encode_kernel_event(text, kPmu); });
  tried([&] {
    if (const auto request = parse_nanobench_event(text)) encode(*request);
  });
  const FileInMemory file(text);
  tried([&] { encode_all(read_event_file(file.path())); });
  return 0;
}
