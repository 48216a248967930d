#include "harness/campaign/worker_message.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/results/records.h"

namespace assay {
namespace {

Measurement full_measurement() {
  return {.notion = Notion::kLooped,
          .outcome = {Reason::kNone, std::string("in copy 3\0!", 11)},
          .estimate = Estimate{.cycles = 1.25, .half_width = 0.5},
          .timed = {.runs = 400, .dropped = 3},
          .visits = 4,
          .settled = false,
          .instructions = 7,
          .copies = 500,
          .pages = 2,
          .initial_state = "apart",
          .loop_end = "own",
          .traits = {Trait::kSplitLine, Trait::kInputDependent},
          .events = some_events(),
          .modes = some_modes(),
          .placements = some_placements(),
          .evidence = {}};
}

const Answer kAnyAnswer{7, full_measurement(), "add rax, rbx",
                        Evidence{{1.5, 0.03}, {-0.01, 0.02}, 0.25, 2}};

template <typename Alternative>
Alternative round_trip(const Alternative& message) {
  MessageStream stream;
  stream.append(encode(message));
  return std::get<Alternative>(stream.next().value());
}

TEST(WorkerMessage, AWholeMeasurementComesBack) {
  const Answer back = round_trip(kAnyAnswer);
  EXPECT_EQ(back.ticket, 7U);
  EXPECT_EQ(back.text, "add rax, rbx");
  EXPECT_EQ(back.measurement, full_measurement());
}

TEST(WorkerMessage, OtherMessagesComeBack) {
  const Task task =
      round_trip(Task{3, Notion::kLooped, 2, 320, true, {{0x48, 0x00, 0xd8}, "bhive mem=0x40"}});
  EXPECT_EQ(task.ticket, 3U);
  EXPECT_EQ(task.notion, Notion::kLooped);
  EXPECT_EQ(task.visit, 2);
  EXPECT_EQ(task.copies, 320);
  EXPECT_TRUE(task.with_text);
  EXPECT_EQ(task.block, (BlockSpec{{0x48, 0x00, 0xd8}, "bhive mem=0x40"}));
  const WorkerError error = round_trip(WorkerError{WorkerError::Kind::kEnvironment, "no clock"});
  EXPECT_EQ(error.kind, WorkerError::Kind::kEnvironment);
  EXPECT_EQ(error.text, "no clock");
  round_trip(WorkerReady{});
  EXPECT_FALSE(round_trip(Answer{}).measurement.estimate);
}

TEST(WorkerMessage, ComesInAnyPieces) {
  const std::string bytes = encode(kAnyAnswer) + encode(WorkerReady{}) + encode(kAnyAnswer);
  MessageStream stream;
  std::size_t messages = 0;
  for (const char byte : bytes) {
    stream.append({&byte, 1});
    while (stream.next()) ++messages;
  }
  EXPECT_EQ(messages, 3U);
}

/// The message with the length at its start set to the number of bytes that follow.
std::string with_length(std::string bytes) {
  const auto length = static_cast<std::uint32_t>(bytes.size() - 4);
  bytes.replace(0, 4, reinterpret_cast<const char*>(&length), 4);
  return bytes;
}

TEST(WorkerMessage, CutShortOrTooLongIsRefused) {
  const std::string whole = encode(kAnyAnswer);
  for (std::size_t size = 4; size < whole.size(); ++size) {
    MessageStream stream;
    stream.append(with_length(whole.substr(0, size)));
    EXPECT_THROW(stream.next(), BrokenMessage) << size;
  }
  MessageStream stream;
  stream.append(with_length(whole + "x"));
  EXPECT_THROW(stream.next(), BrokenMessage);
}

TEST(WorkerMessage, WhatNamesNothingIsRefused) {
  const std::string whole = encode(kAnyAnswer);
  for (const char* word : {"looped", "none", "input_dependent"}) {
    std::string wrong = whole;
    wrong[whole.find(word)] = '?';
    MessageStream stream;
    stream.append(wrong);
    EXPECT_THROW(stream.next(), BrokenMessage) << word;
  }
  std::string of_no_kind = whole;
  of_no_kind[5] = 4;  // after the length and the head of the array
  MessageStream stream;
  stream.append(of_no_kind);
  EXPECT_THROW(stream.next(), BrokenMessage);
  MessageStream endless;
  endless.append("\xff\xff\xff\xff");
  EXPECT_THROW(endless.next(), BrokenMessage);
}

void expect_refused(const std::string& message) {
  MessageStream stream;
  stream.append(with_length(message));
  EXPECT_THROW(stream.next(), BrokenMessage);
}

TEST(WorkerMessage, ListsWithinListsWithoutEndAreRefused) {
  constexpr char kListOfOne = '\x91';
  constexpr char kMapOfOne = '\x81';
  for (const char head : {kListOfOne, kMapOfOne}) expect_refused(std::string(2 << 20, head));
}

TEST(WorkerMessage, AValueWithoutItsVerdictIsRefused) {
  Answer answer = kAnyAnswer;
  answer.measurement.outcome.reason = Reason::kUnstable;
  expect_refused(encode(answer));
  answer.measurement.outcome.reason = Reason::kNone;
  answer.measurement.estimate.reset();
  expect_refused(encode(answer));
}

TEST(WorkerMessage, NumbersOfAnotherTypeAreRefused) {
  using nlohmann::json;
  const auto expect_refused_as = [](const json& message) {
    std::string text(4, '\0');
    json::to_msgpack(message, text);
    expect_refused(text);
  };
  expect_refused_as({2.0, json::array()});                                 // no index of a kind
  expect_refused_as({0, {1.5, "looped", false, {json::binary({}), ""}}});  // no ticket
  expect_refused_as({0, {-1, "looped", false, {json::binary({}), ""}}});
}

}  // namespace
}  // namespace assay
