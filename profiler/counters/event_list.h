#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiler/counters/event.h"

namespace assay {

/// Reads the argument of the option for events: as a file if it is the path of an existing file or
/// can only be a path (it begins with "/", "./" or "../", or ends in ".txt" or ".cfg"), and as a
/// list otherwise.
std::vector<EventRequest> read_events(const std::string& argument);

/// Reads a list of events separated by commas; commas between two slashes belong to an event. Each
/// event is named as it is written. Throws InputError for an empty list or event, for an event that
/// is there twice, for a slash without the other, and for bytes that are not printable ASCII.
std::vector<EventRequest> parse_event_list(std::string_view list);

/// Reads a file with one event per line: either in a form that EventEncoder accepts, named as it is
/// written, or with a name, as nanoBench writes it (nanobench_event.h). `#` at the start of a line
/// or after a blank begins a comment. Throws InputError, with the file and the line if there is
/// one, for a file that cannot be read, is larger than 1 MiB, holds no event or is no text; for a
/// line that is longer than 1000 bytes or is no event; and for two different events with the same
/// name, whose counts could not be told apart. A line that is there twice counts once.
std::vector<EventRequest> read_event_file(const std::string& path);

}  // namespace assay
