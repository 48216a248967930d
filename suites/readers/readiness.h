#pragma once

namespace assay {

/// How far reading ahead has come.
enum class Readiness {
  kReady,   ///< what comes next, or the end, is there
  kGoesOn,  ///< not yet, but there is more to read now
  kWaits,   ///< for somebody to write to a pipe or a terminal
};

}  // namespace assay
