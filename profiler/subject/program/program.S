// What the subject's program cannot say in C++: its entries from outside, its only system calls, its
// stops.

# define REQUEST 0x5ec700100000    // kRequest in layout.h; program.cpp checks these
# define REQUEST_SIZE 0x10000      // kRequestSize
# define STACK 0x5ec700200000      // kStack
# define STACK_TOP 0x5ec700210000  // kStackTop
# define WRITABLE_SIZE 0x30000     // kWritableSize
# define PAGE_SIZE 4096
# define NR_mmap 9
# define NR_mprotect 10
# define NR_munmap 11
# define READ 1                    // kReadOnly in program.cpp
# define READ_WRITE 3              // kReadWrite in program.cpp
# define FRAME_FLAGS 0x108001      // kFrameFlags in program.cpp, which checks it
# define FRAME_DESCRIPTOR 4        // kFrameDescriptor in layout.h

        .text
        .globl  _start
_start:
        call    subject_map
        movabsq $STACK_TOP, %rsp
        call    subject_lock
        hlt                     // not reached: subject_lock ends in a stop

        // long subject_syscall(number, a, b, c, d, e, f), until the filter is installed
        .globl  subject_syscall
subject_syscall:
        movq    %rdi, %rax
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        movq    %r8, %r10
        movq    %r9, %r8
        movq    8(%rsp), %r9
        syscall
        ret

        // Gives the stack, the report and the trace the rights in RDX, which are all or none, and
        // the request the right to be read, or none. Then changes pages as below; or, if it took
        // the rights, clears the key and goes on at R14. It stops at once if that fails, with an
        // errno, negative, in RAX.
        .globl  subject_change_rights, subject_rights_return
subject_change_rights:
        movabsq $STACK, %rdi
        movl    $WRITABLE_SIZE, %esi
1:      movq    %r12, %r10
        movq    %r13, %r8
        movl    $NR_mprotect, %eax
        syscall
subject_rights_return:
        testq   %rax, %rax
        jnz     2f
        movabsq $REQUEST, %rax
        cmpq    %rax, %rdi
        movq    %rax, %rdi
        movl    $REQUEST_SIZE, %esi
        je      1f
        andl    $READ, %edx
        jmp     1b
1:      testl   %edx, %edx
        jz      4f

        // Unmaps the RBP pages from [RBX] on and maps the R15 pages behind these (PageChange), then
        // clears the key and goes on at R14; if RSP is 0, it takes the rights first. It stops at once if one cannot be mapped, with an
        // errno, negative, in RAX, and in R15 how many are left behind it. R12 and R13 hold the
        // key, in their upper halves. It needs no memory but the request, so that the key is never
        // in any.
        .globl  subject_change_pages, subject_pages_return
subject_change_pages:
        movq    (%rbx), %rdi
        movl    $PAGE_SIZE, %esi
        movq    %r12, %r10
        movq    %r13, %r8
        xorl    %edx, %edx
        movl    $NR_munmap, %eax
        subq    $1, %rbp
        jnc     1f
        xorl    %ebp, %ebp
        subq    $1, %r15
        jc      3f
        orq     $FRAME_FLAGS, %r10
        orq     $FRAME_DESCRIPTOR, %r8
        movl    $READ_WRITE, %edx
        movq    8(%rbx), %r9
        movl    $NR_mmap, %eax
1:      syscall
subject_pages_return:
        addq    $16, %rbx       // sizeof(PageChange)
        testl   %edx, %edx
        jz      subject_change_pages
        cmpq    %rdi, %rax
        je      subject_change_pages
        testq   %rax, %rax
        js      2f
        movq    $-17, %rax      // EEXIST: kernels before 4.17 map it elsewhere if it is taken
2:      jmp     subject_stop_pages
3:      xorl    %edx, %edx
        testq   %rsp, %rsp
        jz      subject_change_rights
4:      xorl    %eax, %eax
        xorl    %r8d, %r8d
        xorl    %r10d, %r10d
        xorl    %r12d, %r12d
        xorl    %r13d, %r13d
        jmpq    *%r14

        .globl  subject_stop_pages, subject_pages_stop
subject_stop_pages:
        int3
subject_pages_stop:
        hlt                     // the monitor never continues from here

        .globl  subject_stop_series, subject_series_stop
subject_stop_series:
        int3
subject_series_stop:
        hlt                     // nor from here

        // Runs the kernel at RDI. It never returns: kernels lead to subject_next_run.
        .globl  subject_run_kernel, subject_next_run
subject_run_kernel:
        movabsq $STACK_TOP, %rsp
        call    *%rdi           // a return leads there, too
subject_next_run:
        // No register and no memory says here what only the program could have put there.
        movabsq $STACK_TOP, %rsp
        xorl    %ebp, %ebp
        call    subject_end_run
        hlt                     // not reached

        .section .note.GNU-stack, "", @progbits
