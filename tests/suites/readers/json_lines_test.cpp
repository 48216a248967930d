#include "suites/readers/json_lines.h"

#include <gmock/gmock.h>

#include <utility>

#include "suites/readers/corpus_writer.h"
#include "suites/readers/json_cursor.h"
#include "tests/suites/readers/items.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> read_json(std::string_view content) {
  return items_of(content, CorpusFormat::kJsonLines);
}

/// The item of a corpus that has this one line.
std::string item(std::string_view line) {
  const auto items = read_json(line);
  return items.size() == 1 ? items[0] : "another number of items";
}

TEST(JsonLines, HoldWhatIsKnownOfABlock) {
  EXPECT_THAT(
      read_json(
          R"({"hex":"4801d8","name":"add","source":"sqlite3:f","weight":12,"state":"mem=64 rdx=0 bhive"})"
          "\n# a comment\n\n"
          R"( { "weight" : 2.5e-1 , "hex" : "90" } )"
          "\r\n"
          R"({"hex":"0F05"})"),
      ElementsAre("1:4801d8@12 add (sqlite3:f) [bhive rdx=0x0 mem=0x40]", "4:90@0.25", "5:0f05"));
}

TEST(JsonLines, MayHoldWhateverElse) {
  EXPECT_EQ(item(R"({"a":{"hex":"x","b":[1,-2.5e+3,{},[],true,false,null]},"hex":"90","a":"\\"})"),
            "1:90");
  EXPECT_EQ(item(R"({"hex":"90","name":null,"source":null,"weight":null,"state":null})"), "1:90");
  EXPECT_EQ(item(R"({"format":"assay-export","version":1,"hex":"90"})"), "1:90");
}

TEST(JsonLines, MayBeWhatAssayExports) {
  EXPECT_EQ(
      item(R"({"format":"assay-export","hex":"90","state":"","sources":[)"
           R"({"corpus":"a","line":1,"frequency":2.5,"name":"nop","source":"f"},)"
           R"({"corpus":"b","line":7,"frequency":4,"name":"other","source":"g"},)"
           R"({"corpus":"c","line":9,"frequency":null,"name":"","source":""}],"campaign":{}})"),
      "1:90@6.5 nop (f)");
  EXPECT_EQ(item(R"({"format":"assay-export","hex":"90","sources":[]})"), "1:90");
  EXPECT_EQ(item(R"({"hex":"90","sources":[{"frequency":2}]})"), "1:90");
  EXPECT_THAT(item(R"({"format":"assay-export","hex":"90","sources":[{"frequency":2}})"),
              HasSubstr("',' or ']'"));
}

