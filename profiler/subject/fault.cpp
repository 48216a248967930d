#include "profiler/subject/fault.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "profiler/block/operands.h"
#include "profiler/subject/layout.h"
#include "profiler/support/error.h"

namespace assay::subject {
namespace {

AddressRegisters address_registers(const user_regs_struct& r) {
  return {{r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi, r.r8, r.r9, r.r10, r.r11, r.r12,
           r.r13, r.r14, r.r15},
          r.rip,
          r.fs_base,
          r.gs_base};
}

/// Explains a general-protection or stack fault. The processor does not say why it raised it, so
/// that the operands have to tell.
Fault explain_protection(const user_regs_struct& registers, std::span<const std::uint8_t> code) {
  const auto accesses = memory_accesses(code, address_registers(registers));
  for (const MemoryAccess& access : accesses) {
    if (!access.canonical) {
      return {{Reason::kNoncanonicalAddress, fmt::format("address {:#x}", access.address)},
              access.address};
    }
  }
  for (const MemoryAccess& access : accesses) {
    if (access.misaligned()) {
      return {{Reason::kMisalignedAccess,
               fmt::format("{} bytes at address {:#x}", access.size, access.address)},
              access.address};
    }
  }
  return {{Reason::kGeneralProtection, ""}};
}

Fault explain_segv(const siginfo_t& signal, const user_regs_struct& registers,
                   std::span<const std::uint8_t> code) {
  if (is_general_protection(signal)) return explain_protection(registers, code);
  const auto address = reinterpret_cast<std::uint64_t>(signal.si_addr);
  return {{Reason::kSubjectMemory, fmt::format("address {:#x}", address)}, address};
}

Fault explain_bus(const siginfo_t& signal, const user_regs_struct& registers,
                  std::span<const std::uint8_t> code) {
  // This is a stack fault: #SS is for accesses through RSP and RBP what #GP is for other segments.
  if (signal.si_code == SI_KERNEL) return explain_protection(registers, code);
  const auto address = reinterpret_cast<std::uint64_t>(signal.si_addr);
  if (signal.si_code == BUS_ADRALN) {
    return {
        {Reason::kMisalignedAccess, "with alignment checks switched on by the block (EFLAGS.AC)"},
        address};
  }
  return {{Reason::kBusError, fmt::format("address {:#x}", address)}, address};
}

std::string arithmetic_detail(int code) {
  switch (code) {
    case FPE_INTDIV:
      return "integer division by zero, or its quotient does not fit";
    case FPE_FLTDIV:
      return "floating-point division by zero, with its exception unmasked";
    case FPE_FLTINV:
      return "invalid floating-point operation, with its exception unmasked";
    default:
      return "floating-point exception, unmasked by the block";
  }
}

}  // namespace

bool sent_by_a_process(const siginfo_t& signal) { return signal.si_code <= 0; }

bool is_missing_page(const siginfo_t& signal) {
  return signal.si_signo == SIGSEGV && signal.si_code == SEGV_MAPERR;
}

bool is_general_protection(const siginfo_t& signal) {
  return signal.si_signo == SIGSEGV && signal.si_code == SI_KERNEL;
}

Fault explain_signal(const siginfo_t& signal, const user_regs_struct& registers,
                     std::span<const std::uint8_t> code) {
  switch (signal.si_signo) {
    case SIGSEGV:
      return explain_segv(signal, registers, code);
    case SIGBUS:
      return explain_bus(signal, registers, code);
    case SIGILL:
      return {{Reason::kUnsupportedInstruction, "undefined opcode"}};
    case SIGFPE:
      return {{Reason::kArithmeticFault, arithmetic_detail(signal.si_code)}};
    case SIGTRAP:
      return {{Reason::kTrap, ""}};
    case SIGSYS:
      return {{Reason::kDeniedSystemCall, fmt::format("system call {}", signal.si_syscall)}};
    default:
      return {{Reason::kUnexpectedSignal, strsignal(signal.si_signo)}};
  }
}

Fault unmappable(std::uint64_t address, int map_errno) {
  const std::string where = fmt::format("address {:#x}", address);
  if (address >= kUserEnd) return {{Reason::kKernelAddress, where}, address};
  if (map_errno == EPERM || map_errno == EACCES) return {{Reason::kNullPage, where}, address};
  if (map_errno == EEXIST || is_own_address(address)) {
    return {{Reason::kSubjectMemory, where}, address};
  }
  throw EnvironmentError(
      describe_errno(fmt::format("the subject cannot map a page at {:#x}", address), map_errno) +
      "; is memory or /proc/sys/vm/max_map_count exhausted?");
}

}  // namespace assay::subject
