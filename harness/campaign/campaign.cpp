#include "harness/campaign/campaign.h"
#include "profiler/support/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <variant>

#include "harness/campaign/crew.h"
#include "harness/campaign/recheck.h"
#include "harness/campaign/visit_queue.h"
#include "profiler/machine/identity.h"
#include "profiler/machine/processor.h"
#include "profiler/protocol/profiler.h"
#include "profiler/subject/confinement.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLongestWait{100};
constexpr std::chrono::seconds kCommitInterval{1};
/// How many lines are read at most before the workers are looked after again: lines with known
/// blocks give them nothing to do.
constexpr int kLinesPerPoll = 256;
/// How many lines may wait for the outcomes of their blocks: a block that comes on many lines while
/// a worker measures it takes memory for each line.
constexpr std::size_t kMostHeldSources = 10'000;

constexpr std::uint64_t kNotions = 2;
// What values need, of which each is confirmed by a second visit.
constexpr SteadyClock::duration kLeastPatience = 3 * Visits::kShortestPause;
constexpr std::uint64_t kRevisit = std::uint64_t{1} << 63;  ///< in tickets of further visits
/// How many blocks may wait for their next visits before no more lines are read.
constexpr std::size_t kMostOpen = 50'000;
/// How many of a worker's tasks may be further visits while there are fresh blocks.
constexpr std::size_t kMostRevisits = Crew::kWindow / 3;

/// The machine as it looks from the first worker's processor: cores of a hybrid CPU differ.
Machine machine_of(int processor) {
  const KeptProcessors kept;
  pin_to_processor(processor);
  return identify_machine();
}

Environment environment_of(int processor) {
  Environment environment = identify_environment(processor);
  environment.walls = subject::walls_text(subject::confinement_of_subjects(), true);
  return environment;
}

class CampaignRun {
 public:
  CampaignRun(const CampaignRequest& request, const CampaignEvents& events,
              const PrepareWork& prepare)
      : request_(request),
        events_(events),
        walk_(request, events.interrupted),
        store_(Store::open(request.store)),
        crew_(request.processors, prepare, request.stall_limit),
        recheck_(request.recheck_percent) {
    progress_.total_lines = walk_.total_lines();
    progress_.patience = request.patience;
  }

  CampaignResult run() {
    // Wait for all workers first, so that no campaign is begun in the store where none can run.
    while (!crew_.ready() && !interrupted()) poll(kLongestWait);
    id_ = store_.campaign(machine_of(request_.processors.front()),
                          environment_of(request_.processors.front()), program_version(),
                          request_.settings);
    while (!interrupted() && go_on()) poll(time_to_wait());
    if (!interrupted()) note_coverage();
    if (!interrupted()) recheck();
    const bool is_interrupted = interrupted();
    crew_.end(take_);
    store_.commit();
    report();
    return {progress_, summarize(store_, id_, corpus_names(), request_.notions),
            summarize(store_, id_).count(Verdict::kMeasured), recheck_agreement(store_, id_),
            is_interrupted};
  }

 private:
  /// A block between its line and its outcomes.
  struct Pending {
    BlockRecord record;
    std::uint64_t hash = 0;
    std::vector<SourceRecord> sources;
    std::vector<Measurement> measurements;
    std::size_t awaited = 0;  ///< how many measurements are still to come
  };

  /// Some of the time in which only further visits are left.
  struct Stretch {
    SteadyClock::time_point since;
    SteadyClock::duration length;
    std::size_t open;      ///< how many blocks were not settled when it began
    bool in_vain = false;  ///< whether the one before it settled too few
  };

  bool interrupted() { return events_.interrupted(); }

  void poll(milliseconds longest) {
    crew_.poll(longest, take_);
    if (SteadyClock::now() - committed_ >= kCommitInterval) {
      note_coverage();
      store_.commit();
      committed_ = SteadyClock::now();
    }
    report();
  }

  bool may_read() const {
    return !walk_.at_end() && crew_.has_room() && held_sources_ < kMostHeldSources &&
           queue_.size() < kMostOpen;
  }

  /// Gives the workers what there is to do now. False when nothing is left.
  bool go_on() {
    visits_go_on_ = !walk_.at_end() || has_patience();
    if (visits_go_on_) give_visits();
    return read() || !crew_.idle() || has_patience();
  }

