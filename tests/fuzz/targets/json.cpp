// A line of JSON, which a second reader of JSON must accept or refuse alike.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "profiler/support/json_acceptor.h"
#include "suites/readers/json_cursor.h"
#include "tests/fuzz/targets/target.h"

namespace assay::fuzz {
namespace {

using nlohmann::json;

constexpr int kNumberOverflow = 406;  // nlohmann's json.exception.out_of_range.406

/// Finds out whether nlohmann's reader accepts a text. Numbers that no double can hold are
/// accepted, since our reader passes them over.
struct Acceptance : JsonAcceptor {
  bool start_object(std::size_t) override { return deeper(); }
  bool end_object() override { return --depth >= 0; }
  bool start_array(std::size_t) override { return deeper(); }
  bool end_array() override { return --depth >= 0; }
  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    overflow = error.id == kNumberOverflow;
    return false;
  }

  bool deeper() {
    too_deep = too_deep || ++depth > JsonCursor::kDeepest;
    return true;
  }

  int depth = 0;
  bool too_deep = false;
  bool overflow = false;
};

bool is_accepted(std::string_view text) {
  JsonCursor cursor(text);
  try {
    cursor.skip();
    cursor.end();
    return true;
  } catch (const Problem& problem) {
    require(problem.column >= 1 && problem.column <= text.size() + 1, "no such column");
    require(!problem.text.empty(), "a problem without a word");
    return false;
  }
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::fuzz;
  std::string text(text_from(data, size));
  std::ranges::replace(text, '\n', ' ');  // a line feed never reaches the reader of lines
  // Beyond JSON, nlohmann's reader accepts a byte order mark, and takes NUL for the end.
  if (text.starts_with('\xef') || text.find('\0') != std::string::npos) return 0;
  Acceptance acceptance;
  const bool accepted = nlohmann::json::sax_parse(text, &acceptance);
  const bool ours = is_accepted(text);
  if (!acceptance.too_deep && !acceptance.overflow) {
    require(ours == accepted, accepted ? "JSON that is refused" : "no JSON, and yet accepted");
  }
  return 0;
}
