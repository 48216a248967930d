#pragma once

namespace assay {

/// How far reading ahead, towards the next item or line, has come.
enum class Readiness {
  kReady,   ///< the next item, or the end, has been read
  kGoesOn,  ///< it has not, but there is more to read at once
  kWaits,   ///< there is nothing to read until somebody writes to a pipe or a terminal
};

}  // namespace assay
