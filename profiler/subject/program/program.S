// What the subject's program cannot say in C++: its entry, its only system call, its only stop.

# define SERIES_STACK_TOP 0x5ec700110000  // kSeriesStackTop in layout.h; program.cpp checks it

        .text
        .globl  _start
_start:
        call    subject_map
        movabsq $SERIES_STACK_TOP, %rsp
        call    subject_lock
        hlt                     // not reached: subject_lock ends in the stop

        // long subject_syscall(number, a, b, c, d, e, f)
        .globl  subject_syscall, subject_syscall_return
subject_syscall:
        movq    %rdi, %rax
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        movq    %r8, %r10
        movq    %r9, %r8
        movq    8(%rsp), %r9
        syscall
subject_syscall_return:
        ret

        .globl  subject_stop, subject_stop_address
subject_stop:
        int3
subject_stop_address:
        hlt                     // the monitor never continues from here

        .section .note.GNU-stack, "", @progbits
