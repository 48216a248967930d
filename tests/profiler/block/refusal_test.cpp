#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <set>

#include "profiler/block/assembler.h"
#include "profiler/block/block.h"
#include "profiler/block/text.h"

namespace assay {
namespace {

struct Encoding {
  const char* hex;
  Reason reason;  // kNone: the block may run
  const char* what;
};
void PrintTo(const Encoding& encoding, std::ostream* out) { *out << encoding.what; }

constexpr Reason kLeaves = Reason::kControlFlow;
constexpr Reason kSystem = Reason::kSystemCall;
constexpr Reason kPrivileged = Reason::kPrivilegedInstruction;
constexpr Reason kState = Reason::kProcessorState;
constexpr Reason kEmulated = Reason::kVirtualizedInstruction;
constexpr Reason kInvalid = Reason::kInvalidInstruction;

constexpr Encoding kEncodings[] = {
    // Control flow.
    {"eb0090", kLeaves, "jmp rel8, not last"},
    {"740090", kLeaves, "je rel8, not last"},
    {"0f840000000090", kLeaves, "je rel32, not last"},
    {"e20090", kLeaves, "loop, not last"},
    {"e30090", kLeaves, "jrcxz, not last"},
    {"66eb00", kLeaves, "jmp rel8 with an operand-size prefix"},
    {"660f8400000000", kLeaves, "je rel32 with an operand-size prefix"},
    {"e800000000", kLeaves, "call rel32"},
    {"ffd0", kLeaves, "call rax"},
    {"ff10", kLeaves, "call [rax]"},
    {"ff18", kLeaves, "call far [rax]"},
    {"ffe0", kLeaves, "jmp rax"},
    {"ff2500000000", kLeaves, "jmp [rip]"},
    {"3effe0", kLeaves, "notrack jmp rax"},
    {"ff28", kLeaves, "jmp far [rax]"},
    {"c3", kLeaves, "ret"},
    {"f3c3", kLeaves, "rep ret"},
    {"c20800", kLeaves, "ret 8"},
    {"cb", kLeaves, "retf"},
    {"ca0800", kLeaves, "retf 8"},
    {"66cf", kLeaves, "iret"},
    {"cf", kLeaves, "iretd"},
    {"48cf", kLeaves, "iretq"},
    {"c7f800000000", kLeaves, "xbegin, last"},
    {"c6f800", kLeaves, "xabort"},
    {"0f01d5", kLeaves, "xend"},
    {"f30f01ec", kLeaves, "uiret"},
    {"f30fc7f0", kLeaves, "senduipi"},
    {"0faa", kLeaves, "rsm"},
    // System calls.
    {"0f05", kSystem, "syscall"},
    {"0f34", kSystem, "sysenter"},
    {"0f07", kSystem, "sysret"},
    {"480f07", kSystem, "sysretq"},
    {"0f35", kSystem, "sysexit"},
    {"cd80", kSystem, "int 0x80"},
    {"f1", kSystem, "int1"},
    {"cc", kSystem, "int3"},
    {"0f01c1", kSystem, "vmcall"},
    {"0f01d9", kSystem, "vmmcall"},
    {"0f01d4", kSystem, "vmfunc"},
    {"0f01cf", kSystem, "encls"},
    {"0f01d7", kSystem, "enclu"},
    {"0f01c0", kSystem, "enclv"},
    {"660f01cc", kSystem, "tdcall"},
    {"660f01cd", kSystem, "seamret"},
    {"660f01ce", kSystem, "seamops"},
    {"660f01cf", kSystem, "seamcall"},
    // Privileged.
    {"f4", kPrivileged, "hlt"},
    {"e400", kPrivileged, "in al, 0"},
    {"ed", kPrivileged, "in eax, dx"},
    {"e600", kPrivileged, "out 0, al"},
    {"ef", kPrivileged, "out dx, eax"},
    {"6c", kPrivileged, "insb"},
    {"f36d", kPrivileged, "rep insd"},
    {"666d", kPrivileged, "insw"},
    {"6e", kPrivileged, "outsb"},
    {"6f", kPrivileged, "outsd"},
    {"666f", kPrivileged, "outsw"},
    {"fa", kPrivileged, "cli"},
    {"fb", kPrivileged, "sti"},
    {"0f20c0", kPrivileged, "mov rax, cr0"},
    {"0f22d8", kPrivileged, "mov cr3, rax"},
    {"440f20c0", kPrivileged, "mov rax, cr8"},
    {"0f21f8", kPrivileged, "mov rax, dr7"},
    {"0f23f8", kPrivileged, "mov dr7, rax"},
    {"0f0110", kPrivileged, "lgdt"},
    {"0f0118", kPrivileged, "lidt"},
    {"0f00d0", kPrivileged, "lldt ax"},
    {"0f00d8", kPrivileged, "ltr ax"},
    {"0f01f0", kPrivileged, "lmsw ax"},
    {"0f06", kPrivileged, "clts"},
    {"0f0138", kPrivileged, "invlpg"},
    {"0f01df", kPrivileged, "invlpga"},
    {"0f01fe", kPrivileged, "invlpgb"},
    {"0f01ff", kPrivileged, "tlbsync"},
    {"0f08", kPrivileged, "invd"},
    {"0f09", kPrivileged, "wbinvd"},
    {"f30f09", kPrivileged, "wbnoinvd"},
    {"0f30", kPrivileged, "wrmsr"},
    {"0f32", kPrivileged, "rdmsr"},
    {"0f33", kPrivileged, "rdpmc"},
    {"0f01f8", kPrivileged, "swapgs"},
    {"0f01ca", kPrivileged, "clac"},
    {"0f01cb", kPrivileged, "stac"},
    {"0f01c8", kPrivileged, "monitor"},
    {"0f01c9", kPrivileged, "mwait"},
    {"0f01d1", kPrivileged, "xsetbv"},
    {"0fc728", kPrivileged, "xsaves"},
    {"0fc718", kPrivileged, "xrstors"},
    {"480fc728", kPrivileged, "xsaves64"},
    {"480fc718", kPrivileged, "xrstors64"},
    {"0f37", kPrivileged, "getsec"},
    {"0f01d8", kPrivileged, "vmrun"},
    {"0f01da", kPrivileged, "vmload"},
    {"0f01db", kPrivileged, "vmsave"},
    {"0f01dc", kPrivileged, "stgi"},
    {"0f01dd", kPrivileged, "clgi"},
    {"0f01de", kPrivileged, "skinit"},
    {"0fc730", kPrivileged, "vmptrld"},
    {"0fc738", kPrivileged, "vmptrst"},
    {"660fc730", kPrivileged, "vmclear"},
    {"f30fc730", kPrivileged, "vmxon"},
    {"0f01c2", kPrivileged, "vmlaunch"},
    {"0f01c3", kPrivileged, "vmresume"},
    {"0f01c4", kPrivileged, "vmxoff"},
    {"0f78c0", kPrivileged, "vmread"},
    {"0f79c0", kPrivileged, "vmwrite"},
    {"660f388000", kPrivileged, "invept"},
    {"660f388100", kPrivileged, "invvpid"},
    {"660f388200", kPrivileged, "invpcid"},
    {"f30f01ff", kPrivileged, "psmash"},
    {"f20f01ff", kPrivileged, "pvalidate"},
    {"f30f01fe", kPrivileged, "rmpadjust"},
    {"f20f01fe", kPrivileged, "rmpupdate"},
    {"f30f3af0c000", kPrivileged, "hreset"},
    {"f20f38f800", kPrivileged, "enqcmd"},
    {"f30f38f800", kPrivileged, "enqcmds"},
    {"660f38f500", kPrivileged, "wrussd"},
    {"66480f38f500", kPrivileged, "wrussq"},
    {"f30f01fd", kPrivileged, "rmpquery, which Zydis calls rdpru"},
    // Redundant prefixes that hang processors.
    {"f344a4", kState, "rep movsb with REX.R"},
    {"f242a4", kState, "repne movsb with REX.X"},
    {"f349a5", kState, "rep movsq with REX.B"},
    {"f340a4", kState, "rep movsb with an empty REX"},
    {"f348a4", kState, "rep movsb with REX.W"},
    {"f366a4", kState, "rep movsb with the size of words"},
    {"66f348a5", kState, "rep movsq with the size of words"},
    {"48f3a5", kState, "rep movsd with a REX that is not the last prefix"},
    {"48f348a5", kState, "rep movsq with two REX"},
    {"f3f3a4", kState, "rep movsb with two prefixes"},
    {"f2f3a4", kState, "rep movsb with both prefixes"},
    {"2ef3a4", kState, "rep movsb with a segment that 64-bit code passes over"},
    {"6465f3a4", kState, "rep movsb with two segments"},
    {"f30f01e8", kPrivileged, "setssbsy"},
    {"f30fae30", kPrivileged, "clrssbsy"},
    // State that outlives the block.
    {"f3480faed0", kState, "wrfsbase rax"},
    {"f3480faed8", kState, "wrgsbase rax"},
    {"0f01ef", kState, "wrpkru"},
    {"0fae28", kState, "xrstor"},
    {"480fae28", kState, "xrstor64"},
    {"0fae08", kState, "fxrstor"},
    {"480fae08", kState, "fxrstor64"},
    {"8ee0", kState, "mov fs, eax"},
    {"8ed8", kState, "mov ds, eax"},
    {"8ed0", kState, "mov ss, eax"},
    {"8e28", kState, "mov gs, [rax]"},
    {"0fa1", kState, "pop fs"},
    {"0fa9", kState, "pop gs"},
    {"0fb400", kState, "lfs"},
    {"0fb500", kState, "lgs"},
    {"0fb200", kState, "lss"},
    {"f30f0128", kState, "rstorssp"},
    {"f30f01ea", kState, "saveprevssp"},
    {"f30faee8", kState, "incsspd"},
    {"f3480faee8", kState, "incsspq"},
    {"0f38f600", kState, "wrssd"},
    {"480f38f600", kState, "wrssq"},
    {"c4e2784900", kState, "ldtilecfg"},
    {"c4e2794900", kState, "sttilecfg"},
    {"c4e27849c0", kState, "tilerelease"},
    {"f30f01ee", kState, "clui"},
    {"f30f01ef", kState, "stui"},
    {"f30f01ed", kState, "testui"},
    {"f30f38dcc0", kState, "loadiwkey"},
    {"8fe97812c0", kState, "llwpcb"},
    {"8fe97812c8", kState, "slwpcb"},
    {"8fea7812c000000000", kState, "lwpins"},
    {"8fea7812c800000000", kState, "lwpval"},
    // Instructions that a hypervisor or the kernel emulates or delays.
    {"0fa2", kEmulated, "cpuid"},
    {"0f0100", kEmulated, "sgdt"},
    {"0f0108", kEmulated, "sidt"},
    {"0f00c0", kEmulated, "sldt"},
    {"0f00c8", kEmulated, "str"},
    {"0f01e0", kEmulated, "smsw"},
    {"0f01c5", kEmulated, "pconfig"},
    {"f30faef0", kEmulated, "umonitor"},
    {"f20faef0", kEmulated, "umwait"},
    {"660faef0", kEmulated, "tpause"},
    {"0f01fa", kEmulated, "monitorx"},
    {"0f01fb", kEmulated, "mwaitx"},
    // Bytes that are not instructions in 64-bit mode.
    {"06", kInvalid, "push es"},
    {"ce", kInvalid, "into"},
    {"d6", kInvalid, "salc"},
    {"9a000000000000", kInvalid, "call far imm"},
    {"ea000000000000", kInvalid, "jmp far imm"},
    {"82c000", kInvalid, "alias of add"},
    {"f0c1e005", kInvalid, "lock shl"},
    {"48c5f877", kInvalid, "REX before VEX"},
    // Instructions that must pass.
    {"0f0b", Reason::kNone, "ud2 (faults when it runs)"},
    {"0fb900", Reason::kNone, "ud1"},
    {"0fff00", Reason::kNone, "ud0"},
    {"0f31", Reason::kNone, "rdtsc"},
    {"0f01f9", Reason::kNone, "rdtscp"},
    {"0fc7f0", Reason::kNone, "rdrand"},
    {"0fc7f8", Reason::kNone, "rdseed"},
    {"f30fc7f8", Reason::kNone, "rdpid"},
    {"f390", Reason::kNone, "pause"},
    {"0f01d0", Reason::kNone, "xgetbv"},
    {"0f01ee", Reason::kNone, "rdpkru"},
    {"0f01fd", Reason::kNone, "rdpru"},
    {"f3a4", Reason::kNone, "rep movsb"},
    {"f348a5", Reason::kNone, "rep movsq"},
    {"66f3a5", Reason::kNone, "rep movsw"},
    {"65f3a4", Reason::kNone, "rep movsb from GS"},
    {"67f3a4", Reason::kNone, "rep movsb with addresses of 32 bits"},
    {"40a4", Reason::kNone, "movsb with an empty REX"},
    {"44a4", Reason::kNone, "movsb with REX.R"},
    {"f344aa", Reason::kNone, "rep stosb with REX.R"},
    {"0f01d6", Reason::kNone, "xtest"},
    {"0f01e8", Reason::kNone, "serialize"},
    {"0f01fc", Reason::kNone, "clzero"},
    {"0fae38", Reason::kNone, "clflush"},
    {"660fae38", Reason::kNone, "clflushopt"},
    {"660fae30", Reason::kNone, "clwb"},
    {"0f1c00", Reason::kNone, "cldemote"},
    {"0faee8", Reason::kNone, "lfence"},
    {"0faef0", Reason::kNone, "mfence"},
    {"0faef8", Reason::kNone, "sfence"},
    {"0f0d08", Reason::kNone, "prefetchw"},
    {"0f1808", Reason::kNone, "prefetcht0"},
    {"f30f1efa", Reason::kNone, "endbr64"},
    {"f3480f1ec8", Reason::kNone, "rdsspq"},
    {"f30fae20", Reason::kNone, "ptwrite"},
    {"f30faec0", Reason::kNone, "rdfsbase"},
    {"9d", Reason::kNone, "popfq"},
    {"9c", Reason::kNone, "pushfq"},
    {"fd", Reason::kNone, "std"},
    {"fc", Reason::kNone, "cld"},
    {"0fae10", Reason::kNone, "ldmxcsr"},
    {"c5f8ae10", Reason::kNone, "vldmxcsr"},
    {"d928", Reason::kNone, "fldcw"},
    {"d920", Reason::kNone, "fldenv"},
    {"dd20", Reason::kNone, "frstor"},
    {"0fae00", Reason::kNone, "fxsave"},
    {"0fae20", Reason::kNone, "xsave"},
    {"8cd8", Reason::kNone, "mov eax, ds"},
    {"0fa0", Reason::kNone, "push fs"},
    {"0f0200", Reason::kNone, "lar"},
    {"0f0300", Reason::kNone, "lsl"},
    {"0f00e0", Reason::kNone, "verr"},
    {"0f00e8", Reason::kNone, "verw"},
    {"64488b00", Reason::kNone, "mov rax, fs:[rax]"},
    {"f3a4", Reason::kNone, "rep movsb"},
    {"f0480fb108", Reason::kNone, "lock cmpxchg"},
    {"480fc708", Reason::kNone, "cmpxchg16b"},
    {"660f38f800", Reason::kNone, "movdir64b"},
    {"0f77", Reason::kNone, "emms"},
    {"c9", Reason::kNone, "leave"},
    {"c8100000", Reason::kNone, "enter"},
    {"d7", Reason::kNone, "xlat"},
    {"f7f1", Reason::kNone, "div ecx"},
    {"eb00", Reason::kNone, "jmp rel8, last"},
    {"7400", Reason::kNone, "je rel8, last"},
    {"0f8400000000", Reason::kNone, "je rel32, last"},
};

class Containment : public testing::TestWithParam<Encoding> {};

TEST_P(Containment, HasItsReason) {
  const auto decoded = decode(bytes_from_hex(GetParam().hex));
  const auto* refusal = std::get_if<Refusal>(&decoded);
  const Reason reason = refusal == nullptr ? Reason::kNone : refusal->outcome.reason;
  EXPECT_EQ(name(reason), name(GetParam().reason)) << GetParam().what;
}

INSTANTIATE_TEST_SUITE_P(Encodings, Containment, testing::ValuesIn(kEncodings));

/// Adds the mnemonics of all instructions with this prefix and opcode that pass, over every ModRM
/// byte.
void add_passing(const std::string& prefix, std::uint8_t opcode, std::set<std::string>& passing) {
  for (int modrm = 0; modrm < 256; ++modrm) {
    Bytes bytes = bytes_from_hex(prefix);
    bytes.push_back(opcode);
    bytes.push_back(static_cast<std::uint8_t>(modrm));
    bytes.resize(15, 0x90);  // a displacement, where there is one, and nops
    const auto decoded = decode(bytes);
    if (std::holds_alternative<Refusal>(decoded)) continue;
    const std::string text = text_of(bytes);
    passing.insert(text.substr(0, text.find_first_of(" ;")));
  }
}

// The complete list of instructions that may pass among the opcodes of system instructions: any
// other one that passes is a hole. Before an entry is added, think of what it could do to the
// process.
TEST(ContainmentWalk, OnlyTheseSystemOpcodesPass) {
  if (!can_assemble()) GTEST_SKIP() << "the list's names are LLVM's, which this build lacks";
  std::set<std::string> passing;
  for (const char* prefix : {"0f", "660f", "f20f", "f30f", "480f", "f3480f", "66480f"}) {
    for (const int opcode :
         {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0e, 0x20,
          0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37,
          0xa0, 0xa1, 0xa2, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xae, 0xb2, 0xb4, 0xb5, 0xc7}) {
      add_passing(prefix, static_cast<std::uint8_t>(opcode), passing);
    }
  }
  EXPECT_THAT(passing,
              testing::ElementsAre(
                  "clflush", "clflushopt", "clwb", "clzero", "cmpxchg16b", "cmpxchg8b", "femms",
                  "fxsave", "fxsave64", "lar", "ldmxcsr", "lfence", "lsl", "mcommit", "mfence",
                  "montmul", "ptwrite", "push", "rdfsbase", "rdgsbase", "rdpid", "rdpkru", "rdpru",
                  "rdrand", "rdseed", "rdtsc", "rdtscp", "serialize", "sfence", "stmxcsr", "ud2",
                  "verr", "verw", "xcryptcbc", "xcryptcfb", "xcryptctr", "xcryptecb", "xcryptofb",
                  "xgetbv", "xresldtrk", "xsave", "xsave64", "xsavec", "xsavec64", "xsaveopt",
                  "xsaveopt64", "xsha1", "xsha256", "xstorerng", "xsusldtrk", "xtest"));
}

}  // namespace
}  // namespace assay
