#pragma once

#include <stdexcept>
#include <string>
#include <system_error>

namespace assay {

/// What is wrong with the machine or with the call is an error, which is thrown; what becomes of a
/// block is data, a verdict (see verdict.h). The text of an error says what was wrong, where, and
/// what to do about it, and is printed to the user as it is.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The input is at fault: a file, a line, an option's value.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The machine or its settings are at fault: for example, there is no permission to trace, there is
/// no clock, or a package was left out of the build.
class EnvironmentError : public Error {
 public:
  using Error::Error;
};

/// The text "what: strerror(error_number) (ENAME)", so that no errno is ever printed alone.
std::string describe_errno(const std::string& what, int error_number);

/// What to do if a system call that opens, writes or resizes a file failed with EMFILE, ENFILE or
/// EFBIG, behind "; "; empty for any other error.
std::string advice_on_files(int error_number);

/// Both of the above, for a system call that opens, writes or resizes a file.
std::string describe_file_errno(const std::string& what, int error_number);

/// What to do, likewise, about one that starts a process or a thread, with EAGAIN or ENOMEM.
std::string advice_on_processes(int error_number);

/// What to throw where the standard library was refused a thread.
EnvironmentError no_thread(const std::system_error& error);

}  // namespace assay
