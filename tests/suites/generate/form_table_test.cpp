#include "suites/generate/form_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "profiler/block/zydis.h"
#include "profiler/support/error.h"
#include "suites/generate/form_filter.h"

namespace assay {
namespace {

std::string capitals(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::toupper(letter));
  return text;
}

TEST(FormTable, HoldsEveryMnemonicOrSaysWhyNot) {
  std::set<std::string, std::less<>> known;
  for (const InstructionForm& form : instruction_forms()) known.emplace(form.mnemonic);
  for (const AbsentMnemonic& absent : absent_mnemonics()) {
    EXPECT_FALSE(absent.reason.empty()) << absent.name;
    EXPECT_FALSE(known.contains(absent.name)) << absent.name;
    known.emplace(absent.name);
  }
  for (int i = ZYDIS_MNEMONIC_INVALID + 1; i <= ZYDIS_MNEMONIC_MAX_VALUE; ++i) {
    const auto name = capitals(ZydisMnemonicGetString(static_cast<ZydisMnemonic>(i)));
    EXPECT_TRUE(known.contains(name)) << name;
  }
}

TEST(FormTable, TellsOfWhatZydisTakesForAnother) {
  EXPECT_TRUE(std::ranges::any_of(
      absent_mnemonics(), [](const AbsentMnemonic& absent) { return absent.name == "WBNOINVD"; }));
}

TEST(FormFilter, LeavesOutWhatAlwaysFaults) {
  std::vector<Skipped> skipped;
  EXPECT_TRUE(choose_forms({.patterns = {"UD?", "UD? *"}}, [&](const Skipped& each) {
                skipped.push_back(each);
              }).empty());
  EXPECT_GE(skipped.size(), 3U);
  for (const Skipped& each : skipped) EXPECT_EQ(each.reason, "always_faults") << each.name;
}

TEST(FormFilter, LeavesOutNopsThatSomeCpusRefuse) {
  std::vector<std::string> left_out;
  const auto chosen = choose_forms({.patterns = {"NOP", "PREFETCH*"}}, [&](const Skipped& each) {
    EXPECT_EQ(each.reason, "not_encodable") << each.name;
    left_out.push_back(each.name);
  });
  EXPECT_EQ(left_out, (std::vector<std::string>{"NOP r16, r16", "NOP r32, r32", "NOP r64, r64"}));
  EXPECT_TRUE(std::ranges::any_of(
      chosen, [](const InstructionForm* form) { return form->name == "PREFETCHW m8"; }));
}

TEST(FormTable, HoldsFormsOfEveryKindOnce) {
  const auto& forms = instruction_forms();
  EXPECT_GT(forms.size(), 16000U);
  for (std::size_t i = 1; i < forms.size(); ++i) EXPECT_LT(forms[i - 1].name, forms[i].name);
  for (const char* name : {"ADD r64, r64",
                           "LOCK ADD m64, r64",
                           "REP MOVSQ",
                           "SHLD r16, r16, cl",
                           "PUSH r64",
                           "MUL r8",
                           "BT m64, r64",
                           "CMPXCHG16B m128",
                           "LOCK CMPXCHG16B m128",
                           "MOV r64, imm64",

                           "MOVQ2DQ xmm, mm",
                           "FSIN",
                           "FADDP st, st0",
                           "PFADD mm, mm",
                           "VPGATHERDD ymm, vm32y, ymm",
                           "VGATHERQPD zmm{k}, vm64z",
                           "VFMADDPD xmm, xmm, xmm, m128",
                           "VPCOMB xmm, xmm, xmm, imm8",
                           "ANDN r32, r32, r32",
                           "KADDQ k, k, k",
                           "TZCNT r64, r64",
                           "VCMPPD k{k}, zmm, zmm{sae}, imm8",
                           "VADDPH zmm{k}{z}, zmm, m16bcst",
                           "TDPBF16PS tmm, tmm, tmm"}) {
    const InstructionForm* form = form_named(name);
    ASSERT_NE(form, nullptr) << name;
    EXPECT_EQ(form->name, name);
  }
  EXPECT_EQ(form_named("ADD r64"), nullptr);
}

std::set<std::string> names(const FormFilter& filter) {
  std::set<std::string> result;
  for (const InstructionForm* form : choose_forms(filter, [](const Skipped&) {})) {
    result.insert(form->name);
  }
  return result;
}

TEST(FormFilter, KnowsGlobsExpressionsAndExtensions) {
  EXPECT_EQ(names({.patterns = {"popcnt r64, *"}}),
            (std::set<std::string>{"POPCNT r64, m64", "POPCNT r64, r64"}));
  EXPECT_EQ(names({.patterns = {"/^PDEP r64|^PEXT r64/"}}),
            (std::set<std::string>{"PDEP r64, r64, m64", "PDEP r64, r64, r64", "PEXT r64, r64, m64",
                                   "PEXT r64, r64, r64"}));
  EXPECT_EQ(names({.patterns = {"A?D"}, .extensions = {"i86"}}).count("AND r64, r64"), 1U);
  for (const char* extension : {"AVX512F", "avx512f_512", "AVX512EVEX", "feature"}) {
    const auto found = names({.patterns = {"VADDPD zmm, zmm, zmm"},
                              .extensions = {extension},
                              .feature_of = [](std::string_view) { return "feature"; }});
    EXPECT_EQ(found, (std::set<std::string>{"VADDPD zmm, zmm, zmm"})) << extension;
  }
  EXPECT_THROW(names({.patterns = {"NOSUCH"}}), InputError);
  EXPECT_THROW(names({.patterns = {"/(/"}}), InputError);
  EXPECT_THROW(names({.extensions = {"AVX3"}}), InputError);
}

TEST(FormFilter, SaysWhyAFormIsLeftOut) {
  std::set<std::string> reasons;
  const FormFilter filter{
      .patterns = {"SYSCALL", "HLT", "CPUID", "RET", "VADDPH", "WRFSBASE", "NOP"},
      .missing_feature = [](std::string_view set) -> std::optional<std::string> {
        if (!set.starts_with("AVX512_FP16")) return std::nullopt;
        return "avx512_fp16";
      }};
  const auto chosen =
      choose_forms(filter, [&](Skipped skipped) { reasons.insert(skipped.reason); });
  EXPECT_EQ(reasons, (std::set<std::string>{"control_flow", "missing_feature", "not_encodable",
                                            "privileged_instruction", "processor_state",
                                            "system_call", "virtualized_instruction"}));
  for (const InstructionForm* form : chosen) EXPECT_EQ(form->mnemonic, "NOP");
}

}  // namespace
}  // namespace assay
