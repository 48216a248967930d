#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace assay {

/// What a store was found to be.
struct StoreCheck {
  std::optional<std::string> damage;    ///< what is wrong with it; nothing if it is whole
  std::optional<std::string> given_up;  ///< the damage of a log whose end was given up
  std::int64_t campaigns = 0;           ///< if it is whole, like the following
  std::int64_t blocks = 0;
  std::int64_t outcomes = 0;
};

/// Reads a store from its first page to its last (content_digest.h). Throws InputError if it is
/// none that this assay reads, or so damaged that it cannot be read.
StoreCheck check_store(const std::filesystem::path& path);

/// Takes what the store holds for what it should hold, where another program has changed it, or
/// where what stands behind the damage of its log is lost. Nothing else in it is changed. Throws
/// InputError if its pages do not hold together or its tables are others, and EnvironmentError if
/// somebody is writing it.
StoreCheck accept_store(const std::filesystem::path& path);

}  // namespace assay
