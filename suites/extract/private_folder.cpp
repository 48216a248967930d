#include "suites/extract/private_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "profiler/block/error.h"

namespace assay {

PrivateFolder::PrivateFolder() {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  if (error) {
    throw EnvironmentError("no folder for temporary files: set TMPDIR to one (" + error.message() +
                           ")");
  }
  std::string name = std::filesystem::absolute(parent / "assay-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw EnvironmentError(describe_errno(
        "cannot make a temporary folder in " + parent.string() + "; TMPDIR may name another",
        errno));
  }
  path_ = name;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace assay
