#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>

namespace assay {

/// A child process that runs `work` and then waits until it is killed. report() reads what `work`
/// returned.
class Child {
 public:
  explicit Child(const std::function<std::string()>& work) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("no child");
    if (pid_ == 0) {
      close(ends[0]);
      run(work, ends[1]);
    }
    close(ends[1]);
    reading_end_ = ends[0];
  }
  ~Child() {
    kill();
    close(reading_end_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits until `work` has returned, and gives what it returned or the text of what it threw.
  std::string report() const {
    std::string text;
    for (char c = 0; read(reading_end_, &c, 1) == 1 && c != '\0';) text += c;
    return text;
  }

  /// Ends the child by SIGKILL, in the middle of whatever it is doing.
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  [[noreturn]] static void run(const std::function<std::string()>& work, int writing_end) {
    std::string text;
    try {
      text = work();
    } catch (const std::exception& exception) {
      text = exception.what();
    }
    if (write(writing_end, text.c_str(), text.size() + 1) < 0) _exit(1);
    while (true) pause();
  }

  pid_t pid_ = -1;
  int reading_end_ = -1;
};

}  // namespace assay
