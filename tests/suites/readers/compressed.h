#pragma once

#include <string>
#include <string_view>

namespace assay {

/// One gzip member.
std::string gzip_of(std::string_view text);
/// One zstd frame with a checksum.
std::string zstd_of(std::string_view text);
/// A zstd frame that decompressors pass over, with this content.
std::string skippable_zstd_frame(std::string_view content);

}  // namespace assay
