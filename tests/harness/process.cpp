#include "tests/harness/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace assay {
namespace {

std::filesystem::path new_folder() {
  std::string name = std::filesystem::temp_directory_path() / "assay-test-XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
  return name;
}

void redirect(int descriptor, const std::filesystem::path& path, int flags) {
  const int file = open(path.c_str(), flags | O_CREAT, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
}

}  // namespace

AssayProcess::AssayProcess(const std::vector<std::string>& arguments, const std::string& input,
                           const std::function<void()>& in_child)
    : folder_(new_folder()) {
  std::ofstream(folder_ / "in", std::ios::binary) << input;
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
  std::filesystem::remove_all(folder_);
}

Finished AssayProcess::wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, read_text(folder_ / "out"), read_text(folder_ / "err")};
}

Finished run_assay(const std::vector<std::string>& arguments, const std::string& input) {
  return AssayProcess(arguments, input).wait();
}

TemporaryFolder::TemporaryFolder() : folder_(new_folder()) {}
TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(folder_); }

std::string TemporaryFolder::write(const std::string& name, const std::string& content) const {
  std::ofstream(folder_ / name, std::ios::binary) << content;
  return path(name);
}

std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace assay
