#pragma once

#include <filesystem>

namespace assay {

/// A descriptor of a file that SQLite has open too. The trap: SQLite locks by fcntl(2), and closing
/// ANY descriptor of a file drops all fcntl locks that the process has on it. So all
/// SharedDescriptors of one file in this process are one descriptor, which is closed with the last
/// of them; and one must outlive the SQLite connection that it goes with. It closes on exec.
class SharedDescriptor {
 public:
  /// Opens the file for reading, and creates it empty if it is missing and `create` is set. Throws
  /// EnvironmentError with the errno in words.
  SharedDescriptor(const std::filesystem::path& path, bool create);
  /// Ends the lock, if this one holds it.
  ~SharedDescriptor();
  SharedDescriptor(const SharedDescriptor&) = delete;
  SharedDescriptor& operator=(const SharedDescriptor&) = delete;

  int get() const;

  /// Takes the one exclusive lock that there is on the file for assay, without waiting. False if
  /// another process or another SharedDescriptor of this one holds it. Throws EnvironmentError
  /// where the file system knows no locks. It is flock(2)'s: that leaves no file behind, ends with
  /// the process however that ends, and does not meet SQLite's own locks. A child that forks
  /// without exec keeps it alive.
  bool try_lock();

  struct Entry;  ///< what all SharedDescriptors of a file share

 private:
  Entry* entry_;
  bool locked_ = false;
};

}  // namespace assay
