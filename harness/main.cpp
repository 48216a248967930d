#include <csignal>
#include <string>
#include <vector>

#include "harness/program.h"

int main(int argc, char** argv) {
  // With SIGXFSZ ignored, a limit on file sizes (ulimit -f) makes write() fail, as a full disk
  // does.
  std::signal(SIGXFSZ, SIG_IGN);
  return assay::run_program(std::vector<std::string>(argv + 1, argv + argc));
}
