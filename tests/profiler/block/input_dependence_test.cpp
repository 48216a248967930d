#include <gtest/gtest.h>

#include <variant>

#include "profiler/block/block.h"

namespace assay {
namespace {

Traits traits_of(const char* hex) { return std::get<Block>(decode(bytes_from_hex(hex))).traits; }

TEST(InputDependence, OfWhatTakesAsLongAsItsOperandsMakeIt) {
  for (const char* hex : {
           "48f7f1",          // div rcx
           "66f7f9",          // idiv cx
           "f20f5ec1",        // divsd
           "c5fc5ec1",        // vdivps ymm
           "0f51c1",          // sqrtps
           "62f1fd4851c1",    // vsqrtpd zmm
           "d8f1",            // fdiv
           "d9fe",            // fsin
           "d9f8",            // fprem
           "f3a4",            // rep movsb
           "f2ae",            // repne scasb
           "c4e26d90448b08",  // vpgatherdd
           "c4e2752e03",      // vmaskmovps [rbx], ymm1, ymm0
           "660ff7ca",        // maskmovdqu
           "660f3a6000ff",    // pcmpestrm
           "c4e2f3f5c2",      // pdep
           "480fc7f0",        // rdrand
           "0fae20",          // xsave
           "4801d848f7f1",    // add; div
       }) {
    EXPECT_EQ(traits_of(hex), Traits{Trait::kInputDependent}) << hex;
  }
}

TEST(InputDependence, NotOfOrdinaryInstructions) {
  for (const char* hex : {
           "4801d8",        // add
           "480fafc0",      // imul
           "f20f59c1",      // mulsd
           "c4e2f1b9e0",    // vfmadd231sd
           "d8c1",          // fadd
           "a4",            // movsb, once
           "48d3e0",        // shl rax, cl
           "480fbcc1",      // bsf
           "0f53c1",        // rcpps
           "660f3a6300ff",  // pcmpistri
           "f30fb803",      // popcnt, whose F3 repeats nothing
       }) {
    EXPECT_TRUE(traits_of(hex).empty()) << hex;
  }
}

}  // namespace
}  // namespace assay
