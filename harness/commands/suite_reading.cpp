#include "harness/commands/suite_reading.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <variant>

#include "harness/campaign/interrupt.h"
#include "harness/campaign/store_corpus.h"
#include "harness/output/bad_line_report.h"
#include "harness/output/output_file.h"
#include "profiler/support/printable.h"

namespace assay {
namespace {

/// The time between two looks at a pipe that is empty.
constexpr std::chrono::milliseconds kPause{1};

/// Opens all corpora once, so that a wrong path is found before the first corpus is read. Pipes are
/// left out: whoever writes to one would lose its reader again.
void check_paths(const SuiteInput& input) {
  for (const std::string& path : input.corpora) {
    std::error_code error;  // which opening it tells of
    if (path != "-" && !std::filesystem::is_fifo(path, error)) open_corpus(path, input.format);
  }
}

void end_if_interrupted() {
  if (const int signal = InterruptGuard::signal(); signal != 0) throw OutputEnded(signal);
}

/// Reads up to the next item; throws OutputEnded if a signal comes meanwhile, since lines without a
/// block may go on for long, and a pipe may be empty for long.
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
                        const std::function<bool(CorpusEntry&&, const EntryCorpus&)>& take) {
  check_paths(input);
  BadLineReport report(command, [](const std::string& text) {
    // Not fmt::print(), which throws if stderr cannot be written.
    std::fputs((printable(text) + '\n').c_str(), stderr);
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
