#pragma once

#include "suites/extract/program/elf_contents.h"
#include "suites/extract/program/image.h"

namespace assay {

/// Adds to the image what a linked file's tables for the dynamic linker say: imports, entries
/// (initialisers, finalisers, resolvers), pointers to code, and, if the file has no sections, the
/// functions that it exports. The image must have its ranges already. Table entries that make no
/// sense are passed over, since a file that nobody ever loads may have anything there.
void add_dynamic_references(const ElfContents& elf, Image& image);

}  // namespace assay
