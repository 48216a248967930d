#include "profiler/subject/mappings.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "profiler/support/error.h"

namespace assay::subject {
namespace {

/// One line: "START-END rw-s OFFSET DEVICE INODE   PATH".
struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::string_view rights;
  std::uint64_t offset = 0;
  std::string_view path;
};

/// Takes a hexadecimal number, and the character behind it, from the front of the text.
std::uint64_t take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number, 16).ptr;
  text.remove_prefix(std::min<std::size_t>(static_cast<std::size_t>(end - text.data()) + 1,  //
                                           text.size()));
  return number;
}

Mapping mapping_of(std::string_view line) {
  Mapping mapping;
  mapping.start = take_number(line);
  mapping.end = take_number(line);
  mapping.rights = line.substr(0, 4);
  line.remove_prefix(std::min<std::size_t>(5, line.size()));
  mapping.offset = take_number(line);
  const std::size_t path = line.find('/');
  if (path != std::string_view::npos) mapping.path = line.substr(path);
  return mapping;
}

}  // namespace

Mappings::Mappings(pid_t process)
    : file_(open(fmt::format("/proc/{}/maps", process).c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_.get() < 0) {
    throw EnvironmentError(
        describe_file_errno("cannot look at what the subject has mapped", errno) +
        "; is /proc mounted?");
  }
}

std::string_view Mappings::read() {
  // The system gives a page of text at a time at most.
  constexpr std::size_t kPiece = 4096;
  std::size_t size = 0;
  for (;;) {
    if (text_.size() < size + kPiece) text_.resize(size + kPiece);
    const ssize_t got = pread(file_.get(), text_.data() + size, kPiece, static_cast<off_t>(size));
    if (got <= 0) return std::string_view(text_).substr(0, got < 0 ? 0 : size);
    size += static_cast<std::size_t>(got);
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<std::string> unexpected_mapping(std::string_view mappings,
                                              std::span<const std::string> own,
                                              std::span<const PageChange> pages) {
  std::size_t own_found = 0;
  std::size_t pages_found = 0;
  for (const std::string_view line : lines_of(mappings)) {
    if (std::ranges::find(own, line) != own.end()) {
      ++own_found;
      continue;
    }
    const Mapping mapping = mapping_of(line);
    bool known = mapping.rights == "rw-s" && mapping.path.starts_with("/memfd:assay-frame");
    // Neighbouring pages on neighbouring frames are one mapping.
    for (std::uint64_t page = mapping.start; known && page < mapping.end; page += kPageSize) {
      known = std::ranges::any_of(pages, [&](const PageChange& expected) {
        return expected.address == page && expected.offset == mapping.offset + page - mapping.start;
      });
      ++pages_found;
    }
    if (!known) return fmt::format("it has a mapping that assay did not make: {}", line);
  }
  if (own_found == own.size() && pages_found == pages.size()) return std::nullopt;
  return "something that assay had mapped is gone";
}

}  // namespace assay::subject
