#include "profiler/counters/event_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "profiler/support/error.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string complaint_about_list(const std::string& list) {
  return error_of<InputError>([&] { parse_event_list(list); });
}

TEST(EventList, CommasBetweenSlashesBelongToTheEvent) {
  EXPECT_THAT(
      parse_event_list("cycles, cpu/event=0xc0,umask=1/u ,INST_RETIRED:ANY_P"),
      ElementsAre(EventRequest{"cycles", "cycles", false},
                  EventRequest{"cpu/event=0xc0,umask=1/u", "cpu/event=0xc0,umask=1/u", false},
                  EventRequest{"INST_RETIRED:ANY_P", "INST_RETIRED:ANY_P", false}));
}

TEST(EventList, MistakesAreSaid) {
  EXPECT_THAT(complaint_about_list(""), HasSubstr("empty"));
  EXPECT_THAT(complaint_about_list("a,,b"), HasSubstr("empty"));
  EXPECT_THAT(complaint_about_list("a,"), HasSubstr("empty"));
  EXPECT_THAT(complaint_about_list("a,cpu/event=1"), HasSubstr("slash"));
  EXPECT_THAT(complaint_about_list("a,b,a"), HasSubstr("a is there twice"));
  EXPECT_THAT(complaint_about_list("a\n"), HasSubstr("no text"));
  EXPECT_THAT(complaint_about_list("\xff"), HasSubstr("no text"));
}

TEST(EventFile, OneEventALine) {
  const TemporaryFolder folder;
  const std::string path = folder.write("events",
                                        "# all that counts\r\n"
                                        "\n"
                                        "  INST_RETIRED:ANY_P  # instructions\n"
                                        "C0.00.CMSK=1.TakenAlone  Busy cycles\r\n"
                                        "cpu/event=0xc4,umask=0/\n"
                                        "\t# f\xc3\xbc\x72 alle\n"
                                        "r1c0");
  EXPECT_THAT(read_event_file(path),
              ElementsAre(EventRequest{"INST_RETIRED:ANY_P", "INST_RETIRED:ANY_P", false},
                          EventRequest{"Busy cycles", "cpu/event=0xc0,umask=0x00,cmask=0x1/", true},
                          EventRequest{"cpu/event=0xc4,umask=0/", "cpu/event=0xc4,umask=0/", false},
                          EventRequest{"r1c0", "r1c0", false}));
}

std::string complaint_about_file(std::string_view content) {
  const TemporaryFolder folder;
  const std::string path = folder.write("events", content);
  const std::string text = error_of<InputError>([&] { read_event_file(path); });
  return text.starts_with(path) ? text.substr(path.size()) : "without the path: " + text;
}

TEST(EventFile, MistakesHaveTheirLine) {
  EXPECT_THAT(complaint_about_file("cycles\nC0.00.CMASK=1 X\n"), HasSubstr(":2: \"CMASK=1\""));
  EXPECT_THAT(complaint_about_file("C0.00 A\nC4.00 A\n"), HasSubstr(":2: A is on line 1 already"));
  EXPECT_THAT(complaint_about_file("cycles,instructions\n"), HasSubstr(":1: one event a line"));
  EXPECT_THAT(complaint_about_file("cycles instructions\n"), HasSubstr(":1: "));
  EXPECT_THAT(complaint_about_file("cpu/event=1\n"), HasSubstr(":1: "));
  EXPECT_THAT(complaint_about_file("a\n" + std::string(1001, 'x')), HasSubstr(":2: longer than"));
  EXPECT_THAT(complaint_about_file(std::string_view("a\nb\0c\n", 6)), HasSubstr(":2: no text"));
  EXPECT_THAT(complaint_about_file("\x7f"
                                   "ELF\x02"),
              HasSubstr(":1: no text"));
  EXPECT_THAT(complaint_about_file("f\xc3\xbc\x72\n"), HasSubstr(":1: no text"));
}

TEST(EventFile, FilesThatAreNone) {
  EXPECT_THAT(complaint_about_file(""), HasSubstr(": no event"));
  EXPECT_THAT(complaint_about_file("# nothing\n"), HasSubstr(": no event"));
  EXPECT_THAT(complaint_about_file(std::string((1U << 20) + 1, '\n')), HasSubstr(": larger than"));
  const TemporaryFolder folder;
  EXPECT_THAT(error_of<InputError>([&] { read_event_file(folder.path()); }),
              HasSubstr(folder.path().string() + ": is a directory"));
  EXPECT_THAT(error_of<InputError>([&] { read_event_file(folder / "none"); }), HasSubstr("ENOENT"));
}

TEST(EventFile, AsLargeAsItMayBe) {
  const TemporaryFolder folder;
  const std::string path = folder.write("events", "cycles" + std::string((1U << 20) - 6, '\n'));
  EXPECT_EQ(read_event_file(path).size(), 1U);
}

TEST(Events, AreOfAFileIfThereIsOne) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_events(folder.write("events", "r1c0\n")).at(0).name, "r1c0");
  EXPECT_EQ(read_events("cycles,instructions").size(), 2U);
  EXPECT_EQ(read_events("cpu/event=1,umask=2/").size(), 1U);
  EXPECT_THAT(error_of<InputError>([&] { read_events(folder / "none"); }), HasSubstr("ENOENT"));
  EXPECT_THAT(error_of<InputError>([] { read_events("nonexistent.cfg"); }), HasSubstr("ENOENT"));
  EXPECT_THAT(error_of<InputError>([] { read_events("./nonexistent"); }), HasSubstr("ENOENT"));
}

TEST(EventFile, ALineThatIsThereTwiceCountsOnce) {
  const TemporaryFolder folder;
  const auto events =
      read_event_file(folder.write("e.cfg", "24.3F MISS\nC0.00 INST\n24.3F MISS\n"));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].name, "MISS");
  EXPECT_EQ(events[1].name, "INST");
}

}  // namespace
}  // namespace assay
