#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiler/counters/event.h"

namespace assay {

/// Reads what an option asks for: a file, if `argument` is the path of one that exists or can only
/// be a path (it begins with "/", "./" or "../", or ends in ".txt" or ".cfg"), and a list
/// otherwise.
std::vector<EventRequest> read_events(const std::string& argument);

/// A list with commas between; commas between two slashes belong to an event. Each is named as it
/// is written. Throws InputError for an empty list or event, one that is there twice, a slash
/// without the other, and bytes that are no printable ASCII.
std::vector<EventRequest> parse_event_list(std::string_view list);

/// A file with one event a line: in any form that EventEncoder takes, named as it is written, or as
/// nanoBench writes it (nanobench_event.h), with a name. `#` at a line's start or behind a blank
/// begins a comment. Throws InputError with the file, and the line where there is one, for a file
/// that cannot be read, is larger than 1 MiB, holds no event or is no text, for a line that is
/// longer than 1000 bytes or no event, and for two events of one name: their counts could not be
/// told apart. A line that is there twice counts once.
std::vector<EventRequest> read_event_file(const std::string& path);

}  // namespace assay
