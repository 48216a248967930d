#pragma once

#include <functional>
#include <string>

#include "harness/command_line.h"
#include "suites/extract/walk/block_set.h"
#include "suites/readers/corpus_writer.h"

namespace assay {

/// Where a corpus that assay makes is written to, and in which format.
struct CorpusOutput {
  std::string path = "-";  ///< "-" is standard output
  CorpusFormat format = CorpusFormat::kJsonLines;
};

/// Adds the options --out and --format.
void add_corpus_output_options(CommandLine& line);
/// What --out and --format say. Throws UsageError for a format that corpora are not written in.
CorpusOutput corpus_output_from(const CommandLine::Values& values);

/// Writes the blocks as a corpus, whole or not at all; returns whether it was finished. `goes_on`
/// is called now and then; once it returns false, nothing is left of what was written to a file.
/// Throws what OutputFile throws.
bool write_corpus(const CorpusOutput& output, const CorpusAbout& about, const BlockSet& blocks,
                  const std::function<bool()>& goes_on);

}  // namespace assay
