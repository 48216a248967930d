#include "suites/filter/block_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "suites/block_hash.h"

namespace assay {
namespace {

/// The output function of SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators" (OOPSLA 2014).
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

/// Random bits as a number uniform in (0, 1): the middle of one of 2^52 equal parts.
double uniform(std::uint64_t bits) {
  constexpr double kPart = 0x1p-52;
  return (static_cast<double>(bits >> 12) + 0.5) * kPart;
}

/// The sum of two weights, capped at the largest finite number: a corpus can hold no other weight.
double sum_of(double a, double b) { return std::min(a + b, std::numeric_limits<double>::max()); }

}  // namespace

double portable_log(double value) {
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent);  // in [0.5, 1)
  if (mantissa < std::numbers::sqrt2 / 2) {
    mantissa *= 2;
    --exponent;
  }
  // log m = 2 atanh z, a series in z^2. As z^2 is at most 0.0295, 11 terms leave an error of 1e-18.
  const double z = (mantissa - 1) / (mantissa + 1);
  const double square = z * z;
  constexpr int kTerms = 11;
  double sum = 0;
  for (int i = kTerms - 1; i >= 0; --i) sum = sum * square + 1.0 / (2 * i + 1);
  return exponent * std::numbers::ln2 + 2 * z * sum;
}

void BlockSample::add(CorpusEntry entry, double weight) {
  ++added_;
  if (weight <= 0) return;
  const std::uint64_t hash = stable_hash(entry);
  double& sum = weights_[hash];
  sum = sum_of(sum, weight);
  entry.frequency = sum;
  // Each line of a block draws a number of its own: the smallest of their keys is distributed like
  // the key of one line with the sum of their weights.
  const double u = uniform(mixed(mixed(seed_ ^ mixed(added_)) ^ hash));
  offer(std::move(entry), {-portable_log(u) / weight, hash});
}

void BlockSample::add_unweighted(CorpusEntry entry) {
  ++added_;
  const std::uint64_t hash = stable_hash(entry);
  // A block's key is the same whenever it comes, so that one not drawn at first never will be: only
  // blocks in the sample need their weights summed up.
  const auto known = keys_.find(hash);
  if (known == keys_.end()) {
    offer(std::move(entry), {-portable_log(uniform(mixed(mixed(seed_) ^ hash))), hash});
  } else if (entry.frequency) {
    auto& sum = drawn_.at({known->second, hash}).entry.frequency;
    sum = sum_of(sum.value_or(0), *entry.frequency);
  }
}

void BlockSample::offer(CorpusEntry entry, Key key) {
  const auto known = keys_.find(key.second);
  if (known != keys_.end()) {
    auto node = drawn_.extract(Key{known->second, key.second});
    known->second = std::min(known->second, key.first);
    node.key().first = known->second;
    node.mapped().entry.frequency = entry.frequency;
    drawn_.insert(std::move(node));
    return;
  }
  if (drawn_.size() == size_) {
    const auto last = std::prev(drawn_.end());
    if (last->first < key) return;
    keys_.erase(last->first.second);
    drawn_.erase(last);
  }
  keys_.emplace(key.second, key.first);
  drawn_.emplace(key, Drawn{added_, std::move(entry)});
}

std::vector<CorpusEntry> BlockSample::take() {
  std::vector<Drawn> all;
  for (auto& [key, drawn] : drawn_) all.push_back(std::move(drawn));
  drawn_.clear();
  keys_.clear();
  std::ranges::sort(all, {}, &Drawn::ordinal);
  std::vector<CorpusEntry> entries;
  for (Drawn& drawn : all) entries.push_back(std::move(drawn.entry));
  return entries;
}

}  // namespace assay
