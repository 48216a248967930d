#include "suites/extract/walk/noreturn.h"

#include <algorithm>
#include <iterator>

namespace assay {
namespace {

// Functions that the headers of their libraries declare _Noreturn or __attribute__((noreturn)):
// glibc (and its entry points for _FORTIFY_SOURCE), libgcc, libstdc++ (Itanium C++ ABI),
// compiler-rt, GLib, CPython, Perl, LLVM. In alphabetical order.
constexpr std::string_view kNames[] = {
    "Perl_croak",
    "Perl_croak_no_modify",
    "Perl_croak_nocontext",
    "Perl_die_unwind",
    "Py_ExitStatusException",
    "Py_FatalError",
    "_Exit",
    "_Py_FatalErrorFunc",
    "_Unwind_Resume",
    "_ZN4llvm22report_bad_alloc_errorEPKcb",
    "_ZN4llvm25llvm_unreachable_internalEPKcS1_j",
    "_ZSt10unexpectedv",
    "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
    "_ZSt21__glibcxx_assert_failPKciS0_S0_",
    "_ZSt9terminatev",
    "__assert",
    "__assert_fail",
    "__assert_perror_fail",
    "__chk_fail",
    "__cxa_bad_cast",
    "__cxa_bad_typeid",
    "__cxa_call_terminate",
    "__cxa_call_unexpected",
    "__cxa_deleted_virtual",
    "__cxa_pure_virtual",
    "__cxa_rethrow",
    "__cxa_throw",
    "__cxa_throw_bad_array_new_length",
    "__fortify_fail",
    "__libc_fatal",
    "__libc_start_main",
    "__longjmp_chk",
    "__stack_chk_fail",
    "_exit",
    "_longjmp",
    "abort",
    "err",
    "errx",
    "exit",
    "g_assertion_message_expr",
    "longjmp",
    "pthread_exit",
    "quick_exit",
    "siglongjmp",
    "thrd_exit",
    "verr",
    "verrx",
};
static_assert(std::ranges::is_sorted(kNames));

}  // namespace

bool never_returns(std::string_view name) {
  if (std::ranges::binary_search(kNames, name)) return true;
  // std::__throw_bad_alloc() and its many kin: _ZSt17__throw_bad_allocv.
  if (name.starts_with("_ZSt")) {
    const std::size_t word = name.find_first_not_of("0123456789", 4);
    return word != std::string_view::npos && name.substr(word).starts_with("__throw_");
  }
  // All overloads of llvm::report_fatal_error().
  if (name.starts_with("_ZN4llvm18report_fatal_error")) return true;
  // UndefinedBehaviorSanitizer's handlers that report an error and end the program.
  return name.starts_with("__ubsan_handle_") && name.ends_with("_abort");
}

}  // namespace assay
