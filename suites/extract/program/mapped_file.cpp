#include "suites/extract/program/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "profiler/support/descriptor.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

Descriptor open_file(const std::string& path) {
  // O_NONBLOCK: opening a named pipe must not wait; size_of() refuses it.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) throw InputError(describe_file_errno("cannot open " + path, errno));
  return file;
}

std::size_t size_of(const Descriptor& file, const std::string& path) {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) {
    throw InputError(describe_errno("cannot look at " + path, errno));
  }
  if (S_ISDIR(status.st_mode)) {
    throw InputError(path + " is a folder: name the programs in it");
  }
  if (!S_ISREG(status.st_mode)) throw InputError(path + " is no regular file");
  if (status.st_size == 0) throw InputError(path + " is empty");
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  const Descriptor file = open_file(path);
  const std::size_t size = size_of(file, path);
  void* const start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) throw InputError(describe_errno("cannot read " + path, errno));
  return std::shared_ptr<const MappedFile>(
      new MappedFile({static_cast<const std::uint8_t*>(start), size}));
}

MappedFile::~MappedFile() { munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size()); }

}  // namespace assay
