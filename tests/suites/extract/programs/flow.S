# A program whose every byte is known, with and without relocations: for reading ELF files and for
# what is found in them. It writes a line and ends.
        .text
        .globl  _start
        .type   _start, @function
_start:
        .cfi_startproc
        .cfi_undefined rip
        xor     %ebp, %ebp
        lea     message(%rip), %rdi
        call    length
        mov     %eax, %edx
        mov     $1, %eax
        lea     message(%rip), %rsi
        mov     $1, %edi
        syscall
        xor     %edi, %edi
        call    leave
        .byte   0x06, 0x06              # no instruction, where no control gets to
        .cfi_endproc
        .size   _start, . - _start

        .type   table_in_code, @object
table_in_code:
        .quad   0x0606060606060606
        .size   table_in_code, . - table_in_code

        .globl  length
        .type   length, @function
length:
        .cfi_startproc
        xor     %eax, %eax
1:      cmpb    $0, (%rdi,%rax)
        je      2f
        inc     %rax
        jmp     1b
2:      ret
        .cfi_endproc
        .size   length, . - length

        .globl  leave
        .type   leave, @function
leave:
        mov     $60, %eax
        syscall
        hlt
        .size   leave, . - leave

        .section .text.only_pointed_at, "ax", @progbits
        .globl  chosen
        .type   chosen, @function
chosen:
        .cfi_startproc
        mov     %edi, %eax
        jmp     leave
        .cfi_endproc
        .size   chosen, . - chosen

        .section .rodata
message:
        .string "hello\n"

        .section .data.rel.ro, "aw", @progbits
        .quad   chosen
        .section .note.GNU-stack, "", @progbits
