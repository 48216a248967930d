// The subject's program as a whole ELF file inside assay: so there is nothing to find at run time,
// and what runs is always what was built with it.

        .section .rodata
        .globl  assay_subject_image, assay_subject_image_end
        .balign 16
assay_subject_image:
        .incbin ASSAY_SUBJECT_PROGRAM
assay_subject_image_end:

        .section .note.GNU-stack, "", @progbits
