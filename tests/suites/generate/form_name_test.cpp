#include "suites/generate/form_name.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "profiler/block/bytes.h"

namespace assay {
namespace {

struct Named {
  const char* hex;
  const char* name;
};

// Instructions encoded by hand and by other assemblers, with the names of their forms.
constexpr Named kNamed[] = {
    {"4801d8", "ADD r64, r64"},
    {"4803d8", "ADD r64, r64"},
    {"04ff", "ADD al, imm8"},
    {"f0480118", "LOCK ADD m64, r64"},
    {"f3a4", "REP MOVSB"},
    {"f2ae", "REPNE SCASB"},
    {"48d1e0", "SHL r64, 1"},
    {"48d3e0", "SHL r64, cl"},
    {"48c1e003", "SHL r64, imm8"},
    {"488d0418", "LEA r64, m"},
    {"a01122334455667788", "MOV al, moffs8"},
    {"660f3810c1", "PBLENDVB xmm, xmm"},
    {"d8c1", "FADD st0, st"},
    {"c5f158c2", "VADDPD xmm, xmm, xmm"},
    {"62f1f50858c2", "{evex} VADDPD xmm, xmm, xmm"},
    {"62f1fdc958c2", "VADDPD zmm{k}{z}, zmm, zmm"},
    {"62f1fd5858 02", "VADDPD zmm, zmm, m64bcst"},
    {"62f1fd7858c2", "VADDPD zmm, zmm, zmm{er}"},
    {"62f27d49a20cc1", "VSCATTERDPS vm32z{k}, zmm"},
    {"e900000000", "JMP rel32"},
};

TEST(FormName, IsWrittenAsTheFieldDoes) {
  for (const Named& named : kNamed) {
    std::string hex = named.hex;
    std::erase(hex, ' ');
    const auto decoded = decode_one(bytes_from_hex(hex));
    ASSERT_TRUE(decoded.has_value()) << named.hex;
    EXPECT_EQ(name_of(*decoded), named.name) << named.hex;
  }
}

}  // namespace
}  // namespace assay
