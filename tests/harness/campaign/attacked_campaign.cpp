#include "tests/harness/campaign/attacked_campaign.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <thread>

namespace assay {
namespace {

using namespace std::chrono_literals;

constexpr const char* kUnsettled = "not settled";

bool is_settled(const std::string& outcome) {
  return outcome.find(kUnsettled) == std::string::npos;
}

/// Whether the process has ended; it can still be waited for afterwards.
bool has_ended(pid_t process) {
  siginfo_t info{};
  return waitid(P_PID, process, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == process;
}

}  // namespace

AttackedCampaign::AttackedCampaign(int blocks) {
  std::string lines;
  for (int i = 0; i < blocks; ++i) {
    blocks_.push_back(fmt::format("B8{:02X}{:02X}0000", i & 0xff, i >> 8));  // mov eax, i
    lines += blocks_.back() + "\n";
  }
  corpus_ = folder_.write("corpus.hex", lines);
}

AttackedCampaign::~AttackedCampaign() {
  for (const RunningProcess& process : processes_in(folder_.path())) send(process.pid, SIGKILL);
}

std::unique_ptr<AssayProcess> AttackedCampaign::start(const std::vector<std::string>& options,
                                                      const std::function<void()>& in_child) const {
  std::vector<std::string> arguments = {"profile", corpus_,      "--db", store_,
                                        "--json",  "--patience", "1"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  auto process = std::make_unique<AssayProcess>(arguments, "", [this, in_child] {
    if (setpgid(0, 0) != 0 || chdir(folder_.path().c_str()) != 0) _exit(126);
    if (in_child) in_child();
  });
  eventually([&] { return has_ended(process->pid()) || !processes_in(folder_.path()).empty(); });
  return process;
}

std::unique_ptr<AssayProcess> AttackedCampaign::start(const std::function<void()>& in_child) const {
  return start(std::vector<std::string>{}, in_child);
}

void AttackedCampaign::wait_at_random() {
  std::this_thread::sleep_for(std::uniform_int_distribution(0, 1800)(random_) * 1ms);
}

void AttackedCampaign::wait_for_outcomes(const Outcomes& known) const {
  ASSERT_TRUE(eventually([&] { return outcomes().size() > known.size(); }))
      << "nothing was committed";
}

bool AttackedCampaign::eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

std::vector<pid_t> AttackedCampaign::running(const std::string& name, pid_t process) const {
  std::vector<pid_t> found;
  for (const RunningProcess& each : processes_in(folder_.path())) {
    if (each.name == name && each.pid != process) found.push_back(each.pid);
  }
  return found;
}

std::optional<pid_t> AttackedCampaign::any_subject() {
  std::vector<pid_t> found;
  eventually([&] {
    found = subjects();
    return !found.empty() || processes_in(folder_.path()).empty();
  });
  if (found.empty()) return std::nullopt;
  return found[random_() % found.size()];
}

bool AttackedCampaign::send(std::optional<pid_t> process, int signal) {
  return process && *process > 1 && kill(*process, signal) == 0;
}

bool AttackedCampaign::send_to_group(pid_t first, int signal) {
  return first > 1 && kill(-first, signal) == 0;
}

Outcomes AttackedCampaign::outcomes(const std::filesystem::path& store) const {
  Outcomes found;
  if (!std::filesystem::exists(store)) return found;
  try {
    SQLite::Database database(store.string(), SQLite::OPEN_READWRITE, 5000);
    EXPECT_EQ(database.execAndGet("PRAGMA integrity_check").getString(), "ok");
    if (database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0) return found;
    SQLite::Statement rows(database,
                           "SELECT hex(bytes), measured_at || ' ' || reason || ' ' || "
                           "coalesce(cycles, '') || iif(settled, '', ?1) "
                           "FROM measurement JOIN block ON id = block");
    rows.bind(1, kUnsettled);
    while (rows.executeStep()) {
      const bool is_new = found.emplace(rows.getColumn(0), rows.getColumn(1).getString()).second;
      EXPECT_TRUE(is_new) << rows.getColumn(0) << " is there twice";
    }
  } catch (const std::exception& exception) {
    ADD_FAILURE() << store << ": " << exception.what();
  }
  return found;
}

std::set<std::string> AttackedCampaign::names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    names.insert(entry.path().filename());
  }
  return names;
}

void AttackedCampaign::expect_nothing_left() const {
  EXPECT_TRUE(eventually([&] { return processes_in(folder_.path()).empty(); }));
  const std::string store = store_.filename();
  EXPECT_THAT(names_in(folder_.path()),
              testing::IsSubsetOf({std::filesystem::path(corpus_).filename().string(), store,
                                   store + "-wal", store + "-shm", store + "-journal"}));
  EXPECT_THAT(names_in("/dev/shm"), testing::IsSubsetOf(shared_memory_));
}

void AttackedCampaign::expect_kept(const Outcomes& before, const Outcomes& now) {
  for (const auto& [block, outcome] : before) {
    if (!is_settled(outcome)) continue;
    const auto found = now.find(block);
    ASSERT_NE(found, now.end()) << block << " is lost";
    ASSERT_EQ(found->second, outcome) << block << " was measured again";
  }
}

void AttackedCampaign::expect_to_go_on(std::optional<int> further) const {
  const Outcomes before = outcomes();
  const auto end = further ? before.size() + *further : blocks_.size();
  const Finished run = start({"--limit", std::to_string(end)}, {})->wait();
  // On a busy core it may be that no block gets a value.
  ASSERT_THAT(run.status, testing::AnyOf(0, 1)) << run.err;
  expect_nothing_left();
  const Outcomes after = outcomes();
  expect_kept(before, after);
  // The blocks that had an outcome need not have been the first of the corpus, since several may be
  // measured at once.
  std::set<std::string> expected;
  std::int64_t known = 0;
  for (std::size_t i = 0; i < end; ++i) {
    expected.insert(blocks_.at(i));
    const auto found = before.find(blocks_.at(i));
    if (found != before.end() && is_settled(found->second)) ++known;
  }
  for (const auto& [block, outcome] : before) expected.insert(block);
  std::set<std::string> blocks;
  for (const auto& [block, outcome] : after) blocks.insert(block);
  EXPECT_EQ(blocks.size(), expected.size());
  EXPECT_TRUE(blocks == expected);
  EXPECT_EQ(nlohmann::json::parse(run.out)["known_blocks"], known);
  EXPECT_FALSE(std::filesystem::exists(store_.string() + "-wal")) << "the log is taken in";
}

}  // namespace assay