  /// Whether blocks are to be visited again after the walk.
  bool has_patience() {
    const auto now = SteadyClock::now();
    const auto without_gain = now - last_gain_;
    const std::size_t open = queue_.size() + being_visited_.size();
    const bool waits = walk_.at_end() && pending_.empty() && open > 0;
    if (waits && !stretch_) {
      stretch_ = {now, std::max<SteadyClock::duration>(patience_, now - start_), open};
    }
    const bool patient = waits && without_gain < patience_ && is_worthwhile(now, open);
    progress_.without_gain.reset();
    if (patient && !rechecking_) progress_.without_gain = without_gain;
    return patient && !queue_.empty();
  }

  /// Whether visits behind the last fresh block settle enough: in each stretch of time, a tenth of
  /// what was open when it began.
  bool is_worthwhile(SteadyClock::time_point now, std::size_t open) {
    if (!stretch_->in_vain && now - stretch_->since >= stretch_->length) {
      stretch_->in_vain = 10 * open > 9 * stretch_->open;
      stretch_->since = now;
      stretch_->open = open;
    }
    return !stretch_->in_vain;
  }

  /// Gives the workers the blocks whose next visits are due, as far as there is room. While lines
  /// are left to read, some of it is theirs.
  void give_visits() {
    const std::size_t most = walk_.at_end() ? kMostOpen : kMostRevisits * crew_.workers();
    while (crew_.has_room() && being_visited_.size() < most) {
      auto open = queue_.take_due(SteadyClock::now());
      if (!open) return;
      if (open->visits.count() == 0) --first_rechecks_;
      const std::uint64_t ticket = kRevisit | ++revisits_;
      crew_.give({ticket, open->notion, open->visits.next(), open->visits.copies().count(), false,
                  open->block});
      being_visited_.emplace(ticket, *std::move(open));
    }
  }

  Readiness prepare_line() {
    const Readiness state = walk_.prepare();
    note_begun();
    return state;
  }

  /// How long poll() may wait for workers: not at all while there are lines to read, and only until
  /// the next visit is due.
  milliseconds time_to_wait() {
    if (may_read() && prepare_line() != Readiness::kWaits) return milliseconds(0);
    const auto due = queue_.next_due();
    if (!due || !visits_go_on_ || !crew_.has_room()) return kLongestWait;
    const auto left = std::chrono::ceil<milliseconds>(*due - SteadyClock::now());
    return std::clamp(left, milliseconds(0), kLongestWait);
  }

  /// Reads some lines, as far as workers have room for tasks. False at the end of all corpora.
  bool read() {
    for (int i = 0; i < kLinesPerPoll && may_read() && prepare_line() == Readiness::kReady; ++i) {
      auto item = walk_.next();
      if (!item) break;
      ++progress_.lines;
      if (auto* const block = std::get_if<WalkedBlock>(&*item)) {
        come_to(std::move(*block));
      } else if (const auto* const bad = std::get_if<BadLine>(&*item)) {
        ++progress_.bad_lines;
        events_.bad_line(
            fmt::format("{}:{}: {}", walk_.corpora().back().path, bad->line, bad->problem));
      }
    }
    return !walk_.at_end();
  }

  void come_to(WalkedBlock&& block) {
    CorpusEntry& entry = block.entry;
    const SourceRecord source{walk_.corpora().back().name, entry.line, entry.frequency,
                              std::move(entry.name), std::move(entry.origin)};
    if (block.is_new) return come_to_new(std::move(block), source);
    // A block that has come before and has its outcomes is not taken up again, even if one is not
    // settled: then it is visited again anyway.
    const auto number = numbers_.find(block.hash);
    if (number == numbers_.end()) {
      store_.add_source({std::move(entry), "", 0}, source);
    } else {
      pending_.at(number->second).sources.push_back(source);
      ++held_sources_;
    }
  }

  void come_to_new(WalkedBlock&& block, const SourceRecord& source) {
    ++progress_.blocks;
    ++number_;
    last_gain_ = SteadyClock::now();
    recheck_.add(block.entry, block.hash);
    Pending pending{{std::move(block.entry), "", 0}, block.hash, {source}, {}, 0};
    const BlockRecord& record = pending.record;
    for (const Notion notion : request_.notions) {
      if (store_.has(id_, record, notion)) continue;
      // Only the first task of a block asks for its text.
      crew_.give({ticket(number_, notion), notion, 1, 0, pending.awaited == 0, record});
      ++pending.awaited;
    }
    if (pending.awaited == 0) {
      ++progress_.known;
      store_.add_source(pending.record, source);
      return;
    }
    numbers_.emplace(block.hash, number_);
    pending_.emplace(number_, std::move(pending));
    ++held_sources_;
  }

