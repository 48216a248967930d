// A program for the tests of dynamic extraction: it has no C library, so that every instruction
// that runs is written here. What it does at the end depends on the number of its arguments:
//   none: status 0    one: status 3    two: a system call behind an instruction that does not exist
//   three: it waits for a signal       four: it ignores SIGTERM and waits
// Before that, it writes to standard output and to standard error.
        .intel_syntax noprefix
        .globl  _start
        .type   _start, @function
_start:
        mov     rbx, qword ptr [rsp]
        mov     ecx, 1000
        call    work
        call    report
        dec     rbx
        cmp     rbx, 2
        je      no_such
        ja      hang
        lea     edi, [rbx + 2*rbx]
        jmp     finish
        .size   _start, . - _start

        .type   work, @function
work:
        add     rax, rdx
        imul    rdx, rdx, 7
        dec     ecx
        jnz     work
        lea     rdi, [rip + room]
        mov     ecx, 100
        rep stosb
        xor     edx, edx
        ret
        .size   work, . - work

        .type   report, @function
report:
        lea     rsi, [rip + text]
        mov     edx, 26
        mov     edi, 1
        mov     eax, 1
        syscall
        mov     edi, 2
        mov     eax, 1
        syscall
        ret
        .size   report, . - report

        .type   no_such, @function
no_such:
        ud2
        .size   no_such, . - no_such

        .type   hang, @function
hang:
        cmp     rbx, 4
        jne     again
        mov     eax, 13          // rt_sigaction(SIGTERM, ignored, nothing, 8)
        mov     edi, 15
        lea     rsi, [rip + ignored]
        xor     edx, edx
        mov     r10d, 8
        syscall
again:
        mov     eax, 34
        syscall
        jmp     again
        .size   hang, . - hang

        .type   finish, @function
finish:
        mov     eax, 231
        syscall
        .size   finish, . - finish

        .data
text:   .ascii  "the traced program writes\n"
        .balign 8
ignored:
        .quad   1, 0, 0, 0       // SIG_IGN
        .bss
        .balign 16
room:   .skip   128
        .section .note.GNU-stack, "", @progbits
