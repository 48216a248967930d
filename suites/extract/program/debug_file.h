#pragma once

#include <elfutils/libdw.h>

#include <memory>
#include <string>

#include "profiler/support/descriptor.h"

namespace assay {

/// An ELF file that may have DWARF debugging information.
class DebugFile {
 public:
  /// A file that cannot be read, or is damaged, counts as one without debugging information.
  explicit DebugFile(const std::string& path);

  /// nullptr without debugging information; valid as long as this object.
  Dwarf* dwarf() const { return dwarf_.get(); }
  /// Where the file's debugging information lies if it is in a file of its own below this folder:
  /// "FOLDER/.build-id/93/ac61ec.debug". Empty without a build ID.
  std::string separate_path(const std::string& folder) const;

 private:
  struct End {
    void operator()(Elf* elf) const;
    void operator()(Dwarf* dwarf) const;
  };

  Descriptor file_;
  std::unique_ptr<Elf, End> elf_;
  std::unique_ptr<Dwarf, End> dwarf_;
};

}  // namespace assay
