#include "harness/campaign/store_corpus.h"

#include <memory>
#include <utility>

#include "results/store/store.h"
#include "results/store/store_file.h"

namespace assay {
namespace {

class StoreSource : public CorpusSource {
 public:
  explicit StoreSource(const std::string& path)
      : store_(Store::open_read_only(path)), blocks_(store_.blocks()) {}

  std::optional<CorpusItem> next() override {
    prepare();
    return std::exchange(item_, {});
  }

  Readiness prepare() override {
    if (!item_ && !at_end_) take_block();
    return Readiness::kReady;
  }

  bool at_end() const override { return at_end_ && !item_; }
  std::optional<CorpusFormat> format() const override { return CorpusFormat::kStore; }

 private:
  void take_block() {
    std::optional<StoredBlock> block = blocks_.next();
    at_end_ = !block;
    if (!block) return;
    CorpusEntry entry;
    entry.bytes = std::move(block->bytes);
    entry.frequency = block->frequency;
    entry.name = std::move(block->name);
    entry.origin = std::move(block->origin);
    entry.state = std::move(block->state);
    entry.line = ++line_;
    item_ = std::move(entry);
  }

  Store store_;
  BlockReader blocks_;
  std::optional<CorpusItem> item_;  ///< the next item, if it has been read already
  std::int64_t line_ = 0;
  bool at_end_ = false;
};

bool reads_as_store(const std::string& path, std::optional<CorpusFormat> format) {
  return format == CorpusFormat::kStore || (!format && is_store(path));
}

}  // namespace

CorpusReader open_corpus(const std::string& path, std::optional<CorpusFormat> format) {
  if (!reads_as_store(path, format)) return CorpusReader::open(path, format);
  return {std::make_unique<StoreSource>(path), corpus_name(path), path};
}

}  // namespace assay
