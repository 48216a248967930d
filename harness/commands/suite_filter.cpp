#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/campaign/seen_blocks.h"
#include "harness/commands/subcommands.h"
#include "harness/commands/suite_reading.h"
#include "harness/options/corpus_options.h"
#include "harness/options/filter_options.h"
#include "harness/output/json_text.h"
#include "harness/output/output_file.h"
#include "harness/subcommand.h"
#include "profiler/machine/instruction_support.h"
#include "profiler/support/counted.h"
#include "profiler/support/version.h"
#include "suites/block_hash.h"
#include "suites/filter/block_sample.h"
#include "suites/readers/corpus_reader.h"
#include "suites/readers/corpus_writer.h"

namespace assay {
namespace {

constexpr const char* kFilterCommand = "assay suite filter";

/// What became of the entries of the corpora.
struct Filtered {
  std::int64_t lines = 0;  ///< lines with a block
  std::int64_t bad_lines = 0;
  std::map<std::string, std::int64_t, std::less<>> dropped;  ///< by reason
  std::int64_t passed = 0;                                   ///< entries that no rule dropped
  std::int64_t written = 0;
};

CorpusAbout about(const FilterRequest& request) {
  CorpusAbout about;
  about.program = program_version();
  std::vector<std::string> names;
  for (const std::string& path : request.input.corpora) names.push_back(corpus_name(path));
  about.description = fmt::format("chosen from {}", fmt::join(names, ", "));
  about.facts = request.told;
  return about;
}

/// Filters corpora in one walk over them.
class Filter {
 public:
  explicit Filter(const FilterRequest& request) : request_(request), out_(request.out) {
    if (request.sample) sample_.emplace(*request.sample, request.seed);
  }

  Filtered run() {
    filtered_.bad_lines = read_suite(request_.input, kFilterCommand,
                                     [&](CorpusEntry&& entry, const EntryCorpus& from) {
                                       ++filtered_.lines;
                                       return !passes(entry) || take(std::move(entry), from);
                                     });
    if (sample_) write_sample();
    if (filtered_.written > 0) out_.finish();  // without any block, no file is left behind
    return filtered_;
  }

 private:
  bool passes(const CorpusEntry& entry) {
    if (!request_.rules.look_at_code()) return true;
    const BlockFacts facts = facts_of(entry.bytes, instruction_support());
    const auto reason = dropped_for(request_.rules, facts);
    if (!reason) return true;
    ++filtered_.dropped[std::string(*reason)];
    return false;
  }

  /// Takes an entry that passed the rules; false if no more entries are wanted.
  bool take(CorpusEntry&& entry, const EntryCorpus& from) {
    ++filtered_.passed;
    if (sample_) {
      draw(std::move(entry), from);
      return true;
    }
    if (request_.limit) {
      const auto found = seen_.add(stable_hash(entry), from.number);
      // Reading goes on after the limit's last block, since that may come again on a later line;
      // the first new block after it ends the reading, and does not count.
      if (found.new_to_all && static_cast<std::int64_t>(seen_.size()) > *request_.limit) {
        --filtered_.passed;
        --filtered_.lines;
        return false;
      }
    }
    write(entry);
    return true;
  }

  void draw(CorpusEntry&& entry, const EntryCorpus& from) {
    if (!request_.by_weight) {
      sample_->add_unweighted(std::move(entry));
    } else if (entry.frequency) {
      const double weight = *entry.frequency;
      sample_->add(std::move(entry), weight);
    } else {
      throw InputError(
          fmt::format("{}:{}: the block has no weight to be drawn by: leave --by-weight out",
                      from.corpus, entry.line));
    }
  }

  void write_sample() {
    for (const CorpusEntry& entry : sample_->take()) write(entry);
  }

  void write(const CorpusEntry& entry) {
    if (filtered_.written++ == 0) out_.write(corpus_header(request_.format, about(request_)));
    out_.write(corpus_line(request_.format, entry));
  }

  const FilterRequest& request_;
  OutputFile out_;
  std::optional<BlockSample> sample_;
  SeenBlocks seen_;
  Filtered filtered_;
};

void print_text(const Filtered& filtered) {
  std::string text = fmt::format("{}: {} of {} written", kFilterCommand, filtered.written,
                                 counted(filtered.lines, "block"));
  if (filtered.written < filtered.passed) text += fmt::format(", of {} that pass", filtered.passed);
  text += '\n';
  std::vector<std::pair<std::string, std::int64_t>> reasons(filtered.dropped.begin(),
                                                            filtered.dropped.end());
  std::ranges::stable_sort(reasons, std::ranges::greater(), &decltype(reasons)::value_type::second);
  for (const auto& [reason, count] : reasons) {
    text += fmt::format("  {:>10} dropped: {}\n", count, reason);
  }
  if (filtered.bad_lines > 0) text += fmt::format("  {:>10} bad lines\n", filtered.bad_lines);
  std::fputs(text.c_str(), stderr);
}

void print_json(const FilterRequest& request, const Filtered& filtered) {
  nlohmann::ordered_json json = {{"format", "assay-suite-filter"},
                                 {"version", 1},
                                 {"program", program_version()},
                                 {"corpora", request.input.corpora},
                                 {"out", request.out},
                                 {"lines", filtered.lines},
                                 {"bad_lines", filtered.bad_lines},
                                 {"passed", filtered.passed},
                                 {"written", filtered.written}};
  json["dropped"] = nlohmann::ordered_json::object();
  for (const auto& [reason, count] : filtered.dropped) json["dropped"][reason] = count;
  fmt::print("{}\n", json_text(json));
}

int filter(const FilterRequest& request) {
  const Filtered filtered = Filter(request).run();
  if (request.json) {
    print_json(request, filtered);
  } else {
    print_text(filtered);
  }
  if (filtered.written > 0) return kDone;
  std::fputs(fmt::format("{}: nothing to write: {}\n", kFilterCommand,
                         filtered.lines == 0 ? fmt::format("no blocks in {}",
                                                           fmt::join(request.input.corpora, ", "))
                                             : "every block was dropped")
                 .c_str(),
             stderr);
  return kNothingMeasured;
}

}  // namespace

int run_suite_filter(const std::vector<std::string>& arguments) {
  const auto request = filter_request(arguments);
  if (!request) return kDone;
  check_is_no_other("--out", request->out, request->input.corpora);
  return with_output([&] { return filter(*request); });
}

}  // namespace assay
