// When outcomes that were put are on the disk, and what becomes of them if the process is killed or
// the disk refuses a write.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>

#include "profiler/support/error.h"
#include "results/findings/summary.h"
#include "results/store/store.h"
#include "tests/error_of.h"
#include "tests/results/records.h"
#include "tests/results/store/child.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// A store with a clock that stands still until the test moves it.
class CommitTest : public ::testing::Test {
 protected:
  Store open() {
    return Store::open(path_, [this] { return now_; });
  }
  std::int64_t committed(CampaignId campaign) const {
    Store reader = Store::open_read_only(path_);
    return summarize(reader, campaign).total();
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "results.sqlite";
  std::chrono::steady_clock::time_point now_{};
};

TEST_F(CommitTest, OthersSeeABatchWhenASecondHasPassedSinceItsFirstWrite) {
  Store store = open();
  const CampaignId campaign = some_campaign(store);
  store.put(campaign, some_block(1), measured(1));
  now_ += milliseconds(999);
  store.put(campaign, some_block(2), measured(2));
  EXPECT_EQ(committed(campaign), 0);
  now_ += milliseconds(1);
  store.put(campaign, some_block(3), measured(3));
  EXPECT_EQ(committed(campaign), 3);
  store.put(campaign, some_block(4), measured(4));
  EXPECT_EQ(committed(campaign), 3);
}

TEST_F(CommitTest, ASourceIsAWriteToo) {
  Store store = open();
  const CampaignId campaign = some_campaign(store);
  store.put(campaign, some_block(1), measured(1));
  now_ += milliseconds(1000);
  store.add_source(some_block(1), some_source("a", 1));
  EXPECT_EQ(committed(campaign), 1);
}

TEST_F(CommitTest, CommitsOnRequestAndAtTheEnd) {
  CampaignId campaign{};
  {
    Store store = open();
    campaign = some_campaign(store);
    store.put(campaign, some_block(1), measured(1));
    store.commit();
    EXPECT_EQ(committed(campaign), 1);
    store.put(campaign, some_block(2), measured(2));
  }
  EXPECT_EQ(committed(campaign), 2);
}

TEST_F(CommitTest, AKilledProcessLosesNothingThatWasCommitted) {
  // The store is not a local of the child's work, so that it is not closed or committed when that
  // returns.
  std::optional<Store> store;
  Child child([&] {
    store.emplace(open());
    const CampaignId campaign = some_campaign(*store);
    store->put(campaign, some_block(1), measured(1));
    store->put(campaign, some_block(2), measured(2));
    store->commit();
    store->put(campaign, some_block(3), measured(3));
    return std::string("ready");
  });
  ASSERT_EQ(child.report(), "ready");
  child.kill();
  EXPECT_THAT(snapshot(folder_.path()), ::testing::Contains(::testing::Key("results.sqlite-wal")));
  store.emplace(open());
  const CampaignId campaign = some_campaign(*store);
  EXPECT_TRUE(store->has(campaign, some_block(1), Notion::kUnrolled));
  EXPECT_TRUE(store->has(campaign, some_block(2), Notion::kUnrolled));
  EXPECT_FALSE(store->has(campaign, some_block(3), Notion::kUnrolled));
  store->put(campaign, some_block(3), measured(3));
  EXPECT_EQ(summarize(*store, campaign).total(), 3);
}

/// While an object of this class lives, files may not grow past the limit; a write past it fails
/// with EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uintmax_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

std::string error_of_a_commit_that_does_not_fit(Store& store, CampaignId campaign,
                                                const std::filesystem::path& log) {
  for (std::uint32_t i = 100; i < 1100; ++i) store.put(campaign, some_block(i), measured(1));
  const FileSizeLimit limit(std::filesystem::file_size(log) + 10'000);
  return error_of<EnvironmentError>([&] { store.commit(); });
}

TEST_F(CommitTest, ADiskThatRefusesLeavesWhatWasCommittedAndAStoreToGoOnWith) {
  // This runs in a child process, which has limits and signals of its own.
  const Child child([this] {
    Store store = open();
    const CampaignId campaign = some_campaign(store);
    store.put(campaign, some_block(1), measured(1));
    store.commit();
    const std::string error =
        error_of_a_commit_that_does_not_fit(store, campaign, path_.string() + "-wal");
    const auto kept = summarize(store, campaign).total();
    store.put(campaign, some_block(2), measured(2));
    store.commit();
    return fmt::format("{} then {} | {}", kept, summarize(store, campaign).total(), error);
  });
  EXPECT_THAT(child.report(),
              ::testing::AllOf(::testing::StartsWith("1 then 2 | "), HasSubstr("results.sqlite: "),
                               HasSubstr("what was committed is intact")));
}

/// Mounts a file system of a megabyte over the folder, for this process alone; returns in words
/// what prevents that, or nothing.
std::string mount_small(const std::filesystem::path& folder) {
  if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
      mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=1m") != 0) {
    return describe_errno("no small file system", errno);
  }
  return "";
}

/// Fills the disk, and returns what the store says then, and how many outcomes there are then and
/// after some space was freed.
std::string fill(const std::filesystem::path& path, const std::function<Store()>& open) {
  const auto ballast = path.parent_path() / "ballast";
  write_file(ballast, std::string(300'000, 'x'));
  std::string error = "no error";
  {
    Store store = open();
    const CampaignId campaign = some_campaign(store);
    store.put(campaign, some_block(0), measured(1));
    store.commit();
    try {
      for (std::uint32_t i = 1; i < 20'000; ++i) store.put(campaign, some_block(i), measured(1));
      store.commit();
    } catch (const EnvironmentError& full) {
      error = full.what();
    }
  }
  std::filesystem::remove(ballast);
  Store store = open();
  const CampaignId campaign = some_campaign(store);
  const auto kept = summarize(store, campaign).total();
  store.put(campaign, some_block(1), measured(1));
  store.commit();
  return fmt::format("{} then {} | {}", kept, summarize(store, campaign).total(), error);
}

TEST_F(CommitTest, AFullDiskIsToldAndTheStoreGoesOnWhenThereIsSpace) {
  const Child child([this] {
    const std::string problem = mount_small(folder_.path());
    return problem.empty() ? fill(path_, [this] { return open(); }) : problem;
  });
  const std::string report = child.report();
  if (report.starts_with("no small file system")) GTEST_SKIP() << report;
  EXPECT_THAT(report, ::testing::AllOf(::testing::StartsWith("1 then 2 | "),
                                       HasSubstr("the disk is full"), HasSubstr("to go on")));
}

}  // namespace
}  // namespace assay
