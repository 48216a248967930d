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

/// What a store has of each block: its bytes in hexadecimal, and then all of its outcome.
using Outcomes = std::map<std::string, std::string>;

/// `assay profile` in a folder of its own, to be attacked while it runs: by signals and by what
/// happens to its files. It is known by the command line alone.
class AttackedCampaign : public testing::Test {
 protected:
  static constexpr int kFew = 1500;    ///< blocks of a second or less
  static constexpr int kMany = 40000;  ///< far more than are measured until it is ended
  static constexpr std::chrono::seconds kPatience{20};

  explicit AttackedCampaign(int blocks);
  /// Ends whatever a failed test has left.
  ~AttackedCampaign() override;

  /// Starts it as the first of a process group, and waits until it runs in the folder.
  std::unique_ptr<AssayProcess> start(const std::function<void()>& in_child = {}) const;
  /// Lets a random time pass, in which a campaign starts, and most often commits.
  void wait_at_random();
  /// Waits until others than these are committed.
  void wait_for_outcomes(const Outcomes& known) const;
  /// False if the condition did not come true in time.
  static bool eventually(const std::function<bool()>& condition);

  /// Processes of that name that run in the folder, other than `process`.
  std::vector<pid_t> running(const std::string& name, pid_t process = -1) const;
  std::vector<pid_t> subjects() const { return running("assay-subject"); }
  /// Waits for one to be there, and chooses; nothing if all has ended, or there is none in time.
  std::optional<pid_t> any_subject();

  /// As kill(2), but of one process only, never of a group or of all. Whether there was one.
  static bool send(std::optional<pid_t> process, int signal);
  /// To all of the group that a process is the first of.
  static bool send_to_group(pid_t first, int signal);

  /// Of a store that may be in use; none if there is no store yet. Fails if it is damaged, or if a
  /// block has two outcomes.
  Outcomes outcomes(const std::filesystem::path& store) const;
  Outcomes outcomes() const { return outcomes(store_); }

  /// That no process is left, and no file but the corpus and what belongs to a store.
  void expect_nothing_left() const;
  /// That these outcomes are still there, as they were.
  static void expect_kept(const Outcomes& before, const Outcomes& now);
  /// Runs the same command to the end of the corpus, or to where `further` blocks of it have an
  /// outcome that had none: it measures those, and no other.
  void expect_to_go_on(std::optional<int> further = std::nullopt) const;

  TemporaryFolder folder_;
  std::vector<std::string> blocks_;  ///< of the corpus, in its order
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
