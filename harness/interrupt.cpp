#include "harness/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace assay {
namespace {

volatile std::sig_atomic_t noted_signal = 0;

void note(int signal) { noted_signal = signal; }

void install(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  noted_signal = 0;
  // SA_RESETHAND: the second signal does what it does by default.
  for (const int signal : {SIGINT, SIGTERM}) install(signal, note, static_cast<int>(SA_RESETHAND));
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : {SIGINT, SIGTERM}) install(signal, SIG_DFL, 0);
}

int InterruptGuard::signal() { return noted_signal; }

}  // namespace assay
