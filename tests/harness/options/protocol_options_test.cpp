#include "harness/options/protocol_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/protocol/protocols.h"

#include <string>
#include <vector>

#include "harness/options/state_options.h"
#include "profiler/protocol/fixed_protocol.h"
#include "tests/error_of.h"

namespace assay {
namespace {

using testing::HasSubstr;

/// The settings for these arguments, with the options of the initial state, which a protocol may
/// choose.
Settings protocol_settings_of(const std::vector<std::string>& arguments) {
  CommandLine line("test", "test");
  add_protocol_options(line);
  add_state_options(line);
  const auto values = line.parse(arguments).value();
  Settings settings = protocol_settings(values);
  read_state_options(values, settings);
  return settings;
}

/// The message of the usage error that the arguments raise; empty if they raise none.
std::string protocol_complaint(const std::vector<std::string>& arguments) {
  return error_of<UsageError>([&] { protocol_settings_of(arguments); });
}

TEST(ProtocolOptionsTest, WithoutAnyTheSettingsAreTheDefaults) {
  EXPECT_EQ(to_json(protocol_settings_of({})), to_json(Settings{}));
}

TEST(ProtocolOptionsTest, EachProtocolBeginsWithItsOwnSettings) {
  for (const std::string_view name : protocol_names()) {
    EXPECT_EQ(to_json(protocol_settings_of({"--protocol", std::string(name)})),
              to_json(default_settings(name)));
  }
}

TEST(ProtocolOptionsTest, AStateThatIsGivenIsTakenUnderBhiveToo) {
  EXPECT_EQ(protocol_settings_of({"--protocol", "bhive"}).initial_state, "bhive");
  EXPECT_EQ(protocol_settings_of({"--protocol", "bhive", "--state", "zero"}).initial_state, "zero");
  EXPECT_EQ(protocol_settings_of({"--protocol", "bhive", "--frames", "4"}).state_overrides.frames,
            4);
  EXPECT_EQ(protocol_settings_of({"--protocol", "uica"}).initial_state, "distinct");
}

TEST(ProtocolOptionsTest, NanobenchTakesNumbers) {
  const Settings settings =
      protocol_settings_of({"--protocol", "nanobench", "--unroll", "7", "--loop", "30", "--warm-up",
                            "0", "--runs", "12", "--aggregate", "min"});
  EXPECT_EQ(settings.nanobench.unroll, 7);
  EXPECT_EQ(settings.nanobench.loop, 30);
  EXPECT_EQ(settings.nanobench.warm_up, 0);
  EXPECT_EQ(settings.nanobench.runs, 12);
  EXPECT_EQ(settings.nanobench.aggregate, Aggregate::kMinimum);
}

TEST(ProtocolOptionsTest, NobodyElseTakesThem) {
  for (const std::string option : {"unroll", "loop", "warm-up", "runs"}) {
    for (const std::string protocol : {"assay", "uica", "bhive"}) {
      EXPECT_THAT(protocol_complaint({"--protocol", protocol, "--" + option, "1"}),
                  HasSubstr("--" + option + " is an option of --protocol nanobench"));
    }
  }
  EXPECT_THAT(protocol_complaint({"--aggregate", "min"}), HasSubstr("nanobench"));
  // An option without effect is refused even if it has its default value.
  EXPECT_THAT(protocol_complaint({"--runs", "10"}), HasSubstr("nanobench"));
}

TEST(ProtocolOptionsTest, NumbersHaveRanges) {
  const auto complains = [](const std::string& option, const std::string& value) {
    return protocol_complaint({"--protocol", "nanobench", "--" + option + "=" + value});
  };
  for (const std::string option : {"unroll", "runs"}) {
    EXPECT_EQ(complains(option, "1"), "");
    EXPECT_THAT(complains(option, "0"), HasSubstr("--" + option + " must be from 1 to"));
    EXPECT_THAT(complains(option, "100001"), HasSubstr("to 100000, not 100001"));
  }
  EXPECT_EQ(complains("loop", "0"), "");
  EXPECT_THAT(complains("loop", "-1"), HasSubstr("from 0 to"));
  EXPECT_EQ(complains("warm-up", "11"), "");
  EXPECT_THAT(complains("warm-up", "12"), HasSubstr("from 0 to 11"));
}

TEST(ProtocolOptionsTest, NamesWhatThereIs) {
  EXPECT_THAT(protocol_complaint({"--protocol", "exegesis"}),
              HasSubstr("assay, uica, bhive, nanobench"));
  EXPECT_THAT(protocol_complaint({"--protocol", "nanobench", "--aggregate", "max"}),
              HasSubstr("min, median, avg"));
}

}  // namespace
}  // namespace assay
