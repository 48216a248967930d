#include "suites/extract/dynamic/callgrind_profile.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "profiler/support/error.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace assay {

bool operator==(const AddressCount& a, const AddressCount& b) {
  return a.address == b.address && a.count == b.count;
}
void PrintTo(const AddressCount& item, std::ostream* stream) {
  *stream << std::hex << "0x" << item.address << ": " << std::dec << item.count;
}

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHeader =
    "# callgrind format\n"
    "version: 1\n"
    "creator: callgrind-3.19.0\n"
    "pid: 16211\n"
    "cmd:  ./program a=b\n"
    "part: 1\n"
    "\n"
    "desc: I1 cache: \n"
    "desc: Trigger: Program termination\n"
    "\n"
    "positions: instr\n"
    "events: Ir\n"
    "summary: 12\n"
    "\n";

std::vector<AddressCount> all(AddressCounts& counts) {
  const auto sorted = counts.sorted();
  return {sorted.begin(), sorted.end()};
}

class CallgrindProfile : public testing::Test {
 protected:
  ExecutedCode read(const std::string& text) {
    ExecutedCode code;
    read_callgrind_profile(InputFile::open(folder_.write("profile", text)), code);
    return code;
  }
  ExecutedCode read_body(const std::string& text) { return read(kHeader + text); }
  /// The message for a profile that is wrong; "" if it is right.
  std::string problem(const std::string& text) {
    return error_of<InputError>([&] { read(text); });
  }
  std::string body_problem(const std::string& text) { return problem(kHeader + text); }

 private:
  TemporaryFolder folder_;
};

TEST_F(CallgrindProfile, SumsWhatRanAtAbsoluteAndRelativeAddresses) {
  auto code = read_body(
      "ob=(5) /usr/bin/program\n"
      "fl=(3) a.c\n"
      "fn=(7) main\n"
      "0x1139 1\n"
      "+2 2\n"
      "* 3\n"
      "-1 4\n"
      "fi=(4) b.h\n"
      "+9\n"  // a line without a cost counts 0
      "\n"
      "ob=(2) ???\n"
      "fn=(8) 0x109000\n"
      "1085440 5\n"
      "ob=(5)\n"
      "fn=(7)\n"
      "0x113b 1\n"
      "\n"
      "totals: 16\n");
  EXPECT_EQ(code.size(), 2);
  EXPECT_THAT(
      all(code["/usr/bin/program"].instructions),
      ElementsAre(AddressCount{0x1139, 1}, AddressCount{0x113a, 4}, AddressCount{0x113b, 6}));
  EXPECT_THAT(all(code["???"].instructions), ElementsAre(AddressCount{0x109000, 5}));
}

TEST_F(CallgrindProfile, TellsWhereCallsAndJumpsWentAndCountsNoCallTwice) {
  auto code = read_body(
      "ob=(1) program\n"
      "fn=(1) main\n"
      "0x1000 1\n"
      "cob=(2) lib\n"
      "cfi=(9) lib.c\n"
      "cfn=(3) called\n"
      "calls=4 0x2000 \n"
      "* 999\n"
      "cfn=(4) own\n"
      "calls=2 +16 \n"
      "* 77\n"
      "cob=(2)\n"
      "cfn=(5) cost nothing and is not written\n"
      "cfn=(4)\n"
      "calls=1 +16 \n"
      "* 7\n"
      "+5 2\n"
      "jcnd=1/2 -5 \n"
      "* \n"
      "+2 3\n"
      "jfi=(6) other.c\n"
      "jfn=(7) other\n"
      "jump=3 0x1100 \n"
      "* \n"
      "+4 100\n"
      "jump=1 * \n"
      "* \n"
      "jcnd=98/99 * \n"
      "* \n"
      "totals: 106\n");
  EXPECT_THAT(all(code["program"].instructions),
              ElementsAre(AddressCount{0x1000, 1}, AddressCount{0x1005, 2}, AddressCount{0x1007, 3},
                          AddressCount{0x100b, 100}));
  EXPECT_THAT(all(code["program"].targets),
              ElementsAre(AddressCount{0x1000, 1}, AddressCount{0x100b, 99},
                          AddressCount{0x1010, 3}, AddressCount{0x1100, 3}));
  EXPECT_THAT(all(code["program"].repeats), ElementsAre(AddressCount{0x100b, 99}));
  EXPECT_THAT(all(code["lib"].targets), ElementsAre(AddressCount{0x2000, 4}));
}

TEST_F(CallgrindProfile, PassesOverNamesOfAnyLength) {
  const std::string name(100'000, 'n');
  auto code =
      read_body("ob=(1) program\nfn=(1) " + name + "\ncfn=(2) " + name + "\n0x10 1\ntotals: 1\n");
  EXPECT_EQ(code["program"].instructions.sorted().size(), 1);
}

TEST_F(CallgrindProfile, RefusesWhatItDoesNotUnderstandAndSaysWhere) {
  const std::string ob = "ob=(1) program\n";
  const struct {
    std::string body;
    const char* problem;
  } kCases[] = {
      {"wonder: 1\n", ":15: no callgrind profile that can be read: a line that is not understood"},
      {"x\n", ":15: no callgrind profile that can be read: a line that is not understood: \"x\""},
      {"0x10 1\n", "no object has been named yet"},
      {"ob=(1)\n", "object 1 has not been named"},
      {"ob=\n", "an object has no name"},
      {"ob=(x) y\n", "\"x\" is no number"},
      {"ob=(1) " + std::string(100'000, 'n') + "\n", "the line is too long"},
      {ob + "0x10 1 2\n", ":16: no callgrind profile that can be read: \"1 2\" is no number"},
      {ob + "0x1g 1\n", "\"0x1g\" is no number"},
      {ob + "+ 1\n", "\"\" is no number"},
      {ob + "-1 1\n", "an address is beyond 64 bits"},
      {ob + "0xffffffffffffffff 1\n+1 1\n", "an address is beyond 64 bits"},
      {ob + "0x10 99999999999999999999\n", "is no number"},
      {ob + "calls=1 0x20\nfn=(2) x\n", "a position must follow a call or a jump"},
      {ob + "jump=1 0x20\n\n", "a position must follow a call or a jump"},
      {ob + "jcnd=1/x 0x20\n* \n", "\"x\" is no number"},
      {ob + "jump= 0x20\n* \n", "is no number"},
      {ob + "0x10 1\n", ":17: no callgrind profile that can be read: the file ends early"},
      {ob + "0x10 1\ntotals: 2\n", "its instructions add up to 1, not to its total of 2"},
      {ob + "totals: 0\nfn=(1) more\n", "something follows the totals"},
      {"events: Ir Dr\n", "instead of \"positions: instr\" and \"events: Ir\""},
      {"positions: line\n", "instead of \"positions: instr\" and \"events: Ir\""},
  };
  for (const auto& wrong : kCases) {
    EXPECT_THAT(body_problem(wrong.body), HasSubstr(wrong.problem)) << wrong.body.substr(0, 100);
  }
  EXPECT_THAT(problem(""), HasSubstr("profile:1: no callgrind profile"));
  EXPECT_THAT(problem("hello\n"), HasSubstr("it must start \"# callgrind format\""));
  EXPECT_THAT(problem("# callgrind format\nob=(1) x\n0x10 1\ntotals: 1\n"),
              HasSubstr("costs stand before their description"));
}

}  // namespace
}  // namespace assay
