#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/counters/backend.h"

namespace assay {

/// The clock that is used, and how it was chosen.
struct ClockChoice {
  struct Tried {
    std::string name;
    Availability availability;
  };
  std::string name;          ///< the name of its backend
  std::vector<Tried> tried;  ///< in the order of trying; the last is the chosen one
  ReadMethod reading = ReadMethod::kTsc;

  /// Those that were tried before the chosen one, the best first: none of them works.
  std::span<const Tried> better() const {
    return std::span(tried).first(tried.empty() ? 0 : tried.size() - 1);
  }
};

/// The backend's name, why it cannot be used, and the remedy.
std::string describe(const ClockChoice::Tried& tried);

/// Whether a backend can be used on this processor and counts known code correctly. Pins the
/// calling thread to the processor.
Availability try_backend(CounterBackend& backend, int processor);

/// How a backend that can be used is read, which it can tell only once it has counters for a
/// process. Throws what CounterBackend::open() throws.
ReadMethod reading_of(CounterBackend& backend, int processor);

/// Chooses a clock: for "auto" the first of backend_names() that can be used, otherwise the one
/// with that name. Throws InputError for an unknown name, and EnvironmentError, with what is wrong
/// and the remedy, if that clock cannot be used, or for "auto" if none can.
ClockChoice choose_clock(std::string_view wanted, int processor);

}  // namespace assay
