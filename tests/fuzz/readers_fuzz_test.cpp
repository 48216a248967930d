// Feeds a few thousand mutated seeds to each reader of untrusted bytes. Each of these readers is
// also a target of libFuzzer (targets/).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <sstream>
#include <vector>

#include "harness/campaign/worker_message.h"
#include "profiler/block/bytes.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/watchdog.h"
#include "tests/temporary_folder.h"

// The targets' names in a program that holds them all (CMakeLists.txt).
extern "C" {
int assay_fuzz_assembly(const std::uint8_t* data, std::size_t size);
int assay_fuzz_block(const std::uint8_t* data, std::size_t size);
int assay_fuzz_compressed(const std::uint8_t* data, std::size_t size);
int assay_fuzz_corpus(const std::uint8_t* data, std::size_t size);
int assay_fuzz_elf(const std::uint8_t* data, std::size_t size);
int assay_fuzz_events(const std::uint8_t* data, std::size_t size);
int assay_fuzz_json(const std::uint8_t* data, std::size_t size);
int assay_fuzz_messages(const std::uint8_t* data, std::size_t size);
int assay_fuzz_profiles(const std::uint8_t* data, std::size_t size);
int assay_fuzz_words(const std::uint8_t* data, std::size_t size);
}

namespace assay::fuzz {
namespace {

struct Target {
  const char* name;  ///< name of the target, and of the folder with its seeds
  int (*function)(const std::uint8_t* data, std::size_t size);
};

void PrintTo(const Target& target, std::ostream* stream) { *stream << target.name; }

constexpr Target kTargets[] = {{"assembly", assay_fuzz_assembly},
                               {"block", assay_fuzz_block},
                               {"compressed", assay_fuzz_compressed},
                               {"corpus", assay_fuzz_corpus},
                               {"elf", assay_fuzz_elf},
                               {"events", assay_fuzz_events},
                               {"json", assay_fuzz_json},
                               {"messages", assay_fuzz_messages},
                               {"profiles", assay_fuzz_profiles},
                               {"words", assay_fuzz_words}};

constexpr std::uint64_t kReaderSeed = 1;
constexpr int kReaderInputs = 10'000;  ///< for each target

Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

/// The files in a folder, sorted by name, since folders have no fixed order.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

/// The programs that CMakeLists.txt builds as seeds.
std::vector<std::filesystem::path> built_programs() {
  std::vector<std::filesystem::path> paths;
  std::istringstream list(ASSAY_FUZZ_PROGRAMS);
  for (std::string path; std::getline(list, path, ':');) paths.emplace_back(path);
  return paths;
}

std::vector<Bytes> seeds_of(const Target& target) {
  const bool elf = target.function == assay_fuzz_elf;
  std::vector<Bytes> seeds;
  for (const auto& path :
       elf ? built_programs() : files_in(std::filesystem::path(ASSAY_FUZZ_SEEDS) / target.name)) {
    seeds.push_back(bytes_of(content_of(path)));
  }
  return seeds;
}

/// A random piece of the bytes.
Bytes piece(Random& random, const Bytes& from) {
  const std::size_t first = random.below(from.size() + 1);
  const std::size_t last = random.between(first, std::min(from.size(), first + 24));
  return {from.begin() + static_cast<std::ptrdiff_t>(first),
          from.begin() + static_cast<std::ptrdiff_t>(last)};
}

void change(Random& random, Bytes& input, const std::vector<Bytes>& seeds) {
  const std::size_t at = random.below(input.size() + 1);
  const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random.below(5)) {
    case 0:
      if (place != input.end()) *place = static_cast<std::uint8_t>(*place ^ 1U << random.below(8));
      break;
    case 1:
      input.insert(place, random.byte());
      break;
    case 2:
      input.erase(place, place + static_cast<std::ptrdiff_t>(random.below(
                                     std::min<std::size_t>(input.size() - at, 8) + 1)));
      break;
    case 3: {
      const Bytes own = piece(random, input);
      input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), own.begin(), own.end());
      break;
    }
    default: {
      const Bytes other = piece(random, random.pick(seeds));
      input.insert(place, other.begin(), other.end());
    }
  }
}

class ReadersFuzz : public testing::TestWithParam<Target> {
 protected:
  /// Feeds an input to the target, and describes what goes wrong; empty if nothing does.
  std::string fed(const Bytes& input) {
    const std::string what = fmt::format("{}: {}", GetParam().name, hex_from_bytes(input));
    watchdog_.watch(what);
    std::string wrong;
    try {
      GetParam().function(input.data(), input.size());
    } catch (const std::exception& error) {
      wrong =
          fmt::format("{}\n{}\n{}", error.what(), what, std::string(input.begin(), input.end()));
    }
    watchdog_.rest();
    return wrong;
  }

 private:
  Watchdog watchdog_{std::chrono::seconds(60)};
};

TEST_P(ReadersFuzz, KeepTheirPromisesWhateverTheyRead) {
  const std::vector<Bytes> seeds = seeds_of(GetParam());
  ASSERT_FALSE(seeds.empty());
  for (const Bytes& seed : seeds) EXPECT_EQ(fed(seed), "");
  Random random(kReaderSeed);
  for (int i = 0; i < kReaderInputs && !HasFailure(); ++i) {
    Bytes input = random.pick(seeds);
    for (std::size_t changes = random.between(1, 6); changes > 0; --changes) {
      change(random, input, seeds);
    }
    EXPECT_EQ(fed(input), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ReadersFuzz, testing::ValuesIn(kTargets),
                         [](const auto& instance) { return std::string(instance.param.name); });

/// A seed that is no message any more makes an attack of its mutations blind.
TEST(Seeds, OfMessagesAreMessages) {
  const std::set<std::string> broken = {"deep", "long"};
  for (const auto& path : files_in(std::filesystem::path(ASSAY_FUZZ_SEEDS) / "messages")) {
    MessageStream stream;
    stream.append(content_of(path).substr(1));
    if (broken.contains(path.filename())) {
      EXPECT_THROW(stream.next(), BrokenMessage) << path;
    } else {
      EXPECT_EQ(stream.next().has_value(), path.filename() != "cut") << path;
    }
  }
}

}  // namespace
}  // namespace assay::fuzz
