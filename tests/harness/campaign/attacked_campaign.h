#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/harness/process.h"
#include "tests/harness/process_tree.h"

namespace assay {

/// What a store holds: the outcome of each block, by the block's bytes in hexadecimal.
using Outcomes = std::map<std::string, std::string>;

/// `assay profile` in a folder of its own, to be attacked while it runs, by signals and through its
/// files. The tests know it only by its command line.
class AttackedCampaign : public testing::Test {
 protected:
  static constexpr int kFew = 1500;    ///< blocks that take a second or less
  static constexpr int kMany = 40000;  ///< far more blocks than are measured before it is ended
  static constexpr std::chrono::seconds kPatience{20};

  explicit AttackedCampaign(int blocks);
  /// Ends all processes that a failed test has left.
  ~AttackedCampaign() override;

  /// Starts the program as the leader of a process group, and waits until it runs in the folder.
  std::unique_ptr<AssayProcess> start(const std::function<void()>& in_child = {}) const;
  /// Lets a random time pass, in which a campaign starts, and most often commits.
  void wait_at_random();
  /// Waits until outcomes other than these are committed.
  void wait_for_outcomes(const Outcomes& known) const;
  /// False if the condition did not come true in time.
  static bool eventually(const std::function<bool()>& condition);

  /// Processes with this name that run in the folder, without `process`.
  std::vector<pid_t> running(const std::string& name, pid_t process = -1) const;
  std::vector<pid_t> subjects() const { return running("assay-subject"); }
  /// Waits until there is a subject, and chooses one; nothing if everything has ended, or none
  /// appears in time.
  std::optional<pid_t> any_subject();

  /// Sends a signal to one process, never to a group or to all processes as kill(2) may; returns
  /// whether there was one.
  static bool send(std::optional<pid_t> process, int signal);
  /// Sends a signal to all processes of the group whose leader this is.
  static bool send_to_group(pid_t first, int signal);

  /// The outcomes in a store that may be in use; none if there is no store yet. Fails if the store
  /// is damaged, or if a block has two outcomes.
  Outcomes outcomes(const std::filesystem::path& store) const;
  Outcomes outcomes() const { return outcomes(store_); }

  /// Expects that no process is left, and no file but the corpus and those of a store.
  void expect_nothing_left() const;
  /// Expects that the outcomes from before are still there, unchanged.
  static void expect_kept(const Outcomes& before, const Outcomes& now);
  /// Runs the same command to the end of the corpus, or until `further` blocks that had no outcome
  /// have one, and expects that it measures those blocks and no others.
  void expect_to_go_on(std::optional<int> further = std::nullopt) const;

  TemporaryFolder folder_;
  std::vector<std::string> blocks_;  ///< the blocks of the corpus, in its order
  std::string corpus_;
  std::filesystem::path store_ = folder_ / "results.sqlite";
  std::mt19937 random_{20};

 private:
  static std::set<std::string> names_in(const std::filesystem::path& folder);
  std::unique_ptr<AssayProcess> start(const std::vector<std::string>& options,
                                      const std::function<void()>& in_child) const;

  std::set<std::string> shared_memory_ = names_in("/dev/shm");
};

}  // namespace assay
