#include "suites/extract/program/frames.h"

#include <elf.h>
#include <elfutils/libdw.h>

#include <map>
#include <optional>
#include <string_view>

#include "suites/extract/program/encoded_pointer.h"
#include "suites/extract/program/landing_pads.h"

namespace assay {
namespace {

/// How frame description entries are written, as their common information entry says.
struct Writing {
  std::uint8_t pointer = 0;                 ///< encoding of addresses
  std::uint8_t handlers = kPointerOmitted;  ///< encoding of the exception table's address
  bool augmented = false;                   ///< they have augmentation data behind a length
};

/// As much of a file's identification (e_ident) as libdw needs.
constexpr unsigned char kIdentification[EI_NIDENT] = {ELFMAG0,    ELFMAG1,     ELFMAG2,   ELFMAG3,
                                                      ELFCLASS64, ELFDATA2LSB, EV_CURRENT};

/// How the entries under this common entry are written; nothing if they cannot be read, or do not
/// begin where code does.
std::optional<Writing> writing_of(const Dwarf_CIE& entry) {
  Writing writing;
  std::string_view augmentation(entry.augmentation);
  if (augmentation.empty()) return writing;
  if (augmentation.front() != 'z' || entry.augmentation_data == nullptr) return std::nullopt;
  writing.augmented = true;
  ByteReader data({entry.augmentation_data, entry.augmentation_data_size});
  for (const char letter : augmentation.substr(1)) {
    if (letter == 'R') {
      writing.pointer = data.read<std::uint8_t>();
    } else if (letter == 'L') {
      writing.handlers = data.read<std::uint8_t>();
    } else if (letter == 'P') {
      read_encoded_number(data, data.read<std::uint8_t>());
    } else if (letter != 'B') {
      // 'S' marks a signal handler's entry, which glibc lets begin one byte before the code.
      return std::nullopt;
    }
  }
  if (data.failed()) return std::nullopt;
  return writing;
}

class FrameReader {
 public:
  FrameReader(const FrameTable& table, Image& image)
      : table_(table), image_(image), landing_pads_(image) {}

  void read() {
    // The cast is safe: libdw asks for writable memory, but does not write to it.
    Elf_Data data{};
    data.d_buf = const_cast<std::uint8_t*>(table_.bytes.data());
    data.d_size = table_.bytes.size();
    data.d_type = ELF_T_BYTE;
    data.d_version = EV_CURRENT;
    Dwarf_Off offset = 0;
    while (offset < table_.bytes.size()) {
      Dwarf_Off next = 0;
      Dwarf_CFI_Entry entry{};
      const int result =
          dwarf_next_cfi(kIdentification, &data, table_.eh_frame, offset, &next, &entry);
      // 1 is the end of the table. -1 is a damaged entry: without the offset of the next one there
      // is no way to go on.
      if (result == 1 || next <= offset || next == static_cast<Dwarf_Off>(-1)) return;
      if (result == 0) take(offset, entry);
      offset = next;
    }
  }

 private:
  void take(Dwarf_Off offset, const Dwarf_CFI_Entry& entry) {
    if (dwarf_cfi_cie_p(&entry)) {
      if (const auto writing = writing_of(entry.cie)) writings_[offset] = *writing;
      return;
    }
    const auto found = writings_.find(entry.fde.CIE_pointer);
    if (found == writings_.end() || entry.fde.end < entry.fde.start) return;
    take(entry.fde, found->second);
  }

  void take(const Dwarf_FDE& entry, const Writing& writing) {
    ByteReader reader({entry.start, entry.end});
    const std::uint64_t begin =
        table_.address + static_cast<std::uint64_t>(entry.start - table_.bytes.data());
    const auto start = read_encoded_pointer(reader, writing.pointer, begin);
    const std::uint64_t size = read_encoded_number(reader, writing.pointer);
    if (!start || reader.failed() || size == 0) return;
    if (size > image_.code_at(*start).size()) return;
    const FrameRange frame{*start, *start + size};
    image_.frames.push_back(frame);
    if (!writing.augmented || writing.handlers == kPointerOmitted) return;
    reader.read_uleb();  // length of what follows
    const auto handlers = read_encoded_pointer(reader, writing.handlers, begin + reader.position());
    if (handlers && !reader.failed()) landing_pads_.add(frame, *handlers);
  }

  const FrameTable& table_;
  Image& image_;
  LandingPadReader landing_pads_;
  std::map<Dwarf_Off, Writing> writings_;  ///< by offset of the common entry
};

}  // namespace

void add_frames(const FrameTable& table, Image& image) { FrameReader(table, image).read(); }

}  // namespace assay
