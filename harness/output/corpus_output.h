#pragma once

#include <functional>
#include <string>

#include "harness/command_line.h"
#include "suites/extract/block_set.h"
#include "suites/readers/corpus_writer.h"

namespace assay {

/// Where a corpus that assay makes is written to, and how.
struct CorpusOutput {
  std::string path = "-";  ///< "-" is standard output
  CorpusFormat format = CorpusFormat::kJsonLines;
};

/// Adds the options --out and --format.
void add_corpus_output_options(CommandLine& line);
/// Throws UsageError for a format that corpora are not written in.
CorpusOutput corpus_output_from(const CommandLine::Values& values);

/// Writes the blocks, whole or not at all. `goes_on` is asked now and then; once it says no,
/// nothing is left of what was written to a file. Whether it was finished. Throws what OutputFile
/// does.
bool write_corpus(const CorpusOutput& output, const CorpusAbout& about, const BlockSet& blocks,
                  const std::function<bool()>& goes_on);

}  // namespace assay
