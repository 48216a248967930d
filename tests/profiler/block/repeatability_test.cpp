#include <gtest/gtest.h>

#include <variant>

#include "profiler/block/block.h"

namespace assay {
namespace {

bool is_repeatable(const char* hex) {
  return std::get<Block>(decode(bytes_from_hex(hex))).repeatable;
}

TEST(Repeatability, OfWhatReadsOnlyRegistersAndMemory) {
  for (const char* hex : {
           "4801d8",          // add rax, rbx
           "488d0500000000",  // lea rax, [rip]
           "f3a4",            // rep movsb
           "9c",              // pushfq
           "d9eb",            // fldpi
           "0fae1b",          // stmxcsr [rbx]
       }) {
    EXPECT_TRUE(is_repeatable(hex)) << hex;
  }
}

TEST(Repeatability, NotOfClocksRandomNumbersAndAddressesOfCode) {
  for (const char* hex : {
           "0f31",      // rdtsc
           "480fc7f0",  // rdrand
           "480fc7f8",  // rdseed
           "d933",      // fnstenv [rbx]
           "dd33",      // fnsave [rbx]
           "0fae03",    // fxsave [rbx]
       }) {
    EXPECT_FALSE(is_repeatable(hex)) << hex;
  }
  EXPECT_FALSE(is_repeatable("4801d80f314801d8"));  // in the middle
}

}  // namespace
}  // namespace assay
