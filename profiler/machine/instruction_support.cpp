#include "profiler/machine/instruction_support.h"

#include <fmt/format.h>
#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <span>

#include "profiler/block/instruction_set.h"
#include "profiler/machine/cpuid.h"

namespace assay {
namespace {

enum class Register { kEax, kEbx, kEcx, kEdx };

/// A feature, and the bit of CPUID that says whether the CPU has it.
struct Feature {
  std::string_view name;
  std::uint32_t leaf = 0;
  std::uint32_t subleaf = 0;
  Register reg = Register::kEax;
  int bit = -1;             ///< -1: there is none; no user program that assay runs has the feature
  std::uint64_t state = 0;  ///< bits of XCR0 that the system must have set for its instructions
};

constexpr std::uint64_t kAvxState = 0x06;      // SSE and AVX
constexpr std::uint64_t kAvx512State = 0xe6;   // SSE, AVX, masks, and both parts of ZMM
constexpr std::uint64_t kTileState = 0x60000;  // tile configuration and tile data
constexpr std::uint64_t kAnyState = 0x1;       // x87: always set if XSAVE is switched on

// Sources: Intel SDM volume 2, CPUID, and volume 1, chapters 13 to 18 (state in XCR0); AMD APM
// volume 3, appendices D and E, for features that only AMD has; VIA, "PadLock Programming Guide".
constexpr Feature kFeatures[] = {
    {"x87", 1, 0, Register::kEdx, 0},
    {"cmov", 1, 0, Register::kEdx, 15},
    {"clflush", 1, 0, Register::kEdx, 19},
    {"mmx", 1, 0, Register::kEdx, 23},
    {"fxsr", 1, 0, Register::kEdx, 24},
    {"sse", 1, 0, Register::kEdx, 25},
    {"sse2", 1, 0, Register::kEdx, 26},
    {"sse3", 1, 0, Register::kEcx, 0},
    {"pclmulqdq", 1, 0, Register::kEcx, 1},
    {"monitor", 1, 0, Register::kEcx, 3},
    {"vmx", 1, 0, Register::kEcx, 5},
    {"smx", 1, 0, Register::kEcx, 6},
    {"ssse3", 1, 0, Register::kEcx, 9},
    {"fma", 1, 0, Register::kEcx, 12},
    {"cx16", 1, 0, Register::kEcx, 13},
    {"sse4_1", 1, 0, Register::kEcx, 19},
    {"sse4_2", 1, 0, Register::kEcx, 20},
    {"movbe", 1, 0, Register::kEcx, 22},
    {"popcnt", 1, 0, Register::kEcx, 23},
    {"aes", 1, 0, Register::kEcx, 25},
    {"xsave", 1, 0, Register::kEcx, 26, kAnyState},
    {"avx", 1, 0, Register::kEcx, 28, kAvxState},
    {"f16c", 1, 0, Register::kEcx, 29},
    {"rdrand", 1, 0, Register::kEcx, 30},

    {"fsgsbase", 7, 0, Register::kEbx, 0},
    {"sgx", 7, 0, Register::kEbx, 2},
    {"bmi1", 7, 0, Register::kEbx, 3},
    {"avx2", 7, 0, Register::kEbx, 5, kAvxState},
    {"bmi2", 7, 0, Register::kEbx, 8},
    {"invpcid", 7, 0, Register::kEbx, 10},
    {"rtm", 7, 0, Register::kEbx, 11},
    {"avx512f", 7, 0, Register::kEbx, 16, kAvx512State},
    {"avx512dq", 7, 0, Register::kEbx, 17, kAvx512State},
    {"rdseed", 7, 0, Register::kEbx, 18},
    {"adx", 7, 0, Register::kEbx, 19},
    {"smap", 7, 0, Register::kEbx, 20},
    {"avx512ifma", 7, 0, Register::kEbx, 21, kAvx512State},
    {"clflushopt", 7, 0, Register::kEbx, 23},
    {"clwb", 7, 0, Register::kEbx, 24},
    {"avx512pf", 7, 0, Register::kEbx, 26, kAvx512State},
    {"avx512er", 7, 0, Register::kEbx, 27, kAvx512State},
    {"avx512cd", 7, 0, Register::kEbx, 28, kAvx512State},
    {"sha_ni", 7, 0, Register::kEbx, 29},
    {"avx512bw", 7, 0, Register::kEbx, 30, kAvx512State},
    {"avx512vl", 7, 0, Register::kEbx, 31, kAvx512State},

    {"prefetchwt1", 7, 0, Register::kEcx, 0},
    {"avx512vbmi", 7, 0, Register::kEcx, 1, kAvx512State},
    {"ospke", 7, 0, Register::kEcx, 4},
    {"waitpkg", 7, 0, Register::kEcx, 5},
    {"avx512_vbmi2", 7, 0, Register::kEcx, 6, kAvx512State},
    {"gfni", 7, 0, Register::kEcx, 8},
    {"vaes", 7, 0, Register::kEcx, 9},
    {"vpclmulqdq", 7, 0, Register::kEcx, 10},
    {"avx512_vnni", 7, 0, Register::kEcx, 11, kAvx512State},
    {"avx512_bitalg", 7, 0, Register::kEcx, 12, kAvx512State},
    {"avx512_vpopcntdq", 7, 0, Register::kEcx, 14, kAvx512State},
    {"rdpid", 7, 0, Register::kEcx, 22},
    {"keylocker", 7, 0, Register::kEcx, 23},
    {"cldemote", 7, 0, Register::kEcx, 25},
    {"movdiri", 7, 0, Register::kEcx, 27},
    {"movdir64b", 7, 0, Register::kEcx, 28},
    {"enqcmd", 7, 0, Register::kEcx, 29},

    {"avx512_4vnniw", 7, 0, Register::kEdx, 2, kAvx512State},
    {"avx512_4fmaps", 7, 0, Register::kEdx, 3, kAvx512State},
    {"uintr", 7, 0, Register::kEdx, 5},
    {"avx512_vp2intersect", 7, 0, Register::kEdx, 8, kAvx512State},
    {"serialize", 7, 0, Register::kEdx, 14},
    {"tsxldtrk", 7, 0, Register::kEdx, 16},
    {"pconfig", 7, 0, Register::kEdx, 18},
    {"amx_bf16", 7, 0, Register::kEdx, 22, kTileState},
    {"avx512_fp16", 7, 0, Register::kEdx, 23, kAvx512State},
    {"amx_tile", 7, 0, Register::kEdx, 24, kTileState},
    {"amx_int8", 7, 0, Register::kEdx, 25, kTileState},
    {"avx_vnni", 7, 1, Register::kEax, 4, kAvxState},
    {"avx512_bf16", 7, 1, Register::kEax, 5, kAvx512State},
    {"hreset", 7, 1, Register::kEax, 22},

    {"xsaveopt", 0xd, 1, Register::kEax, 0, kAnyState},
    {"xsavec", 0xd, 1, Register::kEax, 1, kAnyState},
    {"xsaves", 0xd, 1, Register::kEax, 3, kAnyState},
    {"enclv", 0x12, 0, Register::kEax, 5},
    {"ptwrite", 0x14, 0, Register::kEbx, 4},
    {"aeskle", 0x19, 0, Register::kEbx, 0},
    {"widekl", 0x19, 0, Register::kEbx, 2},

    {"lahf_lm", 0x80000001, 0, Register::kEcx, 0},
    {"svm", 0x80000001, 0, Register::kEcx, 2},
    {"abm", 0x80000001, 0, Register::kEcx, 5},
    {"sse4a", 0x80000001, 0, Register::kEcx, 6},
    {"3dnowprefetch", 0x80000001, 0, Register::kEcx, 8},
    {"xop", 0x80000001, 0, Register::kEcx, 11, kAvxState},
    {"lwp", 0x80000001, 0, Register::kEcx, 15, std::uint64_t{1} << 62},
    {"fma4", 0x80000001, 0, Register::kEcx, 16, kAvxState},
    {"tbm", 0x80000001, 0, Register::kEcx, 21},
    {"mwaitx", 0x80000001, 0, Register::kEcx, 29},
    {"syscall", 0x80000001, 0, Register::kEdx, 11},
    {"rdtscp", 0x80000001, 0, Register::kEdx, 27},
    {"lm", 0x80000001, 0, Register::kEdx, 29},
    {"3dnow", 0x80000001, 0, Register::kEdx, 31},
    {"clzero", 0x80000008, 0, Register::kEbx, 0},
    {"invlpgb", 0x80000008, 0, Register::kEbx, 3},
    {"rdpru", 0x80000008, 0, Register::kEbx, 4},
    {"mcommit", 0x80000008, 0, Register::kEbx, 8},
    {"sev_snp", 0x8000001f, 0, Register::kEax, 4},
    {"rng_en", 0xc0000001, 0, Register::kEdx, 3},
    {"ace_en", 0xc0000001, 0, Register::kEdx, 7},
    {"phe_en", 0xc0000001, 0, Register::kEdx, 11},
    {"pmm_en", 0xc0000001, 0, Register::kEdx, 13},

    // A process must ask the kernel for these two, which the processes that assay measures in never
    // do; until then their instructions are NOPs or fault, even if CPUID shows the feature.
    {"shadow_stack"},
    {"mpx"},
    // Instructions of the SEAM modules, which are not user programs.
    {"tdx"},
};

/// The features that the instructions of a set need; for a set of AVX-512, the instructions of all
/// vector lengths. If the list is empty, no CPU in 64-bit mode can lack the set.
struct SetNeeds {
  std::string_view stem;  ///< the set's name without the suffix that stem_of() removes
  std::array<std::string_view, 3> features{};
};

// Sources: XED's files of CPUID bits by instruction set (intelxed/xed, datafiles/*/cpuid.xed.txt),
// and the manuals above for sets that are not in these. The first feature is what users call the
// set.
constexpr SetNeeds kNeeds[] = {
    {"ADOX_ADCX", {"adx"}},
    {"AES", {"aes"}},
    {"AMD", {"syscall"}},
    {"AMD3DNOW", {"3dnow"}},
    {"AMD_INVLPGB", {"invlpgb"}},
    {"AMX_BF16", {"amx_bf16"}},
    {"AMX_INT8", {"amx_int8"}},
    {"AMX_TILE", {"amx_tile"}},
    {"AVX", {"avx"}},
    {"AVX2", {"avx2"}},
    {"AVX2GATHER", {"avx2"}},
    {"AVX512BW", {"avx512bw"}},
    {"AVX512CD", {"avx512cd"}},
    {"AVX512DQ", {"avx512dq"}},
    {"AVX512ER", {"avx512er"}},
    {"AVX512F", {"avx512f"}},
    {"AVX512PF", {"avx512pf"}},
    {"AVX512_4FMAPS", {"avx512_4fmaps"}},
    {"AVX512_4VNNIW", {"avx512_4vnniw"}},
    {"AVX512_BF16", {"avx512_bf16"}},
    {"AVX512_BITALG", {"avx512_bitalg"}},
    {"AVX512_FP16", {"avx512_fp16"}},
    {"AVX512_GFNI", {"gfni", "avx512f"}},
    {"AVX512_IFMA", {"avx512ifma"}},
    {"AVX512_VAES", {"vaes", "avx512f"}},
    {"AVX512_VBMI2", {"avx512_vbmi2"}},
    {"AVX512_VBMI", {"avx512vbmi"}},
    {"AVX512_VNNI", {"avx512_vnni"}},
    {"AVX512_VP2INTERSECT", {"avx512_vp2intersect"}},
    {"AVX512_VPCLMULQDQ", {"vpclmulqdq", "avx512f"}},
    {"AVX512_VPOPCNTDQ", {"avx512_vpopcntdq"}},
    {"AVXAES", {"aes", "avx"}},
    {"AVX_GFNI", {"gfni", "avx"}},
    {"AVX_VNNI", {"avx_vnni"}},
    {"BMI1", {"bmi1"}},
    {"BMI2", {"bmi2"}},
    {"CET", {"shadow_stack"}},
    {"CLDEMOTE", {"cldemote"}},
    {"CLFLUSHOPT", {"clflushopt"}},
    {"CLFSH", {"clflush"}},
    {"CLWB", {"clwb"}},
    {"CLZERO", {"clzero"}},
    {"CMOV", {"cmov"}},
    {"CMPXCHG16B", {"cx16"}},
    {"ENQCMD", {"enqcmd"}},
    {"F16C", {"f16c", "avx"}},
    {"FAT_NOP"},
    {"FCMOV", {"x87", "cmov"}},
    {"FMA", {"fma", "avx"}},
    {"FMA4", {"fma4", "avx"}},
    {"FXSAVE", {"fxsr"}},
    {"FXSAVE64", {"fxsr", "lm"}},
    {"GFNI", {"gfni"}},
    {"HRESET", {"hreset"}},
    {"I186"},
    {"I286PROTECTED"},
    {"I286REAL"},
    {"I386"},
    {"I486"},
    {"I486REAL"},
    {"I86"},
    {"INVPCID", {"invpcid"}},
    {"KEYLOCKER", {"keylocker", "aeskle"}},
    {"KEYLOCKER_WIDE", {"widekl", "keylocker", "aeskle"}},
    {"LAHF", {"lahf_lm"}},
    {"LONGMODE"},
    {"LWP", {"lwp"}},
    {"LZCNT", {"abm"}},
    {"MCOMMIT", {"mcommit"}},
    {"MONITOR", {"monitor"}},
    {"MONITORX", {"mwaitx"}},
    {"MOVBE", {"movbe"}},
    {"MOVDIR", {"movdiri", "movdir64b"}},
    {"MPX", {"mpx"}},
    {"PADLOCK_ACE", {"ace_en"}},
    {"PADLOCK_PHE", {"phe_en"}},
    {"PADLOCK_PMM", {"pmm_en"}},
    {"PADLOCK_RNG", {"rng_en"}},
    {"PAUSE"},
    {"PCLMULQDQ", {"pclmulqdq"}},
    {"PCONFIG", {"pconfig"}},
    {"PENTIUMMMX", {"mmx"}},
    {"PENTIUMREAL"},
    {"PKU", {"ospke"}},
    {"POPCNT", {"popcnt"}},
    {"PPRO"},
    {"PREFETCHWT1", {"prefetchwt1"}},
    {"PREFETCH_NOP", {"3dnowprefetch"}},
    {"PT", {"ptwrite"}},
    {"RDPID", {"rdpid"}},
    {"RDPMC"},
    {"RDPRU", {"rdpru"}},
    {"RDRAND", {"rdrand"}},
    {"RDSEED", {"rdseed"}},
    {"RDTSCP", {"rdtscp"}},
    {"RDWRFSGS", {"fsgsbase"}},
    {"RTM", {"rtm"}},
    {"SERIALIZE", {"serialize"}},
    {"SGX", {"sgx"}},
    {"SGX_ENCLV", {"enclv", "sgx"}},
    {"SHA", {"sha_ni"}},
    {"SMAP", {"smap"}},
    {"SMX", {"smx"}},
    {"SNP", {"sev_snp"}},
    {"SSE", {"sse"}},
    {"SSE2", {"sse2"}},
    {"SSE2MMX", {"sse2"}},
    {"SSE3", {"sse3"}},
    {"SSE3X87", {"sse3"}},
    {"SSE4", {"sse4_1"}},
    {"SSE42", {"sse4_2"}},
    {"SSE4A", {"sse4a"}},
    {"SSEMXCSR", {"sse"}},
    {"SSE_PREFETCH", {"sse"}},
    {"SSSE3", {"ssse3"}},
    {"SSSE3MMX", {"ssse3"}},
    {"SVM", {"svm"}},
    {"TBM", {"tbm"}},
    {"TDX", {"tdx"}},
    {"TSX_LDTRK", {"tsxldtrk"}},
    {"UINTR", {"uintr"}},
    {"VAES", {"vaes", "avx"}},
    {"VMFUNC", {"vmx"}},
    {"VPCLMULQDQ", {"vpclmulqdq", "avx"}},
    {"VTX", {"vmx"}},
    {"WAITPKG", {"waitpkg"}},
    {"X87", {"x87"}},
    {"XOP", {"xop", "avx"}},
    {"XSAVE", {"xsave"}},
    {"XSAVEC", {"xsavec", "xsave"}},
    {"XSAVEOPT", {"xsaveopt", "xsave"}},
    {"XSAVES", {"xsaves", "xsave"}},
};

constexpr std::string_view kBase = "base";

/// Suffixes of AVX-512 sets, which come once for each vector length, and for scalars and mask
/// registers. A set with the suffix 128N has that length only, and is part of the foundation.
constexpr std::string_view kSuffixes[] = {"_128", "_128N", "_256", "_512", "_KOP", "_SCALAR"};

std::string_view stem_of(std::string_view set) {
  if (!set.starts_with("AVX512")) return set;
  for (const std::string_view suffix : kSuffixes) {
    if (set.ends_with(suffix)) return set.substr(0, set.size() - suffix.size());
  }
  return set;
}

bool needs_vector_lengths(std::string_view set) {
  return set.starts_with("AVX512") && (set.ends_with("_128") || set.ends_with("_256"));
}

const SetNeeds* needs_of(std::string_view set) {
  const auto* const found = std::ranges::find(kNeeds, stem_of(set), &SetNeeds::stem);
  return found == std::end(kNeeds) ? nullptr : found;
}

std::string_view extension_of(const SetNeeds& needs) {
  return needs.features.front().empty() ? kBase : needs.features.front();
}

bool is_set(const CpuidAnswer& answer, const Feature& feature) {
  const std::uint32_t values[] = {answer.eax, answer.ebx, answer.ecx, answer.edx};
  return feature.bit >= 0 && (values[static_cast<int>(feature.reg)] >> feature.bit & 1) != 0;
}

/// Whether the CPU shows the feature in CPUID, or was seen to have it.
bool cpu_has(const Feature& feature, const SupportFacts& facts) {
  if (feature.bit < 0) return false;
  if (is_set(facts.cpuid(feature.leaf, feature.subleaf), feature)) return true;
  if (feature.name == "bmi1") return facts.counts_trailing_zeros;
  return feature.name == "abm" && facts.counts_leading_zeros;
}

/// Whether the system has switched on what the feature's instructions need.
bool system_allows(const Feature& feature, const SupportFacts& facts) {
  if (feature.name == "fsgsbase") return facts.fsgsbase;
  return (facts.xcr0 & feature.state) == feature.state;
}

/// The features that the machine lacks, each with the text that says so. They are collected once,
/// because CPUID is slow under a hypervisor.
using Lacks = std::map<std::string_view, std::string>;

Lacks lacks_of(const SupportFacts& facts) {
  Lacks lacks;
  for (const Feature& feature : kFeatures) {
    if (!cpu_has(feature, facts)) {
      lacks.emplace(feature.name, feature.name);
    } else if (!system_allows(feature, facts)) {
      lacks.emplace(feature.name, fmt::format("{} by the system", feature.name));
    }
  }
  return lacks;
}

/// What the machine lacks for the set; nothing if it lacks nothing.
std::optional<std::string> lack_of(std::string_view set, const SetNeeds& needs,
                                   const Lacks& lacks) {
  for (const std::string_view feature : needs.features) {
    if (const auto found = lacks.find(feature); found != lacks.end()) return found->second;
  }
  const auto lengths = lacks.find(needs_vector_lengths(set) ? "avx512vl" : "");
  return lengths == lacks.end() ? std::nullopt : std::optional(lengths->second);
}

/// Whether F3 0F BC runs as tzcnt. For the operand 1, tzcnt and bsf both give 0, but tzcnt sets ZF
/// by its result, and bsf by its source.
bool sees_trailing_zeros() {
  bool zero = false;
  asm("rep bsfl %1, %%eax" : "=@ccz"(zero) : "r"(1) : "eax");
  return zero;
}

/// Whether F3 0F BD runs as lzcnt: for the operand 1, lzcnt gives 31 and bsr 0.
bool sees_leading_zeros() {
  std::uint32_t result = 0;
  asm("rep bsrl %1, %0" : "=r"(result) : "r"(1) : "cc");
  return result == 31;
}

bool system_offers_fsgsbase() {
  constexpr unsigned long kFsGsBase = 1UL << 1;  // HWCAP2_FSGSBASE of <asm/hwcap2.h>
  return (getauxval(AT_HWCAP2) & kFsGsBase) != 0;
}

}  // namespace

SupportFacts hardware_support_facts() {
  return {hardware_cpuid_subleaf, hardware_xcr0(), system_offers_fsgsbase(), sees_trailing_zeros(),
          sees_leading_zeros()};
}

InstructionSupport::InstructionSupport(const SupportFacts& facts) {
  const Lacks lacks = lacks_of(facts);
  for (const std::string_view set : instruction_set_names()) {
    const SetNeeds* const needs = needs_of(set);
    if (needs == nullptr) continue;
    if (auto lack = lack_of(set, *needs, lacks)) missing_.emplace(set, *std::move(lack));
  }
}

std::optional<std::string> InstructionSupport::missing_feature(std::string_view isa_set) const {
  if (const auto found = missing_.find(isa_set); found != missing_.end()) return found->second;
  if (extension_of(isa_set).empty()) return std::string(isa_set);
  return std::nullopt;
}

const InstructionSupport& instruction_support() {
  static const InstructionSupport support(hardware_support_facts());
  return support;
}

std::optional<std::string> missing_feature(std::string_view isa_set) {
  return instruction_support().missing_feature(isa_set);
}

std::string_view extension_of(std::string_view isa_set) {
  static const auto extensions = [] {
    std::map<std::string_view, std::string_view> by_set;
    for (const std::string_view set : instruction_set_names()) {
      const SetNeeds* const needs = needs_of(set);
      if (needs != nullptr) by_set.emplace(set, extension_of(*needs));
    }
    return by_set;
  }();
  const auto found = extensions.find(isa_set);
  return found == extensions.end() ? std::string_view() : found->second;
}

std::vector<std::string_view> extension_names() {
  std::vector<std::string_view> names;
  for (const SetNeeds& needs : kNeeds) names.push_back(extension_of(needs));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace assay
