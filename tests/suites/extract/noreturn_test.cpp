#include "suites/extract/walk/noreturn.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(NeverReturns, IsToldByTheName) {
  for (const char* name :
       {"abort", "exit", "_exit", "__stack_chk_fail", "_Unwind_Resume", "__cxa_throw", "longjmp",
        "_ZSt17__throw_bad_allocv", "verrx", "_ZN4llvm18report_fatal_errorEPKcb",
        "__ubsan_handle_add_overflow_abort", "Perl_croak", "_ZSt9terminatev"}) {
    EXPECT_TRUE(never_returns(name)) << name;
  }
  for (const char* name : {"", "aborts", "abor", "printf", "_ZSt", "_ZSt4move", "_ZSt17",
                           "__ubsan_handle_add_overflow", "error", "execve", "system"}) {
    EXPECT_FALSE(never_returns(name)) << name;
  }
}

}  // namespace
}  // namespace assay
