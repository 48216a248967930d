#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/program.h"
#include "harness/subcommand.h"

namespace {

/// Whether the stack may grow as far as assay needs. A smaller limit (ulimit -s) is raised if that
/// is allowed: it holds for this thread from then on.
bool has_stack() {
  constexpr rlim_t kNeeded = rlim_t{512} * 1024;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kNeeded) return true;
  limit.rlim_cur = kNeeded;
  limit.rlim_max = std::max(limit.rlim_max, kNeeded);
  return setrlimit(RLIMIT_STACK, &limit) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (!has_stack()) {
    std::fputs("assay: the limit on the stack (ulimit -s) is too low: allow 512 KiB\n", stderr);
    return assay::kUnusable;
  }
  // With SIGXFSZ ignored, a limit on file sizes (ulimit -f) makes write() fail, as a full disk
  // does.
  std::signal(SIGXFSZ, SIG_IGN);
  return assay::run_program(std::vector<std::string>(argv + 1, argv + argc));
}
