#include "suites/readers/corpus_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <utility>
#include <variant>

#include "profiler/support/error.h"
#include "suites/readers/raw_source.h"
#include "suites/readers/text_source.h"
#include "suites/readers/utf8.h"

namespace assay {
namespace {

std::unique_ptr<CorpusSource> source_of(InputStream stream, std::optional<CorpusFormat> format) {
  if (format == CorpusFormat::kStore) {
    throw InputError(stream.name() +
                     " cannot be read as a store here: leave --corpus-format store out");
  }
  if (format == CorpusFormat::kRaw) return std::make_unique<RawSource>(std::move(stream));
  return std::make_unique<TextSource>(LineReader(std::move(stream)), format);
}

}  // namespace

std::string corpus_name(const std::string& path) {
  if (path == "-") return "stdin";
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  return as_utf8(name.stem().string());
}

CorpusReader CorpusReader::open(const std::string& path, std::optional<CorpusFormat> format) {
  InputStream stream(InputFile::open(path));
  const std::string file = stream.name();
  return {source_of(std::move(stream), format), corpus_name(path), file};
}

CorpusReader::CorpusReader(std::unique_ptr<CorpusSource> source, std::string name, std::string file)
    : source_(std::move(source)), name_(std::move(name)), file_(std::move(file)) {}

std::optional<CorpusItem> CorpusReader::next() {
  std::optional<CorpusItem> item = source_->next();
  if (item && !good_start_) check_start(*item);
  return item;
}

void CorpusReader::check_start(const CorpusItem& item) {
  const auto* const bad = std::get_if<BadLine>(&item);
  if (bad == nullptr) {
    good_start_ = true;
    return;
  }
  if (!first_bad_) first_bad_ = *bad;
  if (++bad_lines_ < kBadStart) return;
  throw InputError(fmt::format(
      "{} seems to be of another format than {}: its first {} block lines are all bad, the first "
      "at line {}: {}. Say which format it has: --corpus-format {}",
      file_, assay::name(format()), kBadStart, first_bad_->line, first_bad_->problem,
      fmt::join(corpus_format_names(), "|")));
}

}  // namespace assay
