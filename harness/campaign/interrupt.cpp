#include "harness/campaign/interrupt.h"

#include <csignal>
#include <iterator>

namespace assay {
namespace {

volatile std::sig_atomic_t noted_signal = 0;

void note(int signal) { noted_signal = signal; }

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

InterruptGuard::InterruptGuard() {
  noted_signal = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second signal has its default effect
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &before_[i], nullptr);
  }
}

int InterruptGuard::signal() { return noted_signal; }

}  // namespace assay
