#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/subject/layout.h"
#include "profiler/support/descriptor.h"

namespace assay::subject {

/// What a process has mapped, as its file /proc/PID/maps tells (proc_pid_maps(5)).
class Mappings {
 public:
  Mappings() = default;
  /// Throws EnvironmentError if the file cannot be opened.
  explicit Mappings(pid_t process);

  /// The lines of the file as it is now, each with its end; empty if the process is gone. Valid
  /// until the next call.
  std::string_view read();

 private:
  Descriptor file_;
  std::string text_;
};

/// The lines of a text, each without its end.
std::vector<std::string_view> lines_of(std::string_view text);

/// What of a subject's mappings is not as it should be, for people; nothing if all is. There should
/// be the lines `own`, and `pages`, each of them readable, writable, and mapped onto the frames'
/// file at its offset; and nothing else.
std::optional<std::string> unexpected_mapping(std::string_view mappings,
                                              std::span<const std::string> own,
                                              std::span<const PageChange> pages);

}  // namespace assay::subject
