#pragma once

#include "profiler/machine/features.h"

namespace assay {

/// The CPU's features as they are, but for how it is led to the copies and fed with them, for as
/// long as this lives.
class AssumedFeatures {
 public:
  /// Like Intel's: by far jumps, behind which the decoders feed the copies.
  static Features far_jumps() { return with(0x33, true, 0, 0); }
  /// Like those of which nothing else is known: by near ones, and copies stay within a page.
  static Features near_jumps() { return with(0, false, 0, 0); }
  /// Like Zen 4: by near ones, and the micro-op cache feeds the copies.
  static Features micro_op_cache() { return with(0, true, 2'700, 12'288); }
  /// Like Zen 5: behind a RET that drains the front end, and the micro-op cache feeds the copies.
  static Features drained() {
    Features assumed = micro_op_cache();
    assumed.returns_drain = assumed.wide_take_two = true;
    assumed.fed_branches = 300;
    return assumed;
  }

  explicit AssumedFeatures(const Features& assumed) { assume_features(assumed); }
  ~AssumedFeatures() { assume_features(here_); }
  AssumedFeatures(const AssumedFeatures&) = delete;
  AssumedFeatures& operator=(const AssumedFeatures&) = delete;

 private:
  static Features with(std::uint16_t code_segment, bool pages_are_alike,
                       std::int64_t fed_instructions, std::int64_t fed_bytes) {
    Features assumed = features();
    assumed.code_segment = code_segment;
    assumed.pages_are_alike = pages_are_alike;
    assumed.fed_instructions = fed_instructions;
    assumed.fed_bytes = fed_bytes;
    assumed.returns_drain = assumed.wide_take_two = false;
    assumed.fed_branches = 0;
    return assumed;
  }

  const Features here_ = features();
};

}  // namespace assay
