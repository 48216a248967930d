// Checks every comment in suites/data/basics.hex against assay itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "profiler/block/assembler.h"
#include "profiler/block/block.h"
#include "profiler/block/text.h"
#include "profiler/protocol/profiler.h"
#include "suites/readers/corpus_reader.h"
#include "tests/processor_at_hand.h"
#include "tests/suites/data/annotated_suite.h"

namespace assay {
namespace {

constexpr const char* kPath = ASSAY_SUITES_DATA "/basics.hex";

std::vector<AnnotatedBlock> basics() {
  std::ifstream file(kPath);
  EXPECT_TRUE(file) << "cannot read " << kPath;
  return read_annotated_suite(file);
}

/// Whether decode() alone gives this reason; every other reason needs a run.
bool is_found_by_decoding(Reason reason) {
  return reason >= Reason::kEmptyBlock && reason <= Reason::kRipRelativeCode;
}

TEST(Basics, SaysOfEachBlockWhatItIsFor) {
  for (const AnnotatedBlock& block : basics()) {
    EXPECT_FALSE(block.about.empty()) << "line " << block.line;
    EXPECT_FALSE(block.text.empty()) << "line " << block.line;
  }
}

TEST(Basics, HoldsBlocksOfEveryFate) {
  const auto blocks = basics();
  const auto with = [&](Verdict verdict) {
    return std::ranges::count(blocks, verdict,
                              [](const auto& block) { return info(block.expected).verdict; });
  };
  EXPECT_GE(with(Verdict::kMeasured), 60);
  EXPECT_GE(with(Verdict::kRejected), 12);
  EXPECT_GE(with(Verdict::kFailed), 4);
}

TEST(Basics, RepeatsNoBlock) {
  std::map<std::string, std::int64_t> lines;
  for (const AnnotatedBlock& block : basics()) {
    const auto [seen, is_new] = lines.emplace(hex_from_bytes(block.bytes), block.line);
    EXPECT_TRUE(is_new) << "line " << block.line << " repeats line " << seen->second;
  }
}

TEST(Basics, DecodesToWhatItExpects) {
  for (const AnnotatedBlock& block : basics()) {
    const auto decoded = decode(block.bytes);
    const auto* const refusal = std::get_if<Refusal>(&decoded);
    const Reason reason = refusal != nullptr ? refusal->outcome.reason : Reason::kNone;
    const Reason expected = is_found_by_decoding(block.expected) ? block.expected : Reason::kNone;
    EXPECT_EQ(name(reason), name(expected))
        << "line " << block.line << ": " << block.text
        << (refusal != nullptr ? "\n" + refusal->outcome.detail : "");
  }
}

TEST(Basics, RunsToWhatItExpects) {
  Profiler profiler(Settings{}, processor_at_hand());
  for (const AnnotatedBlock& block : basics()) {
    // The measurement stops before the timed runs, whose outcome depends on the machine.
    const Measurement measurement =
        profiler.measure({block.bytes}, Notion::kUnrolled, {.last = Stage::kPrepare});
    const Reason expected = block.expected == Reason::kNone ? Reason::kStopped : block.expected;
    if (measurement.outcome.reason == Reason::kUnsupportedInstruction) continue;  // of other CPUs
    EXPECT_EQ(name(measurement.outcome.reason), name(expected))
        << "line " << block.line << ": " << block.text << "\n"
        << measurement.outcome.detail;
  }
}

TEST(Basics, IsPrintedAsItsComments) {
  if (!can_assemble()) {
    GTEST_SKIP() << "this build prints with Zydis, and the comments are as LLVM prints them";
  }
  for (const AnnotatedBlock& block : basics()) {
    EXPECT_EQ(with_single_blanks(text_of(block.bytes)), block.text) << "line " << block.line;
  }
}

TEST(Basics, IsACorpusThatNeedsNoOptions) {
  CorpusReader reader = CorpusReader::open(kPath, std::nullopt);
  EXPECT_EQ(reader.name(), "basics");
  for (const AnnotatedBlock& block : basics()) {
    const auto item = reader.next();
    ASSERT_TRUE(item.has_value() && std::holds_alternative<CorpusEntry>(*item)) << block.line;
    EXPECT_EQ(std::get<CorpusEntry>(*item).bytes, block.bytes);
    EXPECT_EQ(std::get<CorpusEntry>(*item).line, block.line);
  }
  EXPECT_FALSE(reader.next().has_value());
}

}  // namespace
}  // namespace assay
