#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "tests/profiler/counters/made_up_root.h"

namespace assay {

/// A folder like the kernel's /sys/bus/event_source/devices.
class MadeUpDevices {
 public:
  /// `files`: contents of files by their paths below the folder.
  explicit MadeUpDevices(const std::map<std::string, std::string>& files) {
    for (const auto& [name, content] : files) folder_.set(name, content);
  }

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  MadeUpRoot folder_;
};

/// The files that Linux 6.8 shows on Alder Lake, shortened.
inline const std::map<std::string, std::string>& hybrid_files() {
  static const std::map<std::string, std::string> files = {
      {"cpu_core/type", "4\n"},
      {"cpu_core/cpus", "0-3,6\n"},
      {"cpu_core/format/event", "config:0-7\n"},
      {"cpu_core/format/umask", "config:8-15\n"},
      {"cpu_core/format/frontend", "config1:0-23\n"},
      {"cpu_core/events/instructions", "event=0xc0\n"},
      {"cpu_atom/type", "10\n"},
      {"cpu_atom/cpus", "4-5,7-11\n"},
      {"cpu_atom/format/event", "config:0-7\n"},
      {"cpu_atom/format/umask", "config:8-15\n"},
      {"cpu_atom/format/inv", "config:23\n"},
      {"cpu_atom/format/cmask", "config:24-31\n"},
      {"cpu_atom/events/instructions", "event=0xc0\n"},
      {"power/type", "12\n"},
      {"power/cpumask", "4\n"},
      {"software/type", "1\n"},
  };
  return files;
}

}  // namespace assay
