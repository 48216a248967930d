#include "suites/readers/foreign_file.h"

#include <algorithm>
#include <iterator>

namespace assay {
namespace {

using namespace std::string_view_literals;

constexpr ForeignFile kForeignFiles[] = {
    {"\xfd\x37zXZ\0"sv, "xz-compressed", "decompress it first (xz -dc FILE)"},
    {"BZh"sv, "bzip2-compressed", "decompress it first (bzip2 -dc FILE)"},
    {"PK\x03\x04"sv, "a zip archive", "unpack it first"},
    {"\x7f"
     "ELF"sv,
     "an ELF binary", "make a corpus of it: assay extract FILE"},
    {"SQLite format 3\0"sv, "an SQLite database",
     "of SQLite databases only assay's stores can be read, and only from a file, neither piped nor "
     "compressed, with no --corpus-format but store"},
    {"\xff\xfe"sv, "UTF-16 text", "convert it to UTF-8 (iconv -f UTF-16 -t UTF-8 FILE)"},
    {"\xfe\xff"sv, "UTF-16 text", "convert it to UTF-8 (iconv -f UTF-16 -t UTF-8 FILE)"},
};

}  // namespace

std::optional<ForeignFile> foreign_file(std::string_view start) {
  const auto* const found = std::ranges::find_if(
      kForeignFiles, [&](const ForeignFile& file) { return start.starts_with(file.magic); });
  if (found == std::end(kForeignFiles)) return std::nullopt;
  return *found;
}

}  // namespace assay
