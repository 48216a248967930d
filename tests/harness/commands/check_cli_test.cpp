#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <utility>

#include "results/store/store.h"
#include "tests/harness/process.h"
#include "tests/results/records.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class CheckCli : public testing::Test {
 protected:
  CheckCli() {
    Store store = Store::open(store_);
    const CampaignId id = store.campaign(some_machine(), some_environment(), "0.1.0", Settings{});
    for (std::uint32_t i = 1; i <= 3; ++i) store.put(id, some_block(i), measured(i));
  }
  void change() const {
    SQLite::Database(store_, SQLite::OPEN_READWRITE).exec("UPDATE measurement SET cycles = 5");
  }

  TemporaryFolder folder_;
  std::string store_ = folder_ / "results.sqlite";
};

TEST_F(CheckCli, SaysThatAStoreIsWhole) {
  const Finished run = run_assay({"check", store_});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, store_ + ": whole: 1 campaign, 3 blocks, 3 outcomes\n");
  const json object = json::parse(run_assay({"check", store_, "--json"}).out);
  EXPECT_EQ(object["format"], "assay-check");
  EXPECT_EQ(object["whole"], true);
  EXPECT_EQ(object["outcomes"], 3);
}

TEST_F(CheckCli, SaysWhatAnotherProgramChangedAndAcceptsIt) {
  change();
  const Finished run = run_assay({"check", store_});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("the table measurement does not hold what assay wrote"));
  EXPECT_EQ(json::parse(run_assay({"check", store_, "--json"}).out)["whole"], false);
  for (const char* command : {"export", "compare", "merge"}) {
    std::vector<std::string> words = {command, store_};
    if (std::string(command) == "export") words.insert(words.end(), {"--format", "csv"});
    if (std::string(command) == "compare") words.push_back(store_);
    if (std::string(command) == "merge") words.insert(words.begin() + 1, folder_ / "out.sqlite");
    const Finished refused = run_assay(words);
    EXPECT_EQ(refused.status, 2) << command;
    EXPECT_THAT(refused.out, IsEmpty());
    EXPECT_THAT(refused.err, AllOf(HasSubstr(store_), HasSubstr("assay check --accept")));
  }
  EXPECT_EQ(run_assay({"check", "--accept", store_}).status, 0);
  EXPECT_EQ(run_assay({"check", store_}).status, 0);
  EXPECT_THAT(run_assay({"export", store_, "--format", "csv"}).out, HasSubstr("measured"));
}

TEST_F(CheckCli, AcceptsNothingThatContradictsItself) {
  for (const auto& [change, words] :
       {std::pair("DELETE FROM block WHERE id = 2", "belongs to one of block that is not there"),
        std::pair("UPDATE measurement SET verdict = 'rejected', reason = 'zzz', cycles = NULL, "
                  "half_width = NULL WHERE block = 2",
                  "'zzz'")}) {
    const std::string copy = folder_ / "copy.sqlite";
    std::filesystem::copy_file(store_, copy, std::filesystem::copy_options::overwrite_existing);
    {
      SQLite::Database database(copy, SQLite::OPEN_READWRITE);
      database.exec("PRAGMA foreign_keys = OFF");
      database.exec(change);
    }
    const Finished run = run_assay({"check", "--accept", copy});
    EXPECT_EQ(run.status, 2) << run.out;
    EXPECT_THAT(run.err, AllOf(HasSubstr(copy), HasSubstr(words)));
    EXPECT_EQ(run_assay({"check", copy}).status, 1) << change;
  }
}

TEST_F(CheckCli, MakesNoStoreOfAnEmptyFile) {
  const std::string empty = folder_ / "empty";
  write_file(empty, "");
  EXPECT_EQ(run_assay({"check", "--accept", empty}).status, 2);
  EXPECT_EQ(content_of(empty), "");
}

TEST_F(CheckCli, NamesWhatIsNoStore) {
  const std::string text = folder_ / "text";
  write_file(text, "no store");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"check", text},
                                             {"check", "--accept", text},
                                             {"check", folder_ / "none"},
                                             {"check", "--accept", folder_ / "none"},
                                             {"check"},
                                             {"check", store_, store_}}) {
    const Finished run = run_assay(words);
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, HasSubstr("assay check: "));
  }
  EXPECT_EQ(content_of(text), "no store");
}

}  // namespace
}  // namespace assay
