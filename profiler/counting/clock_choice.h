#pragma once

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
  std::string name;          ///< of its backend
  std::vector<Tried> tried;  ///< in order; the last is the chosen one
  ReadMethod reading = ReadMethod::kTsc;
};

/// Its name, why it cannot be used, and the way out.
std::string describe(const ClockChoice::Tried& tried);

/// Whether a backend can be used on this processor and counts known code right. Pins the calling
/// thread to it.
Availability try_backend(CounterBackend& backend, int processor);

/// How a backend that can be used is read: it tells once it has counters of a process. Throws what
/// CounterBackend::open() throws.
ReadMethod reading_of(CounterBackend& backend, int processor);

/// For "auto", the first of backend_names() that can be used; otherwise the one of that name.
/// Throws InputError for another name, and EnvironmentError with what is wrong and the way out if
/// it, or any, cannot be used.
ClockChoice choose_clock(std::string_view wanted, int processor);

}  // namespace assay
