#include "tests/suites/readers/temporary_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "profiler/block/error.h"

namespace assay {

TemporaryFile::TemporaryFile(std::string_view content, const std::string& suffix)
    : path_(testing::TempDir() + "assay-XXXXXX" + suffix) {
  const int descriptor = ::mkstemps(path_.data(), static_cast<int>(suffix.size()));
  if (descriptor < 0) throw EnvironmentError(describe_errno("cannot make " + path_, errno));
  ::close(descriptor);
  std::ofstream(path_, std::ios::binary) << content;
}

TemporaryFile::~TemporaryFile() { ::unlink(path_.c_str()); }

}  // namespace assay
