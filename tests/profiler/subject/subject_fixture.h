#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "profiler/block/bytes.h"
#include "profiler/subject/subject.h"

namespace assay::subject {

/// Runs raw machine code in place of a kernel. The code is not decoded before, as if every rule
/// about blocks had a hole. It begins with the initial registers of a call and ends with ret (c3).
class SubjectTest : public testing::Test {
 protected:
  SeriesResult run(const std::string& hex, Limits limits = {}) {
    subject_.load_code(0, bytes_from_hex(hex));
    return run_loaded(limits);
  }
  SeriesResult run_loaded(Limits limits = {}) {
    const std::array<std::uint64_t, 1> entries = {kCode};
    return subject_.run({entries, 1, ~0U, 0x1122334455667788, 0}, limits);
  }
  SeriesResult run_on(int frames, const std::string& hex, std::uint64_t refill_mask = ~0ULL) {
    subject_.load_code(0, bytes_from_hex(hex));
    const std::array<std::uint64_t, 1> entries = {kCode};
    return subject_.run({entries, 1, refill_mask, 0x1122334455667788, 0, 127, frames}, {});
  }
  Fault fault_of(const std::string& hex, Limits limits = {}) {
    return run(hex, limits).fault.value_or(Fault{});
  }
  /// Expects that the subject still works.
  void expect_works() {
    const auto result = run("c3");
    EXPECT_FALSE(result.fault) << name(result.fault->outcome.reason) << " "
                               << result.fault->outcome.detail;
    EXPECT_EQ(result.readings.size(), 1U);
  }
  std::set<std::string> mapped_ranges() const {
    std::ifstream maps("/proc/" + std::to_string(subject_.pid()) + "/maps");
    std::set<std::string> ranges;
    for (std::string line; std::getline(maps, line);) ranges.insert(line.substr(0, line.find(' ')));
    return ranges;
  }

  std::uint64_t word_at(std::uint64_t address) const {
    std::ifstream memory("/proc/" + std::to_string(subject_.pid()) + "/mem", std::ios::binary);
    memory.seekg(static_cast<std::streamoff>(address));
    std::uint64_t word = 0;
    memory.read(reinterpret_cast<char*>(&word), sizeof word);
    return word;
  }

  std::vector<std::uint32_t> page_at(std::uint64_t address) const {
    std::ifstream memory("/proc/" + std::to_string(subject_.pid()) + "/mem", std::ios::binary);
    memory.seekg(static_cast<std::streamoff>(address));
    std::vector<std::uint32_t> words(kPageSize / sizeof(std::uint32_t));
    memory.read(reinterpret_cast<char*>(words.data()), kPageSize);
    EXPECT_TRUE(memory.good()) << std::hex << address;
    return words;
  }

  Subject subject_;
};

/// mov rax, value
inline Bytes setting_rax(std::uint64_t value) {
  Bytes code = {0x48, 0xb8};
  for (int i = 0; i < 8; ++i) code.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  return code;
}

/// mov rax, address; mov dword ptr [rax], value
inline Bytes storing(std::uint64_t address, std::uint32_t value) {
  Bytes code = setting_rax(address);
  code.insert(code.end(), {0xc7, 0x00});
  for (int i = 0; i < 4; ++i) code.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  return code;
}

}  // namespace assay::subject
