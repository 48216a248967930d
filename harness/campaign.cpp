#include "harness/campaign.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string_view>
#include <unordered_set>
#include <variant>

#include "harness/commands.h"
#include "profiler/block/error.h"
#include "profiler/block/text.h"
#include "profiler/machine/identity.h"
#include "profiler/protocol/profiler.h"
#include "suites/readers/corpus_reader.h"

namespace assay {
namespace {

/// Thrown out of a measurement that waits, when the campaign is to end.
struct Interrupted {};

class CampaignRun {
 public:
  CampaignRun(const CampaignRequest& request, const CampaignEvents& events)
      : request_(request),
        events_(events),
        total_lines_(count_lines()),
        store_(Store::open(request.store)),
        profiler_(request.settings, request.processor),
        id_(store_.campaign(identify_machine(), identify_environment(request.processor),
                            program_version(), request.settings)) {
    profiler_.on_waiting([this](std::chrono::nanoseconds waited) { note_waiting(waited); });
  }

  CampaignResult run() {
    if (!request_.limit) progress_.total_lines = total_lines_;
    start_ = std::chrono::steady_clock::now();
    for (const std::string& path : request_.corpora) {
      if (at_end()) break;
      CorpusReader reader = CorpusReader::open(path, request_.format);
      corpora_.push_back(reader.name());
      run_corpus(path, reader);
    }
    store_.commit();
    report();
    return {progress_, store_.summary(id_, corpora_, request_.notions), events_.interrupted()};
  }

 private:
  /// Lines to come, for the time left; nothing if a corpus is no file, but a pipe, which can be
  /// read only once. Opening all files here also finds a wrong path or format before anything is
  /// measured.
  std::optional<std::int64_t> count_lines() const {
    std::optional<std::int64_t> lines = 0;
    std::set<std::string> names;
    for (const std::string& path : request_.corpora) {
      if (path == "-" || std::filesystem::is_fifo(path)) {
        lines.reset();
        continue;
      }
      CorpusReader reader = CorpusReader::open(path, request_.format);
      if (!names.insert(reader.name()).second) {
        throw InputError(
            fmt::format("two corpora are called '{}', by which the store knows them: rename one",
                        reader.name()));
      }
      while (lines && reader.next()) ++*lines;
    }
    return lines;
  }

  bool at_end() const {
    return events_.interrupted() || (request_.limit && progress_.blocks >= *request_.limit);
  }

  void run_corpus(const std::string& path, CorpusReader& reader) {
    while (!at_end()) {
      const auto item = reader.next();
      if (!item) return;
      ++progress_.lines;
      if (const auto* bad = std::get_if<BadLine>(&*item)) {
        ++progress_.bad_lines;
        events_.bad_line(fmt::format("{}:{}: {}", path, bad->line, bad->problem));
      } else {
        run_entry(std::get<CorpusEntry>(*item));
      }
      report();
    }
  }

  void run_entry(const CorpusEntry& entry) {
    BlockRecord record{entry.bytes, "", 0};
    const bool is_stored = !count_block(entry.bytes) || run_block(record);
    if (is_stored) store_.add_source(record, {corpora_.back(), entry.line, entry.frequency});
  }

  /// Measures the block under the notions that it has no outcome for. Whether it has any then.
  bool run_block(BlockRecord& record) {
    std::size_t known = 0;
    std::size_t fresh = 0;
    for (const Notion notion : request_.notions) {
      if (store_.has(id_, record.bytes, notion)) {
        ++known;
        continue;
      }
      const auto measurement = measure(record.bytes, notion);
      if (!measurement) break;
      if (record.text.empty()) record.text = text_of(record.bytes);
      record.instructions = measurement->instructions;
      store_.put(id_, record, *measurement);
      count_verdict(measurement->verdict);
      ++fresh;
    }
    if (known == request_.notions.size()) ++progress_.known;
    if (fresh > 0) ++progress_.fresh;
    return known + fresh > 0;
  }

  /// Nothing if the campaign is to end before the core is quiet enough for an outcome.
  std::optional<Measurement> measure(const Bytes& bytes, Notion notion) {
    if (events_.interrupted()) return std::nullopt;
    std::optional<Measurement> measurement;
    try {
      measurement = profiler_.measure(bytes, notion);
    } catch (const Interrupted&) {
    }
    progress_.waiting = {};
    return measurement;
  }

  void note_waiting(std::chrono::nanoseconds waited) {
    // A block that is tried again, in another way, starts to wait anew.
    const bool goes_on = waited > progress_.waiting;
    progress_.waited += goes_on ? waited - progress_.waiting : waited;
    progress_.waiting = waited;
    report();
    if (events_.interrupted()) throw Interrupted{};
  }

  /// Whether the block comes for the first time in this call: one that a disturbed core kept from
  /// an outcome is tried again in the next call only. A hash of each block is kept, not the block.
  bool count_block(const Bytes& bytes) {
    const std::string_view key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const bool first = seen_.insert(std::hash<std::string_view>{}(key)).second;
    if (first) ++progress_.blocks;
    return first;
  }

  void count_verdict(Verdict verdict) {
    switch (verdict) {
      case Verdict::kMeasured:
        ++progress_.measured;
        break;
      case Verdict::kRejected:
        ++progress_.rejected;
        break;
      case Verdict::kFailed:
      case Verdict::kUnfinished:
        ++progress_.failed;
        break;
    }
  }

  void report() {
    progress_.elapsed = std::chrono::steady_clock::now() - start_;
    events_.progress(progress_);
  }

  const CampaignRequest& request_;
  const CampaignEvents& events_;
  // Before the store: corpora that cannot be read leave none behind.
  std::optional<std::int64_t> total_lines_;
  Store store_;
  Profiler profiler_;
  CampaignId id_;
  CampaignProgress progress_;
  std::vector<std::string> corpora_;
  std::unordered_set<std::size_t> seen_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace

CampaignResult run_campaign(const CampaignRequest& request, const CampaignEvents& events) {
  return CampaignRun(request, events).run();
}

}  // namespace assay