  /// The ticket of a block's task under a notion: not 0, since blocks are numbered from 1.
  static std::uint64_t ticket(std::uint64_t number, Notion notion) {
    return number * kNotions + static_cast<std::uint64_t>(notion);
  }

  void take(Answer&& answer) {
    answer.measurement.evidence = answer.evidence;
    if ((answer.ticket & kRevisit) != 0) return take_revisit(answer);
    const auto found = pending_.find(answer.ticket / kNotions);
    Pending& pending = found->second;
    if (!answer.text.empty()) pending.record.text = std::move(answer.text);
    pending.measurements.push_back(std::move(answer.measurement));
    if (--pending.awaited > 0) return;
    store(pending);
    numbers_.erase(pending.hash);
    held_sources_ -= pending.sources.size();
    pending_.erase(found);
  }

  void store(Pending& pending) {
    ++progress_.fresh;
    for (const Measurement& measurement : pending.measurements) {
      pending.record.instructions = std::max(pending.record.instructions, measurement.instructions);
    }
    for (const Measurement& measurement : pending.measurements) {
      OpenBlock open{pending.record, measurement.notion, Visits(request_.settings.reject)};
      open.visits.add(measurement);
      ++progress_.unsettled;
      put(pending.record, std::move(open));
    }
    for (const SourceRecord& source : pending.sources) store_.add_source(pending.record, source);
  }

  /// Stores what the visits of a block came to; if they did not settle it, it is visited again.
  void put(const BlockRecord& record, OpenBlock&& open) {
    const Measurement& result = open.visits.result();
    store_.put(id_, record, result);
    if (!open.visits.settled()) return queue_.add(std::move(open), SteadyClock::now());
    --progress_.unsettled;
    last_gain_ = SteadyClock::now();
    count_verdict(result.outcome.verdict());
  }

