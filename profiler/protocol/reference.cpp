#include "profiler/protocol/reference.h"

namespace assay {

Block reference_chain() {
  const Bytes add_rax_rbx = {0x48, 0x01, 0xd8};
  return std::get<Block>(decode(add_rax_rbx));
}

}  // namespace assay
