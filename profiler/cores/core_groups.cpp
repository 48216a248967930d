#include "profiler/cores/core_groups.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "profiler/cores/core_trial.h"
#include "profiler/machine/siblings.h"

namespace assay {
namespace {

/// Processors that are known to be threads of one core, and what trials have found out about them.
struct Group {
  std::vector<int> members;  ///< ascending
  Slowdown slowdown;         ///< as in CoreGroups::slowdowns
  // Results of the latest round:
  std::size_t differences = 0;  ///< bits in which the number of what slows it differs from its own
  bool unsure = false;

  /// The member that runs in trials: the one that would measure, see one_of_each().
  int representative() const { return members.back(); }
};

/// Groups, given by their indices in the list of groups.
using Numbers = std::vector<std::size_t>;

class Grouping {
 public:
  Grouping(std::span<const int> processors, const CoreTrial& trial)
      : trial_(trial), trials_left_(most_trials(processors.size())) {
    const Slowdown none = {.sharing = Sharing::kApart};
    for (const int processor : processors) groups_.push_back({{processor}, none});
  }

  /// Runs rounds until one joins nothing. Every other round joins at least two groups.
  void run() {
    while (groups_.size() > 1 && run_round()) {
    }
  }

  /// Joins groups that trials were unsure of as the kernel's topology says.
  void ask_kernel(const KernelSiblings& siblings) {
    std::vector<int> processors;
    for (const Group& group : groups_) {
      if (group.unsure) processors.push_back(group.representative());
    }
    for (const int processor : processors) {
      for (const int sibling : siblings(processor)) {
        const std::size_t own = group_of(processor);
        const std::size_t other = group_of(sibling);
        if (own == other || other == groups_.size()) continue;
        join(std::min(own, other), std::max(own, other), {});
      }
    }
  }

  CoreGroups result() {
    std::ranges::sort(groups_, {}, [](const Group& group) { return group.members.front(); });
    CoreGroups result;
    for (const Group& group : groups_) {
      result.groups.push_back(group.members);
      result.slowdowns.push_back(group.slowdown);
      if (!group.unsure) continue;
      result.unsure.insert(result.unsure.end(), group.members.begin(), group.members.end());
    }
    std::ranges::sort(result.unsure);
    return result;
  }

 private:
  static int most_trials(std::size_t count) {
    const auto log2 = static_cast<int>(std::bit_width(count - 1));
    return 4 * log2 + 2 * static_cast<int>(count) + 8;
  }

  /// Returns false if nothing is left to join, or if no trial shows what slows a group.
  bool run_round() {
    find_differences();
    if (join_opposites()) return true;
    for (Group& group : groups_) {
      if (group.differences != 0) group.unsure = true;
    }
    return false;
  }

  void find_differences() {
    for (Group& group : groups_) {
      group.differences = 0;
      group.unsure = false;
      if (group.members.size() == 1) group.slowdown = {};
    }
    for (std::size_t bit = 1; bit < groups_.size(); bit <<= 1) {
      try_half(bit, 0);
      try_half(bit, bit);
    }
  }

  /// Finds out which groups with one value of the bit are slowed while all groups with the other
  /// value are loaded. `half` is `bit` or 0.
  void try_half(std::size_t bit, std::size_t half) {
    Numbers canaries;
    Numbers loads;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      ((i & bit) == half ? canaries : loads).push_back(i);
    }
    const std::vector<Slowdown> slowdowns = ask(canaries, loads);
    for (std::size_t i = 0; i < canaries.size(); ++i) {
      note(groups_[canaries[i]], bit, slowdowns.at(i));
    }
  }

  static void note(Group& group, std::size_t bit, const Slowdown& slowdown) {
    if (slowdown.sharing == Sharing::kShared) group.differences |= bit;
    if (slowdown.sharing == Sharing::kUnsure) group.unsure = true;
    const bool is_most =
        group.slowdown.sharing == Sharing::kUnsure || slowdown.share > group.slowdown.share;
    if (group.members.size() == 1 && is_most) group.slowdown = slowdown;
  }

  /// Joins pairs in which each is slowed by the other only: both find the same differences, which
  /// lead from each to the other. Goes backwards, because joining moves all groups that follow.
  /// Returns whether any were joined.
  bool join_opposites() {
    bool joined = false;
    for (std::size_t i = groups_.size(); i-- > 0;) {
      const std::size_t differences = groups_[i].differences;
      const std::size_t opposite = i ^ differences;
      if (opposite >= i || groups_[opposite].differences != differences) continue;
      if (join_if_shared(opposite, i)) joined = true;
    }
    return joined;
  }

  bool join_if_shared(std::size_t first, std::size_t second) {
    const Slowdown slowdown = ask({first}, {second}).front();
    if (slowdown.sharing != Sharing::kShared) return false;
    join(first, second, slowdown);
    return true;
  }

  /// Moves the members of `second` to `first`, which must be less, and removes `second`.
  void join(std::size_t first, std::size_t second, Slowdown slowdown) {
    Group& group = groups_[first];
    const Group& other = groups_[second];
    // A group's slowdown is the least of those that joined its members.
    for (const Group* part : {&std::as_const(group), &other}) {
      const bool is_less = part->slowdown.share < slowdown.share;
      if (part->members.size() > 1 && is_less) slowdown = part->slowdown;
    }
    group.slowdown = slowdown;
    group.unsure = group.unsure || other.unsure;
    group.members.insert(group.members.end(), other.members.begin(), other.members.end());
    std::ranges::sort(group.members);
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(second));
  }

  /// The index of the processor's group; the number of groups if it is in none.
  std::size_t group_of(int processor) const {
    const auto has = [processor](const Group& group) {
      return std::ranges::find(group.members, processor) != group.members.end();
    };
    return static_cast<std::size_t>(std::ranges::find_if(groups_, has) - groups_.begin());
  }

  /// Runs a trial of the groups' representatives. If no trials are left, all answers are unsure.
  std::vector<Slowdown> ask(const Numbers& canaries, const Numbers& loads) {
    if (trials_left_-- <= 0) return std::vector<Slowdown>(canaries.size());
    return trial_(representatives(canaries), representatives(loads));
  }

  std::vector<int> representatives(const Numbers& numbers) const {
    std::vector<int> processors;
    for (const std::size_t number : numbers) {
      processors.push_back(groups_[number].representative());
    }
    return processors;
  }

  const CoreTrial& trial_;
  int trials_left_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<int> one_of_each(const CoreGroups& groups) {
  std::vector<int> processors;
  for (const std::vector<int>& group : groups.groups) processors.push_back(group.back());
  std::ranges::sort(processors);
  return processors;
}

CoreGroups group_cores(std::span<const int> processors, const CoreTrial& trial,
                       const KernelSiblings& siblings) {
  Grouping grouping(processors, trial);
  grouping.run();
  grouping.ask_kernel(siblings);
  return grouping.result();
}

CoreGroups find_core_groups(std::span<const int> processors) {
  return group_cores(processors, run_core_trial,
                     [](int processor) { return kernel_siblings(processor); });
}

}  // namespace assay
