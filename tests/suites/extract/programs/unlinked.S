# What only a linker can complete: an object file with each kind of reference that compilers write.
        .text
        .globl  refers
        .type   refers, @function
refers:
        .cfi_startproc
        lea     inside(%rip), %rdi
        mov     outside@GOTPCREL(%rip), %rax
        mov     %fs:of_thread@TPOFF, %ecx
        call    abort@PLT
        .byte   0x06
        .cfi_endproc
        .size   refers, . - refers

        .globl  unknown
        .type   unknown, @function
unknown:
        .cfi_startproc
        test    %edi, %edi
        jne     1f
        mov     $outside@SIZE, %eax
1:      ret
        .cfi_endproc
        .size   unknown, . - unknown

        .section .rodata
inside: .string "inside"
        .section .tdata, "awT", @progbits
        .globl  of_thread
of_thread:
        .long   1, 2
        .section .note.GNU-stack, "", @progbits
