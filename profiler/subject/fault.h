#pragma once

#include <sys/user.h>

#include <csignal>
#include <cstdint>
#include <span>
#include <string>

#include "profiler/block/verdict.h"

namespace assay::subject {

/// What ended a run before its end.
struct Fault {
  Outcome outcome;  ///< its detail names addresses and accesses, but not where in the block
  std::uint64_t address = 0;  ///< what was accessed, if the processor or the operands tell it
  /// At that moment, with RIP at the instruction at fault; all zero if the subject is gone.
  /// Subject::run fills this in.
  user_regs_struct registers{};
};

/// Whether a signal was sent by a process (kill, a terminal, a timer) and not raised by what the
/// subject executed: such a signal says nothing about the block.
bool sent_by_a_process(const siginfo_t& signal);

/// Whether the signal is a page fault at an address where nothing is mapped, which is the only kind
/// of fault that mapping a page may cure. A general-protection fault is not one; it arrives as
/// SIGSEGV too, with si_code SI_KERNEL and a meaningless address of 0.
bool is_missing_page(const siginfo_t& signal);

/// Whether the signal is a general-protection fault.
bool is_general_protection(const siginfo_t& signal);

/// Names the cause of a signal that the subject raised. `code` holds the bytes from the instruction
/// pointer on (empty if that is outside the kernels). Together with the registers they distinguish
/// causes for which the processor raises the same fault: misaligned operands and non-canonical
/// addresses.
Fault explain_signal(const siginfo_t& signal, const user_regs_struct& registers,
                     std::span<const std::uint8_t> code);

/// The fault of an access to an address where no page can be mapped, given the errno of mapping it.
Fault unmappable(std::uint64_t address, int map_errno);

}  // namespace assay::subject
