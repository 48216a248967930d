#include "suites/extract/program/image_reader.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "suites/extract/program/dynamic_tables.h"
#include "suites/extract/program/elf_contents.h"
#include "suites/extract/program/encoded_pointer.h"
#include "suites/extract/program/frames.h"
#include "suites/extract/program/object_layout.h"
#include "suites/extract/program/placement.h"

namespace assay {
namespace {

void check_code(const ElfContents& elf, const Image& image, const std::string& shown) {
  if (!image.executable.empty()) return;
  const bool debugging = std::ranges::any_of(elf.sections, [](const ElfSection& section) {
    return section.header.sh_type == SHT_NOBITS && (section.header.sh_flags & SHF_EXECINSTR) != 0;
  });
  if (debugging) {
    throw NoCodeError(shown +
                      " holds debugging information alone: give the program that it belongs to");
  }
  throw NoCodeError(shown + " holds no machine code");
}

void add_section_frames(const ElfContents& elf, const Placement& placement, Image& image) {
  for (std::size_t i = 0; i < elf.sections.size(); ++i) {
    const ElfSection& section = elf.sections[i];
    const Placement::Place& place = placement.sections[i];
    if (section.name == ".eh_frame" && place.placed) {
      add_frames({place.bytes, place.address, true}, image);
    } else if (section.name == ".debug_frame" && !elf.is_relocatable() &&
               (section.header.sh_flags & SHF_COMPRESSED) == 0) {
      add_frames({section.bytes, 0, false}, image);
    }
  }
}

/// Adds the frames of a file without sections, which are found by the index that the program
/// headers point to.
void add_indexed_frames(const ElfContents& elf, Image& image) {
  for (const ElfSegment& segment : elf.segments) {
    if (segment.header.p_type != PT_GNU_EH_FRAME) continue;
    ByteReader reader(segment.bytes);
    reader.skip(1);  // version
    const auto encoding = reader.read<std::uint8_t>();
    reader.skip(2);  // encodings of the index
    const auto address =
        read_encoded_pointer(reader, encoding, segment.header.p_vaddr + reader.position());
    if (address) add_frames({image.bytes_at(*address), *address, true}, image);
  }
}

template <typename T>
void sort_and_thin(std::vector<T>& list, auto key, auto same) {
  std::ranges::sort(list, {}, key);
  list.erase(std::unique(list.begin(), list.end(), same), list.end());
}

/// Makes ranges disjoint: where two overlap, the later one is cut or removed; of two with the same
/// start the longer one counts as the earlier.
void make_disjoint(std::vector<FrameRange>& frames) {
  std::ranges::sort(frames, {},
                    [](const FrameRange& each) { return std::pair(each.start, ~each.end); });
  std::uint64_t end = 0;
  for (FrameRange& frame : frames) {
    frame.start = std::max(frame.start, end);
    end = std::max(end, frame.end);
  }
  std::erase_if(frames, [](const FrameRange& each) { return each.start >= each.end; });
}

void put_in_order(Image& image) {
  const auto itself = [](std::uint64_t address) { return address; };
  const auto equal = std::equal_to<>();
  sort_and_thin(
      image.functions,
      [](const FunctionSymbol& each) { return std::tuple(each.address, each.name, ~each.size); },
      [](const FunctionSymbol& a, const FunctionSymbol& b) {
        return a.address == b.address && a.name == b.name;
      });
  sort_and_thin(
      image.landing_pads,
      [](const LandingPad& each) { return std::pair(each.address, each.function); },
      [](const LandingPad& a, const LandingPad& b) {
        return a.address == b.address && a.function == b.function;
      });
  sort_and_thin(
      image.imports, [](const Import& each) { return std::pair(each.address, each.name); },
      [](const Import& a, const Import& b) { return a.address == b.address; });
  sort_and_thin(image.entries, itself, equal);
  sort_and_thin(image.pointed_at, itself, equal);
  sort_and_thin(image.unknown_fields, itself, equal);
  make_disjoint(image.frames);
}

void read_linked(const ElfContents& elf, const std::string& shown, Image& image) {
  const Placement placement = linked_placement(elf);
  add_ranges(elf, placement, shown, image);
  check_code(elf, image, shown);
  add_functions(elf, placement, image);
  add_dynamic_references(elf, image);
  if (!image.code_at(elf.header.e_entry).empty()) image.entries.push_back(elf.header.e_entry);
  image.has_sections ? add_section_frames(elf, placement, image) : add_indexed_frames(elf, image);
}

void read_object(const ElfContents& elf, const std::string& shown, Image& image) {
  const ObjectLayout layout(elf, shown);
  image.storage = layout.storage();
  add_ranges(elf, layout.placement(), shown, image);
  check_code(elf, image, shown);
  add_functions(elf, layout.placement(), image);
  layout.add_references(image);
  add_section_frames(elf, layout.placement(), image);
}

}  // namespace

Image read_image(std::span<const std::uint8_t> file, const std::string& name,
                 const std::string& shown, std::shared_ptr<const void> storage) {
  const ElfContents elf = read_elf(file, shown);
  Image image;
  image.name = name;
  if (elf.is_relocatable()) {
    read_object(elf, shown, image);
    image.storage =
        std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
            image.storage, storage);
  } else {
    image.storage = std::move(storage);
    image.path = shown;
    read_linked(elf, shown, image);
  }
  put_in_order(image);
  return image;
}

}  // namespace assay
