#include <csignal>
#include <string>
#include <vector>

#include "harness/program.h"

int main(int argc, char** argv) {
  // A limit on file sizes (ulimit -f) is then an error of the write, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  return assay::run_program(std::vector<std::string>(argv + 1, argv + argc));
}
