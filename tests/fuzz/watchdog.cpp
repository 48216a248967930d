#include "tests/fuzz/watchdog.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace assay::fuzz {
namespace {

// Read by the handler, between two calls of alarm() that set it.
const char* volatile watched = nullptr;
volatile std::size_t watched_length = 0;

void print(const char* text, std::size_t length) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, length);
}

void report_hang(int /*signal*/) {
  constexpr char kHead[] = "\nno end of this input:\n";
  print(kHead, sizeof(kHead) - 1);
  print(watched, watched_length);
  print("\n", 1);
  std::abort();
}

}  // namespace

Watchdog::Watchdog(std::chrono::seconds patience) : patience_(patience) {
  std::signal(SIGALRM, report_hang);
}

Watchdog::~Watchdog() {
  rest();
  std::signal(SIGALRM, SIG_DFL);
}

void Watchdog::watch(std::string_view what) {
  alarm(0);
  watched = what.data();
  watched_length = what.size();
  alarm(static_cast<unsigned>(patience_.count()));
}

void Watchdog::rest() { alarm(0); }

}  // namespace assay::fuzz
