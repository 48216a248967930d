#include "profiler/block/assembler.h"

#include "profiler/block/assembly_source.h"
#include "profiler/block/llvm_mc.h"
#include "profiler/support/error.h"

namespace assay {

bool can_assemble() { return llvm_is_built_in(); }

Bytes assemble(std::string_view text, Syntax syntax) {
  if (!can_assemble()) {
    throw EnvironmentError(
        "this build of assay has no assembler: install llvm-19-dev (scripts/setup does) and build "
        "again, or give the block as hexadecimal bytes");
  }
  const AssemblySource source = checked_source(text, syntax);
  const auto assembled = assemble_with_llvm(source.text, syntax);
  if (const auto* message = std::get_if<AssemblerMessage>(&assembled)) {
    throw_source_error(text, source.origin(message->offset), message->text);
  }
  const Bytes& bytes = std::get<Bytes>(assembled);
  if (bytes.empty()) throw InputError("there is no instruction to assemble");
  return bytes;
}

}  // namespace assay
