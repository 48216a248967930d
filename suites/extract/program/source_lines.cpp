#include "suites/extract/program/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "suites/extract/program/debug_file.h"

namespace assay {
namespace {

/// Damaged files can give every unit the same endless list of ranges; no program has as many.
constexpr std::size_t kMostRanges = 4'000'000;

std::string path_in(std::string_view folder, std::string_view path) {
  if (!folder.empty() && path.starts_with(folder) && path.substr(folder.size()).starts_with('/')) {
    path.remove_prefix(folder.size() + 1);
  }
  if (path.starts_with("./")) path.remove_prefix(2);
  return std::string(path);
}

}  // namespace

/// Finds the compilation unit of an address by the units' ranges. The table that is made for this,
/// .debug_aranges, is missing from many programs: Clang does not write it.
class SourceLines::Reader {
 public:
  Reader(const Image& image, const std::string& folder) : image_(image), own_(image.path) {
    add_units(own_.dwarf());
    if (ranges_.empty()) {
      separate_.emplace(own_.separate_path(folder));
      add_units(separate_->dwarf());
    }
    std::ranges::sort(ranges_, {}, &UnitRange::start);
  }

  std::string at(std::uint64_t address) {
    const auto next = std::ranges::upper_bound(ranges_, address, {}, &UnitRange::start);
    if (next == ranges_.begin() || address >= (next - 1)->end) return "";
    Dwarf_Die* const unit = &units_[(next - 1)->unit];
    Dwarf_Line* const line = dwarf_getsrc_die(unit, address);
    int number = 0;
    // Line 0 stands for code that comes from no line.
    if (line == nullptr || dwarf_lineno(line, &number) != 0 || number <= 0) return "";
    const char* const path = dwarf_linesrc(line, nullptr, nullptr);
    if (path == nullptr) return "";
    Dwarf_Attribute attribute;
    const char* const folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    return fmt::format("{}:{}", path_in(folder == nullptr ? "" : folder, path), number);
  }

 private:
  /// Code of one compilation unit.
  struct UnitRange {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::size_t unit = 0;  ///< index into the units
  };

  void add_units(Dwarf* dwarf) {
    if (dwarf == nullptr) return;
    Dwarf_CU* unit = nullptr;
    std::uint8_t type = 0;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, &type, &die, nullptr) == 0) {
      if (type == DW_UT_compile || type == DW_UT_skeleton) add_ranges(die);
    }
  }

  void add_ranges(Dwarf_Die& unit) {
    Dwarf_Addr base = 0;
    Dwarf_Addr start = 0;
    Dwarf_Addr end = 0;
    std::ptrdiff_t next = 0;
    units_.push_back(unit);
    while (ranges_.size() < kMostRanges &&
           (next = dwarf_ranges(&unit, next, &base, &start, &end)) > 0) {
      // Functions that the linker left out keep their entries, with an address where no code is.
      if (start < end && !image_.code_at(start).empty()) {
        ranges_.push_back({start, end, units_.size() - 1});
      }
    }
  }

  const Image& image_;
  DebugFile own_;
  std::optional<DebugFile> separate_;
  std::vector<Dwarf_Die> units_;
  std::vector<UnitRange> ranges_;  ///< sorted by start
};

SourceLines::SourceLines(const Image& image, const std::string& folder) {
  if (!image.path.empty()) reader_ = std::make_unique<Reader>(image, folder);
}
SourceLines::SourceLines(SourceLines&&) noexcept = default;
SourceLines::~SourceLines() = default;

std::string SourceLines::at(std::uint64_t address) { return reader_ ? reader_->at(address) : ""; }

}  // namespace assay
