#include "profiler/counters/event_list.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "profiler/counters/event_text.h"
#include "profiler/counters/nanobench_event.h"
#include "profiler/support/blanks.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20;
constexpr std::size_t kLongestLine = 1000;

bool can_only_be_path(std::string_view argument) {
  return argument.starts_with('/') || argument.starts_with("./") || argument.starts_with("../") ||
         argument.ends_with(".txt") || argument.ends_with(".cfg");
}

/// The offset where the first event of a list ends: at its first comma that is not between two
/// slashes.
std::size_t end_of_event(std::string_view list) {
  bool inside = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '/') inside = !inside;
    if (list[i] == ',' && !inside) return i;
  }
  if (inside) throw InputError(fmt::format("events \"{}\": a slash without the other", list));
  return list.size();
}

/// Whether the line has no control characters. Letters beyond ASCII are allowed, since a comment
/// may have them.
bool is_text(std::string_view line) {
  return std::ranges::none_of(line, [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
  });
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

std::string_view without_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return trimmed(line.substr(0, i));
    }
  }
  return trimmed(line);
}

/// Reads a line that holds an event, without a comment and without blanks around the event.
EventRequest parse_event_line(std::string_view text) {
  if (!is_ascii(text)) throw InputError("no text: bytes that are not ASCII");
  if (auto event = parse_nanobench_event(text)) return *event;
  if (end_of_event(text) != text.size()) throw InputError("one event a line, without commas");
  if (text.find_first_of(" \t") != std::string_view::npos) {
    throw InputError(fmt::format("\"{}\": an event has no blanks in it", text));
  }
  return {std::string(text), std::string(text), false};
}

std::string read_whole(const std::string& path) {
  std::error_code missing;
  if (std::filesystem::is_directory(path, missing)) throw InputError(path + ": is a directory");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(describe_errno(path + ": cannot be opened", errno));
  std::string content(kLargestFile + 1, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (file.bad()) throw InputError(describe_errno(path + ": cannot be read", errno));
  content.resize(static_cast<std::size_t>(file.gcount()));
  if (content.size() > kLargestFile) {
    throw InputError(path + ": larger than 1 MiB, so no list of events");
  }
  return content;
}

/// The event on one line of a file; nothing if the line has none. Throws InputError if it is wrong.
std::optional<EventRequest> read_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > kLongestLine) throw InputError("longer than 1000 bytes, so no event");
  if (!is_text(line)) throw InputError("no text: control characters");
  const std::string_view text = without_comment(line);
  if (text.empty()) return std::nullopt;
  return parse_event_line(text);
}

}  // namespace

std::vector<EventRequest> read_events(const std::string& argument) {
  std::error_code none;
  const bool is_file =
      std::filesystem::exists(argument, none) && !std::filesystem::is_directory(argument, none);
  return is_file || can_only_be_path(argument) ? read_event_file(argument)
                                               : parse_event_list(argument);
}

std::vector<EventRequest> parse_event_list(std::string_view list) {
  // Messages repeat events to the user as they are, so that they must be printable.
  if (!is_text(list) || !is_ascii(list)) throw InputError("the list of events is no text");
  std::vector<EventRequest> events;
  for (std::string_view rest = list;;) {
    const std::size_t end = end_of_event(rest);
    const std::string text(trimmed(rest.substr(0, end)));
    if (text.empty()) throw InputError(fmt::format("events \"{}\": an empty one", list));
    if (std::ranges::find(events, text, &EventRequest::name) != events.end()) {
      throw InputError(fmt::format("events \"{}\": {} is there twice", list, text));
    }
    events.push_back({text, text, false});
    if (end == rest.size()) return events;
    rest.remove_prefix(end + 1);
  }
}

std::vector<EventRequest> read_event_file(const std::string& path) {
  const std::string content = read_whole(path);
  std::vector<EventRequest> events;
  std::map<std::string, std::size_t> line_of;  // the line of each event, by its name
  std::size_t number = 0;
  for (const std::string_view line : split(content, '\n')) {
    ++number;
    try {
      const std::optional<EventRequest> event = read_line(line);
      if (!event) continue;
      // nanoBench's own files contain some lines twice.
      if (std::ranges::find(events, *event) != events.end()) continue;
      const auto [first, is_new] = line_of.emplace(event->name, number);
      if (!is_new) {
        throw InputError(fmt::format("{} is on line {} already", event->name, first->second));
      }
      events.push_back(*event);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  if (events.empty()) throw InputError(path + ": no event in it");
  return events;
}

}  // namespace assay
