#include "profiler/block/refusal.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <span>

namespace assay {
namespace {

using Mnemonics = std::span<const ZydisMnemonic>;

// The containment rules as data. A mnemonic stands in at most one list. What no list names is
// judged by the general rules further down, so that nothing that Zydis knows to be privileged or to
// change RIP slips through. Sources: Intel SDM volume 2, AMD APM volume 3.

// These leave the block, and not by a displacement that assay could redirect. A transaction (xbegin
// .. xend) rolls back to an address of its own; user interrupts call a handler.
constexpr ZydisMnemonic kLeaves[] = {
    ZYDIS_MNEMONIC_CALL,  ZYDIS_MNEMONIC_RET,    ZYDIS_MNEMONIC_IRET,     ZYDIS_MNEMONIC_IRETD,
    ZYDIS_MNEMONIC_IRETQ, ZYDIS_MNEMONIC_XBEGIN, ZYDIS_MNEMONIC_XEND,     ZYDIS_MNEMONIC_XABORT,
    ZYDIS_MNEMONIC_UIRET, ZYDIS_MNEMONIC_RSM,    ZYDIS_MNEMONIC_SENDUIPI,
};

// These enter the kernel, an enclave or the hypervisor. ud0, ud1 and ud2 are not here: they run,
// and raise an undefined-opcode fault that becomes the block's verdict.
constexpr ZydisMnemonic kEntersSystem[] = {
    ZYDIS_MNEMONIC_SYSCALL, ZYDIS_MNEMONIC_SYSENTER, ZYDIS_MNEMONIC_SYSRET, ZYDIS_MNEMONIC_SYSEXIT,
    ZYDIS_MNEMONIC_INT,     ZYDIS_MNEMONIC_INT1,     ZYDIS_MNEMONIC_INT3,   ZYDIS_MNEMONIC_INTO,
    ZYDIS_MNEMONIC_VMCALL,  ZYDIS_MNEMONIC_VMMCALL,  ZYDIS_MNEMONIC_VMFUNC, ZYDIS_MNEMONIC_ENCLS,
    ZYDIS_MNEMONIC_ENCLU,   ZYDIS_MNEMONIC_ENCLV,    ZYDIS_MNEMONIC_TDCALL, ZYDIS_MNEMONIC_SEAMCALL,
    ZYDIS_MNEMONIC_SEAMOPS, ZYDIS_MNEMONIC_SEAMRET,
};

// These fault in user mode, always or under Linux, but Zydis 4.0 does not mark them as privileged.
// Whether rdpmc faults depends on CR4.PCE, and the I/O instructions on IOPL: a machine that allows
// them must not give another verdict than one that does not. enqcmd needs a PASID from the kernel.
constexpr ZydisMnemonic kPrivileged[] = {
    ZYDIS_MNEMONIC_RDPMC,   ZYDIS_MNEMONIC_CLI,    ZYDIS_MNEMONIC_STI,    ZYDIS_MNEMONIC_IN,
    ZYDIS_MNEMONIC_INSB,    ZYDIS_MNEMONIC_INSW,   ZYDIS_MNEMONIC_INSD,   ZYDIS_MNEMONIC_OUT,
    ZYDIS_MNEMONIC_OUTSB,   ZYDIS_MNEMONIC_OUTSW,  ZYDIS_MNEMONIC_OUTSD,  ZYDIS_MNEMONIC_LGDT,
    ZYDIS_MNEMONIC_GETSEC,  ZYDIS_MNEMONIC_SKINIT, ZYDIS_MNEMONIC_STGI,   ZYDIS_MNEMONIC_CLGI,
    ZYDIS_MNEMONIC_VMRUN,   ZYDIS_MNEMONIC_VMLOAD, ZYDIS_MNEMONIC_VMSAVE, ZYDIS_MNEMONIC_ENQCMD,
    ZYDIS_MNEMONIC_ENQCMDS,
};

// These change state that the next block or assay's own code would meet: thread-local storage
// behind FS and GS, protection keys, the shadow stack, tile configuration, the user-interrupt flag,
// the profiling control block, or every register at once (fxrstor, xrstor). Instructions that
// change flags, DF, MXCSR or the x87 state are not here: assay sets those anew before each run.
constexpr ZydisMnemonic kChangesState[] = {
    ZYDIS_MNEMONIC_WRFSBASE,    ZYDIS_MNEMONIC_WRGSBASE,  ZYDIS_MNEMONIC_WRPKRU,
    ZYDIS_MNEMONIC_XRSTOR,      ZYDIS_MNEMONIC_XRSTOR64,  ZYDIS_MNEMONIC_FXRSTOR,
    ZYDIS_MNEMONIC_FXRSTOR64,   ZYDIS_MNEMONIC_LFS,       ZYDIS_MNEMONIC_LGS,
    ZYDIS_MNEMONIC_LSS,         ZYDIS_MNEMONIC_RSTORSSP,  ZYDIS_MNEMONIC_SAVEPREVSSP,
    ZYDIS_MNEMONIC_INCSSPD,     ZYDIS_MNEMONIC_INCSSPQ,   ZYDIS_MNEMONIC_WRSSD,
    ZYDIS_MNEMONIC_WRSSQ,       ZYDIS_MNEMONIC_LDTILECFG, ZYDIS_MNEMONIC_STTILECFG,
    ZYDIS_MNEMONIC_TILERELEASE, ZYDIS_MNEMONIC_CLUI,      ZYDIS_MNEMONIC_STUI,
    ZYDIS_MNEMONIC_TESTUI,      ZYDIS_MNEMONIC_LOADIWKEY, ZYDIS_MNEMONIC_LLWPCB,
    ZYDIS_MNEMONIC_SLWPCB,      ZYDIS_MNEMONIC_LWPINS,    ZYDIS_MNEMONIC_LWPVAL,
};

// These run, but what would be timed is not the core: cpuid always exits to a hypervisor; sgdt,
// sidt, sldt, smsw and str are emulated by the kernel under UMIP; the wait instructions sleep for
// as long as the system's limit allows; pconfig belongs to the kernel and the hypervisor alike.
constexpr ZydisMnemonic kEmulated[] = {
    ZYDIS_MNEMONIC_CPUID,  ZYDIS_MNEMONIC_SGDT,   ZYDIS_MNEMONIC_SIDT,     ZYDIS_MNEMONIC_SLDT,
    ZYDIS_MNEMONIC_SMSW,   ZYDIS_MNEMONIC_STR,    ZYDIS_MNEMONIC_PCONFIG,  ZYDIS_MNEMONIC_UMONITOR,
    ZYDIS_MNEMONIC_UMWAIT, ZYDIS_MNEMONIC_TPAUSE, ZYDIS_MNEMONIC_MONITORX, ZYDIS_MNEMONIC_MWAITX,
};

/// A rule of containment: the reason for which a block is rejected, and what the instruction does.
struct Rule {
  Reason reason;
  std::string_view what;  ///< what an instruction that breaks the rule does: "leaves the block"
};

constexpr Rule kLeavesRule{Reason::kControlFlow, "leaves the block"};
constexpr Rule kSystemRule{Reason::kSystemCall,
                           "enters the operating system, an enclave or the hypervisor"};
constexpr Rule kPrivilegedRule{Reason::kPrivilegedInstruction,
                               "is not for user programs to execute"};
constexpr Rule kStateRule{Reason::kProcessorState, "changes state that outlives the block"};
constexpr Rule kEmulatedRule{Reason::kVirtualizedInstruction,
                             "may be emulated or held up by a hypervisor or the kernel"};
constexpr Rule kEarlyBranchRule{Reason::kControlFlow, "branches before the block's end"};
constexpr Rule kShortBranchRule{
    Reason::kControlFlow,
    "is a branch with an operand-size prefix, whose length differs between AMD and Intel"};
constexpr Rule kReservedRule{
    Reason::kPrivilegedInstruction,
    "has a prefix with which other CPUs take it for another system instruction"};
constexpr Rule kReptarRule{Reason::kProcessorState,
                           "has a prefix that says nothing in front of a repeated MOVS, with "
                           "which some processors hang or lose their state (CVE-2023-23583)"};
constexpr Rule kIndirectRule{Reason::kControlFlow,
                             "goes to an address that is not in the instruction"};

struct MnemonicsOfRule {
  const Rule* rule;
  Mnemonics mnemonics;
};
constexpr MnemonicsOfRule kMnemonicsOfRules[] = {
    {&kLeavesRule, kLeaves},      {&kSystemRule, kEntersSystem}, {&kPrivilegedRule, kPrivileged},
    {&kStateRule, kChangesState}, {&kEmulatedRule, kEmulated},
};

using RuleOfMnemonic = std::array<const Rule*, ZYDIS_MNEMONIC_MAX_VALUE + 1>;

/// The rule that lists each mnemonic. Evaluated by the compiler, which refuses a mnemonic that
/// stands in two lists.
constexpr RuleOfMnemonic make_rule_of_mnemonic() {
  RuleOfMnemonic table{};
  for (const auto& [rule, mnemonics] : kMnemonicsOfRules) {
    for (const ZydisMnemonic mnemonic : mnemonics) {
      if (table[mnemonic] != nullptr) throw "a mnemonic stands in two lists";
      table[mnemonic] = rule;
    }
  }
  return table;
}
constexpr RuleOfMnemonic kRuleOfMnemonic = make_rule_of_mnemonic();

/// The rule that an operand breaks by the kind of its register, whatever the mnemonic is.
const Rule* rule_for_operand(const ZydisDecodedOperand& operand) {
  if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) return nullptr;
  switch (ZydisRegisterGetClass(operand.reg.value)) {
    case ZYDIS_REGCLASS_SEGMENT:
      if (is_written(operand)) return &kStateRule;
      return nullptr;
    case ZYDIS_REGCLASS_CONTROL:
    case ZYDIS_REGCLASS_DEBUG:
    case ZYDIS_REGCLASS_TEST:
      return &kPrivilegedRule;
    case ZYDIS_REGCLASS_IP:
      if (is_written(operand)) return &kIndirectRule;
      return nullptr;
    default:
      return nullptr;
  }
}

/// Whether the encoding is one that other CPUs use for another system instruction. New system
/// instructions are added to 0F 01 with a register operand, and told apart by prefixes that Zydis
/// 4.0 ignores: F3 0F 01 FD is not rdpru but AMD's privileged rmpquery.
bool is_reserved_system_encoding(const ZydisDecodedInstruction& instruction) {
  if (instruction.opcode_map != ZYDIS_OPCODE_MAP_0F || instruction.opcode != 0x01 ||
      instruction.raw.modrm.mod != 3) {
    return false;
  }
  const std::span prefixes(instruction.raw.prefixes, instruction.raw.prefix_count);
  return std::ranges::any_of(prefixes, [](const auto& prefix) {
    return prefix.type != ZYDIS_PREFIX_TYPE_MANDATORY &&
           (prefix.value == 0x66 || prefix.value == 0xf2 || prefix.value == 0xf3);
  });
}

/// Whether it is a repeated MOVS with a prefix that has no meaning there. Intel's cores from Ice
/// Lake to Sapphire Rapids without the microcode of November 2023 take one with such a REX prefix
/// for longer than it is: see Intel's advisory INTEL-SA-00950, which speaks of redundant prefixes,
/// and T. Ormandy's "Reptar". No compiler writes any.
bool confuses_repeated_move(const Decoded& decoded) {
  const ZydisDecodedInstruction& instruction = decoded.instruction;
  const bool moves = instruction.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
                     (instruction.opcode == 0xa4 || instruction.opcode == 0xa5);
  const bool repeats = decoded.has_prefix(0xf3) || decoded.has_prefix(0xf2);
  if (!moves || !repeats) return false;
  const bool is_of_bytes = instruction.opcode == 0xa4;
  std::bitset<256> seen;
  const auto says_nothing = [&](const auto& prefix) {
    if (seen.test(prefix.value)) return true;
    seen.set(prefix.value);
    switch (prefix.value) {
      case 0xf2:
      case 0xf3:
        return seen.test(0xf2) && seen.test(0xf3);
      case 0x66:
        return is_of_bytes || instruction.raw.rex.W != 0;
      case 0x64:
      case 0x65:
        return seen.test(0x64) && seen.test(0x65);
      case 0x67:
        return false;
      case 0x48:
        return is_of_bytes || instruction.raw.rex.W == 0;  // only the last prefix can be a REX
      default:
        return true;
    }
  };
  return std::ranges::any_of(std::span(instruction.raw.prefixes, instruction.raw.prefix_count),
                             says_nothing);
}

const Rule* rule_for_branch(const Decoded& decoded, bool last) {
  if (!last) return &kEarlyBranchRule;
  if (decoded.has_prefix(0x66)) return &kShortBranchRule;
  return nullptr;
}

const Rule* rule_for_category(const ZydisDecodedInstruction& instruction) {
  switch (instruction.meta.category) {
    // Direct branches never get here: rule_for() has judged them already.
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
      return &kIndirectRule;
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_SGX:
      return &kSystemRule;
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_IOSTRINGOP:
    case ZYDIS_CATEGORY_VTX:
      return &kPrivilegedRule;
    case ZYDIS_CATEGORY_UINTR:
      return &kStateRule;
    default:
      return nullptr;
  }
}

const Rule* rule_for(const Decoded& decoded, bool last) {
  const ZydisDecodedInstruction& instruction = decoded.instruction;
  if (const Rule* rule = kRuleOfMnemonic[instruction.mnemonic]) return rule;
  if ((instruction.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED) != 0) return &kPrivilegedRule;
  if (is_reserved_system_encoding(instruction)) return &kReservedRule;
  if (confuses_repeated_move(decoded)) return &kReptarRule;
  if (decoded.is_relative_branch()) return rule_for_branch(decoded, last);
  if (const Rule* rule = rule_for_category(instruction)) return rule;
  for (const ZydisDecodedOperand& operand : decoded.operands()) {
    if (const Rule* rule = rule_for_operand(operand)) return rule;
  }
  return nullptr;
}

}  // namespace

std::optional<Outcome> broken_rule(const Decoded& decoded, bool last) {
  const Rule* const rule = rule_for(decoded, last);
  if (rule == nullptr) return std::nullopt;
  return Outcome{rule->reason, std::string(rule->what)};
}

}  // namespace assay
