#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstring>

#include "tests/harness/campaign/attacked_campaign.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;

/// Campaigns whose store loses files, or is copied, while they write it.
class StoreLoss : public AttackedCampaign {
 protected:
  StoreLoss() : AttackedCampaign(kMany) {}

  static constexpr int kFurther = 50;
};

/// Copies of the files as they are at one moment, such as when the machine loses power: the writer
/// is stopped meanwhile.
TEST_F(StoreLoss, CopiesOfARandomMomentAreWhole) {
  const auto process = start();
  for (int i = 0; i < 2; ++i) {
    wait_at_random();
    const Outcomes committed = outcomes();
    if (committed.empty()) continue;
    send(process->pid(), SIGSTOP);
    for (const std::vector<std::string>& parts :
         {std::vector<std::string>{"", "-wal", "-shm"}, {"", "-wal"}, {""}}) {
      const TemporaryFolder copies;
      for (const std::string& part : parts) {
        const std::string name = store_.filename().string() + part;
        if (std::filesystem::exists(folder_ / name)) {
          std::filesystem::copy_file(folder_ / name, copies / name);
        }
      }
      const auto copy = copies / store_.filename();
      const Outcomes copied = outcomes(copy);
      if (parts.size() > 1) expect_kept(committed, copied);
      const Finished run = run_assay({"profile", corpus_, "--db", copy, "--json", "--patience", "1",
                                      "--limit", std::to_string(copied.size() + 5)});
      // On a busy core it may be that none of the five further blocks gets a value.
      EXPECT_THAT(run.status, AnyOf(0, 1)) << run.err;
      expect_kept(copied, outcomes(copy));
    }
    send(process->pid(), SIGCONT);
  }
  send(process->pid(), SIGTERM);
  EXPECT_EQ(process->wait().status, 128 + SIGTERM);
  expect_to_go_on(kFurther);
}

TEST_F(StoreLoss, AStoreThatIsDeletedIsAnError) {
  const auto process = start();
  wait_for_outcomes({});
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(store_.string() + part);
  const Finished run = process->wait();
  EXPECT_EQ(run.status, 3) << run.out;
  EXPECT_THAT(run.err, HasSubstr(store_.filename().string()));
  expect_nothing_left();
  expect_to_go_on(kFurther);
}

TEST_F(StoreLoss, AStoreThatIsReplacedIsAnErrorAndTheOtherFileStaysAsItIs) {
  const auto process = start();
  wait_for_outcomes({});
  const std::string other = "somebody's letter";
  std::filesystem::rename(folder_.write("other", other), store_);
  const Finished run = process->wait();
  EXPECT_EQ(run.status, 3) << run.out;
  EXPECT_THAT(run.err, HasSubstr(store_.filename().string()));
  EXPECT_EQ(content_of(store_), other);
  expect_nothing_left();
}

TEST_F(StoreLoss, AFileThatMayNotGrowIsAnErrorAndTheStoreStaysWhole) {
  constexpr rlim_t kLimit =
      5 << 18;  // somewhat more than the file of the memory shared with a subject
  const auto limit_files = [] {
    const rlimit limit{kLimit, kLimit};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Finished run = start(limit_files)->wait();
  EXPECT_EQ(run.status, 3) << run.out;
  EXPECT_THAT(run.err, HasSubstr(store_.filename().string()));
  expect_nothing_left();
  expect_to_go_on(kFurther);
}

/// A small file system in memory, unmounted at the end.
class SmallDisk {
 public:
  explicit SmallDisk(const std::filesystem::path& folder) : folder_(folder) {
    std::filesystem::create_directory(folder);
    mounted_ = mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=64m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }
  bool resize(std::uintmax_t bytes) const {
    const std::string options = fmt::format("size={}", bytes);
    return mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT, options.c_str()) == 0;
  }

 private:
  std::filesystem::path folder_;
  bool mounted_;
};

TEST_F(StoreLoss, AFullDiskIsAnErrorAndTheStoreStaysWhole) {
  const TemporaryFolder place;
  const SmallDisk disk(place / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "no file system can be mounted here: " << strerror(errno);
  store_ = place / "disk/results.sqlite";
  expect_to_go_on(kFurther);
  const Outcomes committed = outcomes();
  ASSERT_TRUE(disk.resize(std::filesystem::file_size(store_) + (100 << 10)));
  const Finished run = start()->wait();
  EXPECT_EQ(run.status, 3) << run.out;
  EXPECT_THAT(run.err, HasSubstr("results.sqlite: the disk is full"));
  expect_nothing_left();
  ASSERT_TRUE(disk.resize(64 << 20));
  expect_kept(committed, outcomes());
  expect_to_go_on(kFurther);
}

class NoOutput : public AttackedCampaign {
 protected:
  NoOutput() : AttackedCampaign(kFew) {}
};

TEST_F(NoOutput, LosesNothing) {
  const auto to_full_device = [] {
    if (dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO) < 0) _exit(126);
  };
  const Finished run = start(to_full_device)->wait();
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("standard output"));
  expect_nothing_left();
  EXPECT_EQ(outcomes().size(), blocks_.size());
  expect_to_go_on();
}

}  // namespace
}  // namespace assay
