#include "profiler/support/version.h"

namespace assay {

std::string_view program_version() { return ASSAY_VERSION; }

}  // namespace assay
