#include "harness/commands/suite_reading.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <variant>

#include "harness/campaign/interrupt.h"
#include "harness/campaign/store_corpus.h"
#include "harness/output/bad_line_report.h"
#include "harness/output/output_file.h"

namespace assay {
namespace {

/// Between two looks at a pipe in which there is nothing.
constexpr std::chrono::milliseconds kPause{1};

/// So that a wrong path is found before the first corpus is read. Whoever writes to a pipe would
/// lose its reader again.
void check_paths(const SuiteInput& input) {
  for (const std::string& path : input.corpora) {
    if (path != "-" && !std::filesystem::is_fifo(path)) open_corpus(path, input.format);
  }
}

void end_if_interrupted() {
  if (const int signal = InterruptGuard::signal(); signal != 0) throw OutputEnded(signal);
}

/// Reads up to the next item. Lines without a block may go on for long, and whoever writes to a
/// pipe may be silent for long: an interrupt is heard meanwhile.
void read_ahead(CorpusReader& reader) {
  for (;;) {
    end_if_interrupted();
    const Readiness state = reader.prepare();
    if (state == Readiness::kReady) return;
    if (state == Readiness::kWaits) std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

std::int64_t read_suite(const SuiteInput& input, const std::string& command,
                        const std::function<bool(CorpusEntry&&, const EntryPlace&)>& take) {
  check_paths(input);
  BadLineReport report(command, [](const std::string& text) {
    // fmt::print() would throw where stderr cannot be written.
    std::fputs((text + '\n').c_str(), stderr);
  });
  std::int64_t bad_lines = 0;
  std::uint16_t number = 0;
  for (const std::string& path : input.corpora) {
    CorpusReader reader = open_corpus(path, input.format);
    for (;;) {
      read_ahead(reader);
      auto item = reader.next();
      if (!item) break;
      if (const auto* const bad = std::get_if<BadLine>(&*item)) {
        report.add(fmt::format("{}:{}: {}", path, bad->line, bad->problem));
        ++bad_lines;
      } else if (!take(std::get<CorpusEntry>(std::move(*item)), {number, path})) {
        return bad_lines;
      }
    }
    ++number;
  }
  return bad_lines;
}

}  // namespace assay
