#include "profiler/sampling/reference.h"

namespace assay {

Block reference_chain() {
  const Bytes add_eax_ebx = {0x01, 0xd8};
  return std::get<Block>(decode(add_eax_ebx));
}

}  // namespace assay
