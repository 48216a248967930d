#include "suites/shard.h"

#include <charconv>

namespace assay {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

}  // namespace

bool contains(const Shard& shard, std::uint64_t hash) {
  return hash % static_cast<std::uint64_t>(shard.count) ==
         static_cast<std::uint64_t>(shard.index - 1);
}

bool contains(const Shard& shard, const Bytes& block) {
  return contains(shard, stable_hash({block, ""}));
}

std::optional<Shard> shard_from(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto index = whole_number(text.substr(0, slash));
  const auto count = whole_number(text.substr(slash + 1));
  if (!index || !count || *index < 1 || *index > *count) return std::nullopt;
  return Shard{*index, *count};
}

}  // namespace assay
