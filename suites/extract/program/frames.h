#pragma once

#include <cstdint>
#include <span>

#include "suites/extract/program/image.h"

namespace assay {

/// A table of frame description entries as it lies in memory.
struct FrameTable {
  std::span<const std::uint8_t> bytes;
  std::uint64_t address = 0;
  bool eh_frame = true;  ///< .eh_frame; otherwise .debug_frame
};

/// Adds the code ranges of the table's entries, and the landing pads of their exception tables, to
/// the image, which must have its ranges already. Entries that make no sense, or that name
/// addresses outside of executable ranges, are passed over; of a damaged table, the entries before
/// the damage are taken.
void add_frames(const FrameTable& table, Image& image);

}  // namespace assay
