#include "harness/corpus_walk.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "profiler/block/error.h"

namespace assay {
namespace {

constexpr const char* kStandardInput = "-";

bool is_pipe(const std::string& path) {
  return path == kStandardInput || std::filesystem::is_fifo(path);
}

bool standard_input_has_nothing() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, 0) == 0;
}

}  // namespace

CorpusWalk::CorpusWalk(CorpusSelection selection) : selection_(std::move(selection)) {
  if (selection_.corpora.size() > std::numeric_limits<std::uint16_t>::max()) {
    throw InputError("too many corpora in one call");
  }
  std::set<std::string> names;
  total_lines_ = 0;
  for (const std::string& path : selection_.corpora) look_at(path, names);
  if (selection_.limit) total_lines_.reset();
}

void CorpusWalk::look_at(const std::string& path, std::set<std::string>& names) {
  auto& known_digest = known_digests_.emplace_back();
  if (is_pipe(path)) {
    total_lines_.reset();
    return;
  }
  CorpusReader reader = CorpusReader::open(path, selection_.format);
  if (!names.insert(reader.name()).second) {
    throw InputError(fmt::format(
        "two corpora are called '{}', by which the store knows them: rename one", reader.name()));
  }
  BlocksDigest digest;
  std::int64_t lines = 0;
  for (; const auto item = reader.next(); ++lines) {
    if (const auto* const entry = std::get_if<CorpusEntry>(&*item)) {
      digest.add(entry->bytes, entry->line, entry->frequency);
    }
  }
  known_digest = digest.hex();
  if (total_lines_) *total_lines_ += lines;
}

bool CorpusWalk::would_wait() const {
  if (at_end_) return false;
  if (reader_) return reader_->would_wait();
  return selection_.corpora[corpora_.size()] == kStandardInput && standard_input_has_nothing();
}

std::optional<CorpusWalk::Item> CorpusWalk::next() {
  while (!at_end_) {
    if (!reader_) open_next();
    auto item = reader_->next();
    if (!item) {
      reader_.reset();
      at_end_ = corpora_.size() == selection_.corpora.size();
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
  reader_.emplace(CorpusReader::open(path, selection_.format));
  corpora_.push_back({path, reader_->name(), known_digests_[number], {}, 0});
}

CorpusWalk::Item CorpusWalk::item_of(CorpusEntry&& entry) {
  WalkedCorpus& corpus = corpora_.back();
  corpus.digest.add(entry.bytes, entry.line, entry.frequency);
  const std::uint64_t hash = stable_hash(entry.bytes);
  if (!contains(selection_.shard, hash)) return ElsewhereBlock{};
  const auto found = seen_.add(hash, static_cast<std::uint16_t>(corpora_.size()));
  if (found.new_to_corpus) ++corpus.blocks;
  at_end_ = selection_.limit && blocks() >= *selection_.limit;
  return WalkedBlock{std::move(entry), hash, found.new_to_all};
}

}  // namespace assay
