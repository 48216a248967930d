# Loops of one block and others, with debugging information. The tests know the lines.
        .text
        .globl  _start
        .type   _start, @function
_start: ud2
        .size   _start, . - _start

        .globl  sum
        .type   sum, @function
sum:    xor     %eax, %eax
1:      add     (%rdi), %rax            # entered from above, and by its own jump
        dec     %rsi
        jnz     1b
        ret
        .size   sum, . - sum

        .globl  sum_again
        .type   sum_again, @function
sum_again:
1:      add     (%rdi), %rax
        dec     %rsi
        jnz     1b
        mov     %rsi, %rdx
2:      dec     %rdx                    # two blocks
        jz      3f
        add     %rdx, %rax
        jmp     2b
3:      ret
        .size   sum_again, . - sum_again

        .globl  spin
        .type   spin, @function
spin:
1:      pause
        jmp     1b
        .size   spin, . - spin

        .section .note.GNU-stack, "", @progbits