TEST(JsonLines, ResolveEscapes) {
  EXPECT_EQ(
      item(R"({"h\u0065x":"\u0039\u0030","name":"\"\\\/\b\f\n\r\t\u00e4\u20ac\ud83d\ude00"})"),
      "1:90 \"\\/\b\f\n\r\t\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(JsonLines, SayWhichColumnIsWrong) {
  const std::pair<const char*, const char*> lines[] = {
      {R"(90)", R"(column 1: expected an object, found "9")"},
      {R"({"hex":"90")", "column 12: the line ends before ',' or '}'"},
      {R"({"hex":"90",})", R"(column 13: expected a string, found "}")"},
      {R"({"hex" "90"})", R"(column 8: expected ':' after a key, found "\"")"},
      {R"({"hex":"90"} x)", "column 14: there is text after the object"},
      {R"({"hex":"90"}{"hex":"90"})", "column 13: there is text after the object"},
      {R"({"weight":1})", R"(column 1: the key "hex" is missing)"},
      {R"({"hex":""})", "column 9: the block is empty"},
      {R"({"hex":"9"})", "column 9: an odd number of hexadecimal digits (1)"},
      {R"({"hex":"90g0"})", R"(column 11: "g" is no hexadecimal digit)"},
      {R"({"hex":"\u0039g"})", R"(column 9: "g" is no hexadecimal digit)"},
      {R"({"hex":"0x90"})", "column 9: the block starts with 0x"},
      {R"({"hex":90})", "column 8: expected a string"},
      {R"({"hex":null})", "column 8: expected a string"},
      {R"({"hex":"90","hex":"90"})", R"(column 13: the key "hex" comes twice)"},
      {R"({"weight":1,"hex":"90","weight":null})", R"(column 24: the key "weight" comes twice)"},
      {R"({"hex":"90","weight":"1"})", "column 22: expected a number"},
      {R"({"hex":"90","weight":-1})", R"(column 22: "-1" is negative)"},
      {R"({"hex":"90","weight":1e999})", R"(column 22: "1e999" is no finite number)"},
      {R"({"hex":"90","weight":01})", R"(column 23: expected ',' or '}', found "1")"},
      {R"({"hex":"90","weight":1.})", "column 24: a digit is due here"},
      {R"({"hex":"90","weight":.5})", "column 22: expected a number"},
      {R"({"hex":"90","weight":NaN})", "column 22: expected a number"},
      {R"({"hex":"90","weight":nul})", R"(column 22: "n" does not start a value)"},
      {R"({"hex":"90","name":["a"]})", "column 20: expected a string"},
      {R"({"hex":"90","name":"a)", "column 20: the string does not end"},
      {R"({"hex":"90","name":"a\)", "column 22: not a valid JSON escape"},
      {R"({"hex":"90","name":"\x"})", "column 21: not a valid JSON escape"},
      {R"({"hex":"90","name":"\u12g4"})", "column 25: four hexadecimal digits"},
      {R"({"hex":"90","name":"a\ud800"})", "column 22: half a surrogate pair"},
      {R"({"hex":"90","name":"a\ud800\u0041"})", "column 22: half a surrogate pair"},
      {R"({"hex":"90","name":"a\udc00"})", "column 22: half a surrogate pair"},
      {R"({"hex":"90","name":"a\u0000"})", "column 21: a NUL character"},
      {"{\"hex\":\"90\",\"name\":\"a\xff\"}", R"(column 22: "\xff" is no UTF-8)"},
      {"{\"hex\":\"90\",\"other\":\"a\xff\"}", R"(column 23: "\xff" is no UTF-8)"},
      {"{\"hex\":\"90\",\"name\":\"a\tb\"}", "column 22: a control character in a string"},
      {R"({"hex":"90","state":"bhive rdx=q"})", "column 22: "},
      {R"({"hex":"90","a":tru})", R"(column 17: "t" does not start a value)"},
      {R"({"hex":"90","a":})", R"(column 17: "}" cannot start a value)"},
      {R"({"hex":"90","a":)", "column 17: the line ends before a value"},
      {R"({"hex":"90","a":[1,2)", "column 21: the line ends before ',' or ']'"},
  };
  std::string content;
  for (const auto& [line, problem] : lines) content.append(line) += '\n';
  const std::vector<std::string> items = read_json(content);
  ASSERT_EQ(items.size(), std::size(lines));
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_THAT(items[i], StartsWith(fmt::format("{}! {}", i + 1, lines[i].second)))
        << lines[i].first;
  }
}

TEST(JsonLines, AreOfNoMoreThanSomeDepth) {
  const auto nested = [](int depth) {
    const auto count = static_cast<std::size_t>(depth);
    return R"({"hex":"90","a":)" + std::string(count, '[') + std::string(count, ']') + "}";
  };
  EXPECT_EQ(item(nested(JsonCursor::kDeepest)), "1:90");
  EXPECT_THAT(item(nested(JsonCursor::kDeepest + 2)),
              StartsWith("1! column 82: values nested more than 64 deep"));
  EXPECT_THAT(item(nested(16'000)), StartsWith("1! column 82: values nested more than 64 deep"));
}

TEST(JsonLines, BeginWithWhatTheCorpusIs) {
  const std::string header = corpus_header(CorpusFormat::kJsonLines, {"0.1.0", "some", {}});
  EXPECT_THAT(read_json(header + "{\"hex\":\"90\"}\n" + header + "{\"hex\":\"9090\"}\n"),
              ElementsAre("2:90", "4:9090"));
  EXPECT_THAT(read_json("{\"hex\":\"90\"}\n{\"format\":\"assay-corpus\",\"version\":2}\n"),
              ElementsAre("1:90", HasSubstr("line 2: a corpus of version 2")));
  EXPECT_THAT(read_json("{\"format\":\"assay-corpus\"}\n"),
              ElementsAre(HasSubstr("line 1: a corpus of version unknown")));
}

TEST(JsonLines, ReadBackWhatWasWritten) {
  CorpusEntry entry;
  entry.bytes = {0x48, 0x01, 0xd8};
  entry.frequency = 0.1 + 0.2;
  entry.name = "a \"name\"\n\x01\xc3\xa4";
  entry.origin = "lib.so:f";
  entry.state = "bhive rdx=0x0";
  entry.line = 1;
  EXPECT_EQ(item(corpus_line(CorpusFormat::kJsonLines, entry)), shown(entry));
}

}  // namespace
}  // namespace assay
