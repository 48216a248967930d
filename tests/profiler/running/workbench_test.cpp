#include "profiler/running/workbench.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <memory>
#include <string>

#include "profiler/sampling/canary.h"
#include "profiler/sampling/reference.h"
#include "tests/processor_at_hand.h"

namespace assay {
namespace {

constexpr std::uint64_t kWord = 1000;

/// A workbench with a kernel that counts its copies in memory.
class WorkbenchTest : public testing::Test {
 protected:
  WorkbenchTest() { load(); }

  void load() {
    state_.memory_word = kWord;
    const Block block = std::get<Block>(decode(bytes_from_hex("48ff03")));  // inc qword ptr [rbx]
    const std::array<Iterations, 3> sizes = {Iterations(1), Iterations(20), Iterations(300)};
    kernel_ = std::get<Kernel>(unroll(block, sizes, state_, bench_.block_address()));
    bench_.load(kernel_);
  }

  subject::SeriesResult run(const Round& round, std::uint32_t rounds, bool writes_memory) {
    return bench_.run({{&kernel_, 1}, state_, writes_memory}, round, rounds, {}).series;
  }

  /// The number of copies that ran since memory was filled.
  std::uint64_t counted() {
    const std::uint64_t address = state_.general[static_cast<std::size_t>(GeneralRegister::kRbx)];
    std::ifstream memory("/proc/" + std::to_string(bench_.subject().pid()) + "/mem",
                         std::ios::binary);
    memory.seekg(static_cast<std::streamoff>(address));
    std::uint64_t word = 0;
    memory.read(reinterpret_cast<char*>(&word), sizeof word);
    return word - kWord;
  }

  InitialState state_ = distinct_initial_state();
  std::unique_ptr<CounterBackend> backend_ = backend_named("tsc");
  Workbench bench_{backend_->clock(), {*backend_, processor_at_hand(), {}, {}}};
  Kernel kernel_;
};

TEST_F(WorkbenchTest, EachSizeRunsAnEntryOfTheKernel) {
  run({{.size = 0}}, 1, true);
  EXPECT_EQ(counted(), 1);
  run({{.size = 1}}, 1, true);
  EXPECT_EQ(counted(), 20);
  run({{.size = 2}}, 1, true);
  EXPECT_EQ(counted(), 300);
}

TEST_F(WorkbenchTest, ASizeThatTheKernelDoesNotHaveIsAnError) {
  kernel_.entries.pop_back();
  run({{.size = 1}}, 1, true);
  EXPECT_EQ(counted(), 20);
  EXPECT_THROW(run({{.size = 2}}, 1, true), std::out_of_range);
}

TEST_F(WorkbenchTest, MemoryIsFilledBeforeEachRunOfABlockThatWritesIt) {
  run({{.size = 2}, {.size = 1}}, 3, true);
  EXPECT_EQ(counted(), 20);
}

TEST_F(WorkbenchTest, AndIsLeftAloneForOneThatDoesNot) {
  run({{.size = 2}, {.size = 1}}, 3, false);
  EXPECT_EQ(counted(), 3 * (300 + 20));
}

TEST_F(WorkbenchTest, CompanionsRunBesideTheBlockAndLeaveItsMemoryAlone) {
  const Round round = interleaved_round(Plan{}, 1);
  const auto result = run(round, 2, true);
  EXPECT_FALSE(result.fault);
  EXPECT_EQ(result.readings.size(), 2 * round.size());
  EXPECT_EQ(counted(), 1) << "the smallest size is run last";
}

TEST_F(WorkbenchTest, ANewSubjectHasTheCompanionsAndNoPage) {
  run({{.size = 2}}, 1, true);
  EXPECT_EQ(bench_.subject().pages(), 1);
  bench_.restart();
  EXPECT_EQ(bench_.subjects_started(), 2);
  EXPECT_EQ(bench_.subject().pages(), 0);
  EXPECT_FALSE(
      run({{.code = Code::kReference, .size = 1}, {.code = Code::kCanary, .size = 0}}, 1, true)
          .fault);
  load();
  run({{.size = 1}}, 1, true);
  EXPECT_EQ(counted(), 20);
}

TEST(WithinOnePage, EveryCompanionsCopiesAre) {
  const auto page_of = [](std::uint64_t address) { return address / subject::kPageSize; };
  struct Companion {
    Block block;
    std::array<Iterations, 3> sizes;
  };
  const std::array reference = {of_one_copy(kReferenceSmallCopies),
                                of_one_copy(kReferenceMiddleCopies),
                                of_one_copy(kReferenceLargeCopies)};
  const std::array canary = {of_one_copy(kCanarySmallCopies), of_one_copy(kCanaryMiddleCopies),
                             of_one_copy(kCanaryLargeCopies)};
  for (const Companion& companion :
       {Companion{reference_chain(), reference}, Companion{canary_block(3), canary},
        Companion{canary_block(6), canary}}) {
    for (const TimeStamps& stamps : stamp_candidates()) {
      for (const std::uint64_t offset : {0, 64, 1024, 4032}) {
        const auto made =
            std::get<Kernel>(unroll(companion.block, companion.sizes, bhive_initial_state(),
                                    subject::kCode + offset, stamps));
        const Kernel kernel = Workbench::within_one_page(made);
        const std::uint64_t last =
            kernel.first_copy + static_cast<std::uint64_t>(kernel.copies) * kernel.block_size - 1;
        EXPECT_EQ(page_of(kernel.first_copy), page_of(last)) << stamps.count << ' ' << offset;
        EXPECT_GE(kernel.start, made.start);
        EXPECT_LT(kernel.start, made.start + subject::kPageSize);
        EXPECT_EQ(kernel.start % 64, 0);
      }
    }
  }
}

TEST_F(WorkbenchTest, TheBlockLiesBehindTheCompanions) {
  EXPECT_GT(bench_.block_address(), subject::kCode);
  EXPECT_EQ(bench_.block_address() % 64, 0);
}

}  // namespace
}  // namespace assay
