#include "suites/readers/input_stream.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include "profiler/support/error.h"
#include "suites/readers/line_reader.h"
#include "tests/suites/readers/compressed.h"
#include "tests/suites/readers/temporary_file.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Everything that a stream gives, read in pieces of this size, followed by the error that ends it,
/// in brackets.
std::string content_of(InputStream stream, std::size_t piece = 1000) {
  std::string content;
  std::string buffer(piece, '\0');
  try {
    while (!stream.has_ended()) content.append(buffer, 0, stream.read(buffer));
  } catch (const InputError& error) {
    content += fmt::format("[{}]", error.what());
  }
  return content;
}

std::string content_of(std::string_view file, std::size_t piece = 1000) {
  const TemporaryFile temporary(file);
  return content_of(InputFile::open(temporary.path()), piece);
}

constexpr std::size_t kZstdBlock = std::size_t{128} * 1024;  // uncompressed bytes in a zstd block

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}\n", i * i);
  return text;
}

TEST(InputStream, GivesPlainFilesAsTheyAre) {
  for (const std::string text : {"", "\x1f", "(", "P*M", "\x28\xb5\x2f\xfc....", "90\n"}) {
    EXPECT_EQ(content_of(text), text);
  }
  const std::string large = numbers(100'000);
  EXPECT_EQ(content_of(large), large);
}

TEST(InputStream, Decompresses) {
  for (const std::string& text : {std::string(), std::string("90\n"), numbers(100'000)}) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20}) {
      if (piece < 100 && text.size() > 1000) continue;
      EXPECT_TRUE(content_of(gzip_of(text), piece) == text) << piece;
      EXPECT_TRUE(content_of(zstd_of(text), piece) == text) << piece;
    }
  }
}

TEST(InputStream, ReadsOneMemberAfterAnother) {
  EXPECT_EQ(content_of(gzip_of("90\n") + gzip_of("") + gzip_of("9090\n")), "90\n9090\n");
  EXPECT_EQ(content_of(zstd_of("90\n") + skippable_zstd_frame("90") + zstd_of("9090\n")),
            "90\n9090\n");
  EXPECT_EQ(content_of(skippable_zstd_frame("x") + zstd_of("90\n")), "90\n");
  EXPECT_EQ(content_of(gzip_of("90\n") + std::string(600, '\0')), "90\n") << "as gzip pads";
}

TEST(InputStream, GivesAllThatCameBeforeTheDamage) {
  // The text is shorter than what is read from a file at a time, and longer than two blocks of
  // zstd.
  const std::string text = numbers(30'000);
  ASSERT_GT(text.size(), 2 * kZstdBlock);
  for (const std::string& whole : {gzip_of(text), zstd_of(text)}) {
    std::string damaged = whole;
    damaged.replace(whole.size() * 3 / 4, 1000, 1000, '\xff');
    const std::string content = content_of(damaged, std::size_t{1} << 20);
    EXPECT_THAT(content, AllOf(HasSubstr(" holds damaged "), HasSubstr(" data, behind byte ")));
    EXPECT_GE(content.find('['), kZstdBlock) << "all but the damaged block";
    EXPECT_EQ(content_of(whole + "junk").substr(0, text.size() + 1), text + "[");
  }
}

TEST(InputStream, SaysWhereItWasCutOff) {
  for (const std::string& whole : {gzip_of("4801d8\n"), zstd_of("4801d8\n")}) {
    for (std::size_t size = 4; size < whole.size(); ++size) {
      EXPECT_THAT(content_of(whole.substr(0, size)),
                  HasSubstr(fmt::format("behind byte {}: it was cut off there]", size)));
    }
  }
}

TEST(InputStream, BoundsTheWindow) {
  // A frame's header: magic, no flags, and a window of 2^28 bytes.
  EXPECT_THAT(content_of(std::string_view("\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00", 9)),
              HasSubstr("needs a window of more than 128 MiB"));
}

TEST(InputStream, WaitsForNobody) {
  for (const std::string& whole :
       {gzip_of("90\n9090\n") + gzip_of("0f0b\n"), zstd_of("90\n9090\n") + zstd_of("0f0b\n")}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    LineReader reader(InputFile(ends[0], "a pipe"));
    std::string lines;
    const auto take_what_is_there = [&] {
      for (;;) {
        const Readiness state = reader.prepare();
        if (state == Readiness::kWaits) return;
        if (state == Readiness::kGoesOn) continue;
        const auto line = reader.next();
        if (!line) return;
        lines.append(line->text) += ' ';
      }
    };
    take_what_is_there();
    for (const char byte : whole) {
      ASSERT_EQ(write(ends[1], &byte, 1), 1);
      take_what_is_there();
    }
    EXPECT_EQ(lines, "90 9090 0f0b ") << "all of it before the end";
    close(ends[1]);
    EXPECT_EQ(reader.prepare(), Readiness::kReady);
    EXPECT_FALSE(reader.next().has_value());
  }
}

std::size_t largest_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

TEST(InputStream, IsNotBlownUpByABomb) {
  constexpr std::size_t kMember = std::size_t{1} << 20, kMembers = 64;
  const std::string text(kMember, '9');
  for (const std::string& member : {gzip_of(text), zstd_of(text)}) {
    std::string bomb;
    for (std::size_t i = 0; i < kMembers; ++i) bomb += member;
    const TemporaryFile file(bomb);
    const std::size_t before = largest_memory();
    LineReader reader(InputFile::open(file.path()));
    EXPECT_TRUE(reader.next().value().too_long);
    EXPECT_FALSE(reader.next().has_value());
    EXPECT_LT(largest_memory() - before, kMembers * kMember / 4);
  }
}

}  // namespace
}  // namespace assay
