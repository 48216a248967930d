#include "results/store/shared_descriptor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <list>
#include <mutex>

#include "profiler/support/error.h"

namespace assay {

struct SharedDescriptor::Entry {
  int descriptor = -1;
  dev_t device = 0;
  ino_t inode = 0;
  int users = 0;
  bool locked = false;
};

namespace {

struct Registry {
  std::mutex mutex;
  std::list<SharedDescriptor::Entry> entries;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

[[noreturn]] void throw_errno(const std::filesystem::path& path, const char* doing) {
  throw EnvironmentError(describe_file_errno(path.string() + ": " + doing, errno));
}

SharedDescriptor::Entry* find(std::list<SharedDescriptor::Entry>& entries,
                              const struct stat& status) {
  const auto found = std::ranges::find_if(entries, [&status](const auto& entry) {
    return entry.device == status.st_dev && entry.inode == status.st_ino;
  });
  return found == entries.end() ? nullptr : &*found;
}

SharedDescriptor::Entry open_entry(const std::filesystem::path& path, bool create) {
  constexpr mode_t kReadWriteForAll = 0666;  // less the umask
  const int descriptor =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | (create ? O_CREAT : 0), kReadWriteForAll);
  if (descriptor < 0) throw_errno(path, "cannot be opened");
  struct stat status {};
  if (fstat(descriptor, &status) != 0) throw_errno(path, "cannot be examined");
  return {.descriptor = descriptor, .device = status.st_dev, .inode = status.st_ino};
}

}  // namespace

SharedDescriptor::SharedDescriptor(const std::filesystem::path& path, bool create) {
  auto& [mutex, entries] = registry();
  const std::lock_guard guard(mutex);
  // Known files are found by stat(2) and not by opening them: a descriptor opened for that would
  // have to be closed again, which drops SQLite's locks.
  struct stat status {};
  entry_ = stat(path.c_str(), &status) == 0 ? find(entries, status) : nullptr;
  if (entry_ == nullptr) entry_ = &entries.emplace_back(open_entry(path, create));
  ++entry_->users;
}

SharedDescriptor::~SharedDescriptor() {
  auto& [mutex, entries] = registry();
  const std::lock_guard guard(mutex);
  if (locked_) {
    flock(entry_->descriptor, LOCK_UN);
    entry_->locked = false;
  }
  if (--entry_->users > 0) return;
  close(entry_->descriptor);
  entries.remove_if([this](const Entry& entry) { return &entry == entry_; });
}

int SharedDescriptor::get() const { return entry_->descriptor; }

bool SharedDescriptor::try_lock() {
  const std::lock_guard guard(registry().mutex);
  if (entry_->locked) return false;  // flock(2) would grant it again on the same descriptor
  if (flock(entry_->descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    throw EnvironmentError(
        describe_errno("locking the store failed; put it on a local file system", errno));
  }
  entry_->locked = locked_ = true;
  return true;
}

}  // namespace assay
