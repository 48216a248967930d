#include "harness/campaign/corpus_walk.h"

#include <fmt/format.h>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "harness/campaign/store_corpus.h"
#include "profiler/support/error.h"
#include "suites/readers/input_file.h"

namespace assay {
namespace {

/// What kind of file this is; `none` if that cannot be found out: then opening it tells why.
std::filesystem::file_type kind_of(const std::string& path) {
  std::error_code error;
  return std::filesystem::status(path, error).type();
}

}  // namespace

CorpusWalk::CorpusWalk(CorpusSelection selection, const std::function<bool()>& interrupted)
    : selection_(std::move(selection)) {
  if (selection_.corpora.size() > std::numeric_limits<std::uint16_t>::max()) {
    throw InputError("too many corpora in one call");
  }
  std::set<std::string> names;
  total_lines_ = 0;
  for (const std::string& path : selection_.corpora) look_at(path, names, interrupted);
  if (selection_.limit) total_lines_.reset();
  if (interrupted()) forget_what_was_counted();
}

void CorpusWalk::forget_what_was_counted() {
  total_lines_.reset();
  known_digests_.assign(known_digests_.size(), std::nullopt);
}

void CorpusWalk::look_at(const std::string& path, std::set<std::string>& names,
                         const std::function<bool()>& interrupted) {
  auto& known_digest = known_digests_.emplace_back();
  if (!names.insert(corpus_name(path)).second) {
    throw InputError(
        fmt::format("two corpora are called '{}', by which the store knows them: rename one",
                    corpus_name(path)));
  }
  const auto kind = kind_of(path);
  const bool is_device = kind == std::filesystem::file_type::character;
  if (path == "-" || kind == std::filesystem::file_type::fifo || is_device) {
    // Opening refuses other devices already now. A pipe is not opened: whoever writes to it would
    // lose its reader again.
    if (path != "-" && is_device) InputFile::open(path);
    total_lines_.reset();
    return;
  }
  CorpusReader reader = open_corpus(path, selection_.format);
  BlocksDigest digest;
  std::int64_t lines = 0;
  while (!interrupted()) {
    // Lines without a block may go on for long: prepare() lets `interrupted` be asked meanwhile.
    if (reader.prepare() == Readiness::kGoesOn) continue;
    const auto item = reader.next();
    if (!item) break;
    ++lines;
    if (const auto* const entry = std::get_if<CorpusEntry>(&*item)) {
      digest.add(*entry, entry->line, entry->frequency);
    }
  }
  known_digest = digest.hex();
  if (total_lines_) *total_lines_ += lines;
}

Readiness CorpusWalk::prepare() {
  while (!at_end_) {
    if (!reader_) open_next();
    const Readiness state = reader_->prepare();
    if (state != Readiness::kReady || !reader_->at_end()) return state;
    end_corpus();
  }
  return Readiness::kReady;
}

std::optional<CorpusWalk::Item> CorpusWalk::next() {
  while (!at_end_) {
    if (!reader_) open_next();
    auto item = reader_->next();
    if (!item) {
      end_corpus();
    } else if (auto* const entry = std::get_if<CorpusEntry>(&*item)) {
      return item_of(std::move(*entry));
    } else {
      return std::get<BadLine>(std::move(*item));
    }
  }
  return std::nullopt;
}

void CorpusWalk::open_next() {
  const std::size_t number = corpora_.size();
  const std::string& path = selection_.corpora[number];
  reader_.emplace(open_corpus(path, selection_.format));
  corpora_.push_back({path, reader_->name(), known_digests_[number], {}, 0});
}

void CorpusWalk::end_corpus() {
  reader_.reset();
  at_end_ = corpora_.size() == selection_.corpora.size();
}

CorpusWalk::Item CorpusWalk::item_of(CorpusEntry&& entry) {
  WalkedCorpus& corpus = corpora_.back();
  corpus.digest.add(entry, entry.line, entry.frequency);
  const std::uint64_t hash = stable_hash(entry);
  if (!contains(selection_.shard, hash)) return ElsewhereBlock{};
  const auto found = seen_.add(hash, static_cast<std::uint16_t>(corpora_.size()));
  if (found.new_to_corpus) ++corpus.blocks;
  at_end_ = selection_.limit && blocks() >= *selection_.limit;
  return WalkedBlock{std::move(entry), hash, found.new_to_all};
}

}  // namespace assay