  void take_revisit(const Answer& answer) {
    const auto found = being_visited_.find(answer.ticket);
    OpenBlock open = std::move(found->second);
    being_visited_.erase(found);
    open.visits.add(answer.measurement);
    if (rechecking_) return put_recheck(std::move(open));
    const BlockRecord record{open.block, "", 0};
    put(record, std::move(open));
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

  Coverage coverage_of(const WalkedCorpus& corpus, Notion notion) const {
    Coverage coverage;
    coverage.corpus = corpus.name;
    coverage.notion = notion;
    coverage.shard = request_.shard.index;
    coverage.shards = request_.shard.count;
    coverage.limit = request_.limit;
    return coverage;
  }

  /// The digest of a corpus, if it was read to its end; a pipe with a limit may not have been.
  std::string digest_of(const WalkedCorpus& corpus) const {
    if (request_.limit) return corpus.known_digest.value_or("");
    return corpus.digest.hex();
  }

  /// Notes in the store that the campaign has begun with the corpora that the walk has come to.
  void note_begun() {
    for (; last_numbers_.size() < walk_.corpora().size(); last_numbers_.push_back(number_)) {
      const WalkedCorpus& corpus = walk_.corpora()[last_numbers_.size()];
      for (const Notion notion : request_.notions) {
        Coverage coverage = coverage_of(corpus, notion);
        coverage.digest = corpus.known_digest.value_or("");
        store_.begin_coverage(id_, coverage);
      }
    }
  }

  /// Notes the corpora of which every block has an outcome. (The last block of a corpus is the one
  /// that was the latest when the next corpus began.)
  void note_coverage() {
    const std::uint64_t done = pending_.empty() ? number_ : pending_.begin()->first - 1;
    const std::size_t at_hand = walk_.at_end() ? 0 : 1;
    for (; complete_ + at_hand < walk_.corpora().size(); ++complete_) {
      const bool is_last = complete_ + 1 == last_numbers_.size();
      if (done < (is_last ? number_ : last_numbers_[complete_ + 1])) return;
      const WalkedCorpus& corpus = walk_.corpora()[complete_];
      for (const Notion notion : request_.notions) {
        Coverage coverage = coverage_of(corpus, notion);
        coverage.complete = true;
        coverage.digest = digest_of(corpus);
        coverage.blocks = corpus.blocks;
        store_.complete_coverage(id_, coverage);
      }
    }
  }

  /// Rechecks blocks by one worker alone, so that nothing of this campaign disturbs it; and by a
  /// new one, so that nothing that a block may have done to a worker or its subject is shared by
  /// both values.
  void recheck() {
    const auto start = SteadyClock::now();
    queue_.clear();
    stretch_.reset();
    rechecking_ = true;
    last_gain_ = start;
    queue_rechecks();
    if (queue_.empty()) return;
    crew_.start_over_with_one();
    while (!interrupted() && recheck_on()) {
      poll(time_to_wait());
      progress_.rechecking = SteadyClock::now() - start;
    }
  }

  bool recheck_on() {
    visits_go_on_ = has_patience() || first_rechecks_ > 0;
    if (visits_go_on_) give_visits();
    return !crew_.idle() || visits_go_on_;
  }

  void queue_rechecks() {
    while (auto block = recheck_.take()) {
      for (const Notion notion : request_.notions) {
        const bool measured = store_.outcome(id_, *block, notion) == Reason::kNone;
        if (!measured || store_.has_recheck(id_, *block, notion)) continue;
        queue_.add({*block, notion, Visits(request_.settings.reject)}, last_gain_);
        ++first_rechecks_;
      }
    }
  }

  void put_recheck(OpenBlock&& open) {
    // An outcome that is not settled says nothing of the block; the next call tries again.
    if (!open.visits.settled()) return queue_.add(std::move(open), SteadyClock::now());
    store_.put_recheck(id_, open.block, open.visits.result());
    last_gain_ = SteadyClock::now();
    ++progress_.rechecked;
  }

  std::vector<std::string> corpus_names() const {
    std::vector<std::string> names;
    for (const WalkedCorpus& corpus : walk_.corpora()) names.push_back(corpus.name);
    return names;
  }

  void report() {
    progress_.elapsed = SteadyClock::now() - start_;
    progress_.workers = crew_.workers();
    progress_.workers_replaced = crew_.replaced();
    progress_.waiting = crew_.waiting();
    progress_.waited = crew_.waited();
    events_.progress(progress_);
  }

  const CampaignRequest& request_;
  const SteadyClock::duration patience_ =
      std::max<SteadyClock::duration>(request_.patience, kLeastPatience);
  const CampaignEvents& events_;
  // The walk comes before the store, so that corpora that cannot be read leave no store behind. The
  // crew comes after the store, so that the workers end first.
  CorpusWalk walk_;
  Store store_;
  SteadyClock::time_point start_ = SteadyClock::now();
  Crew crew_;
  CampaignId id_{};
  CampaignProgress progress_;
  RecheckList recheck_;
  const TakeAnswer take_ = [this](Answer&& answer) { take(std::move(answer)); };
  std::uint64_t number_ = 0;                                  ///< of the last block, from 1
  std::map<std::uint64_t, Pending> pending_;                  ///< by the blocks' numbers
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;  ///< of pending blocks, by hash
  std::size_t held_sources_ = 0;                              ///< of all pending blocks together
  std::vector<std::uint64_t> last_numbers_;  ///< by begun corpus: of the last block before it
  std::size_t complete_ = 0;                 ///< number of corpora that were noted as complete
  VisitQueue queue_;
  std::unordered_map<std::uint64_t, OpenBlock> being_visited_;  ///< again, by ticket
  std::uint64_t revisits_ = 0;
  bool visits_go_on_ = true;                    ///< whether blocks whose visits are due get them
  SteadyClock::time_point last_gain_ = start_;  ///< when a block was settled
  std::optional<Stretch> stretch_;              ///< the present one, while only visits are left
  bool rechecking_ = false;
  std::size_t first_rechecks_ = 0;  ///< blocks that wait for the first visit of their recheck
  SteadyClock::time_point committed_ = SteadyClock::now();
};

}  // namespace

PrepareWork profiling(const Settings& settings) {
  return [settings](int processor, const NoteWaiting& note_waiting) -> Work {
    const auto profiler = std::make_shared<Profiler>(settings, processor);
    profiler->on_waiting(note_waiting);
    return [profiler](const Task& task) {
      return profiler->measure(
          task.block, task.notion,
          {.number = static_cast<int>(task.visit), .copies = Copies(task.copies)});
    };
  };
}

CampaignResult run_campaign(const CampaignRequest& request, const CampaignEvents& events,
                            const PrepareWork& prepare) {
  return CampaignRun(request, events, prepare).run();
}

}  // namespace assay
