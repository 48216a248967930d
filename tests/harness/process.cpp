#include "tests/harness/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>

namespace assay {
namespace {

void redirect(int descriptor, const std::filesystem::path& path, int flags) {
  const int file = open(path.c_str(), flags | O_CREAT, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
}

}  // namespace

AssayProcess::AssayProcess(const std::vector<std::string>& arguments, const std::string& input,
                           const std::function<void()>& in_child) {
  write_file(folder_ / "in", input);
  std::vector<std::string> words = {ASSAY_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_ = fork();
  if (pid_ != 0) return;
  redirect(0, folder_ / "in", O_RDONLY);
  redirect(1, folder_ / "out", O_WRONLY);
  redirect(2, folder_ / "err", O_WRONLY);
  if (in_child) in_child();
  execv(ASSAY_PROGRAM, pointers.data());
  _exit(127);
}

AssayProcess::~AssayProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

Finished AssayProcess::wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, content_of(folder_ / "out"), content_of(folder_ / "err")};
}

Finished run_assay(const std::vector<std::string>& arguments, const std::string& input) {
  return AssayProcess(arguments, input).wait();
}

std::vector<std::string> lines_of(const std::string& output) {
  std::vector<std::string> lines;
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace assay
