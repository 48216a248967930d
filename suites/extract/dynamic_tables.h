#pragma once

#include "suites/extract/elf_contents.h"
#include "suites/extract/image.h"

namespace assay {

/// Adds what the tables for the dynamic linker tell of a linked file: imports, entries
/// (initialisers, finalisers, resolvers), pointers to code, and, of a file without sections, the
/// functions that it exports. Needs the image's ranges. What makes no sense in them is passed over:
/// a file that is not to be loaded by anyone may have anything there.
void add_dynamic_references(const ElfContents& elf, Image& image);

}  // namespace assay
