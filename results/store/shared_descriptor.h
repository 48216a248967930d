#pragma once

#include <filesystem>

namespace assay {

/// A descriptor of a file that SQLite has open too. SQLite locks by fcntl(2), and closing ANY
/// descriptor of a file drops all fcntl locks that the process has on it. Therefore all
/// SharedDescriptors of one file in this process share one descriptor, which is closed with the
/// last of them, and a SharedDescriptor must outlive the SQLite connection that it belongs to. The
/// descriptor is closed on exec.
class SharedDescriptor {
 public:
  /// Opens the file for reading, and creates it empty if it is missing and `create` is set. Throws
  /// EnvironmentError with the errno in words.
  SharedDescriptor(const std::filesystem::path& path, bool create);
  /// Releases the lock, if this object holds it.
  ~SharedDescriptor();
  SharedDescriptor(const SharedDescriptor&) = delete;
  SharedDescriptor& operator=(const SharedDescriptor&) = delete;

  int get() const;

  /// Takes assay's exclusive lock on the file, without waiting. False if another process, or
  /// another SharedDescriptor in this process, holds it. Throws EnvironmentError if the file system
  /// has no locks. The lock is flock(2)'s, which leaves no file behind, ends with the process
  /// however that ends, and does not interfere with SQLite's own locks. A forked child that does
  /// not exec keeps the lock alive.
  bool try_lock();

  struct Entry;  ///< what all SharedDescriptors of a file share

 private:
  Entry* entry_;
  bool locked_ = false;
};

}  // namespace assay
