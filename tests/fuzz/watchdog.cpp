#include "tests/fuzz/watchdog.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>

namespace assay::fuzz {
namespace {

constexpr std::array kFaults = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};

// What is watched, for the signal handlers; nullptr while nothing is.
const char* volatile watched = nullptr;
volatile std::size_t watched_length = 0;
std::array<struct sigaction, kFaults.size()> former;

void print(const char* text, std::size_t length) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, length);
}

void print_watched() {
  if (watched == nullptr) return;
  constexpr char kHead[] = "\nthe process ends, or hangs, with this input:\n";
  print(kHead, sizeof(kHead) - 1);
  print(watched, watched_length);
  print("\n", 1);
  watched = nullptr;
}

void report_hang(int /*signal*/) { std::abort(); }  // report_fault() reports the SIGABRT

/// Prints what is watched. The fault happens again when this returns, and finds the former handler.
void report_fault(int signal) {
  print_watched();
  const auto* const place = std::ranges::find(kFaults, signal);
  sigaction(signal, &former.at(static_cast<std::size_t>(place - kFaults.begin())), nullptr);
}

void set_handlers() {
  std::signal(SIGALRM, report_hang);
  struct sigaction action {};
  action.sa_handler = report_fault;
  for (std::size_t i = 0; i < kFaults.size(); ++i) sigaction(kFaults.at(i), &action, &former.at(i));
  [[maybe_unused]] static const int registered = std::atexit(print_watched);
}

}  // namespace

Watchdog::Watchdog(std::chrono::seconds patience) : patience_(patience) { set_handlers(); }

Watchdog::~Watchdog() {
  rest();
  std::signal(SIGALRM, SIG_DFL);
  for (std::size_t i = 0; i < kFaults.size(); ++i) sigaction(kFaults.at(i), &former.at(i), nullptr);
}

void Watchdog::watch(std::string_view what) {
  rest();
  watched_length = what.size();
  watched = what.data();
  alarm(static_cast<unsigned>(patience_.count()));
}

void Watchdog::rest() {
  alarm(0);
  watched = nullptr;
}

}  // namespace assay::fuzz
