/* The entry points: each is a jump through its slot. At first, a slot leads to code of the entry that pushes its number
 * and calls commprof_front_resolve. This stores the final address in the slot (front.cpp).
 *
 * The program's arguments pass through unchanged, in integer and vector registers and on the stack. So does the return
 * address, by which a wrapper or the MPI finds its caller. */

#if defined(__x86_64__)

        .macro  COMMPROF_ENTRY name
        .globl  \name
        .type   \name, @function
        .balign ENTRY_BYTES
\name:
        endbr64
        jmp     *8f(%rip)
7:      endbr64
        pushq   $number
        jmp     first_call
        .size   \name, . - \name
        .set    number, number + 1
        .pushsection .data.commprof_slots, "aw", @progbits
8:      .quad   7b
        .popsection
        .endm

        .text
        .type   first_call, @function
/* On the stack: the number of the entry and, above it, the return address. */
first_call:
        .cfi_startproc
        .cfi_def_cfa_offset 16
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %rax
        pushq   %rdi
        pushq   %rsi
        pushq   %rdx
        pushq   %rcx
        pushq   %r8
        pushq   %r9
        pushq   %r10
        subq    $136, %rsp
        movups  %xmm0, (%rsp)
        movups  %xmm1, 16(%rsp)
        movups  %xmm2, 32(%rsp)
        movups  %xmm3, 48(%rsp)
        movups  %xmm4, 64(%rsp)
        movups  %xmm5, 80(%rsp)
        movups  %xmm6, 96(%rsp)
        movups  %xmm7, 112(%rsp)
        movq    8(%rbp), %rdi
        movq    16(%rbp), %rsi
        call    commprof_front_resolve
        movq    %rax, %r11
        movups  (%rsp), %xmm0
        movups  16(%rsp), %xmm1
        movups  32(%rsp), %xmm2
        movups  48(%rsp), %xmm3
        movups  64(%rsp), %xmm4
        movups  80(%rsp), %xmm5
        movups  96(%rsp), %xmm6
        movups  112(%rsp), %xmm7
        addq    $136, %rsp
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rcx
        popq    %rdx
        popq    %rsi
        popq    %rdi
        popq    %rax
        popq    %rbp
        .cfi_def_cfa %rsp, 16
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        jmp     *%r11
        .cfi_endproc
        .size   first_call, . - first_call

/* dlsym(handle, name). commprof_front_look_up returns the result; 0: the system's dlsym decides, to which this jumps, since
 * with RTLD_NEXT and RTLD_DEFAULT it finds the calling object by the return address; 1: there is no such symbol. */
        .globl  dlsym
        .type   dlsym, @function
        .balign 16
dlsym:
        .cfi_startproc
        endbr64
        movq    (%rsp), %rdx
        pushq   %rdi
        pushq   %rsi
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 24
        call    commprof_front_look_up
        addq    $8, %rsp
        popq    %rsi
        popq    %rdi
        .cfi_adjust_cfa_offset -24
        cmpq    $1, %rax
        jb      1f
        je      2f
        ret
2:      xorl    %eax, %eax
        ret
1:      jmp     *commprof_front_system_dlsym(%rip)
        .cfi_endproc
        .size   dlsym, . - dlsym

#elif defined(__aarch64__)

        .macro  COMMPROF_ENTRY name
        .globl  \name
        .type   \name, %function
        .balign ENTRY_BYTES
\name:
        hint    #34                     /* bti c */
        adrp    x16, 8f
        ldr     x16, [x16, #:lo12:8f]
        br      x16
7:      hint    #34
        mov     x17, #number
        b       first_call
        .size   \name, . - \name
        .set    number, number + 1
        .pushsection .data.commprof_slots, "aw", %progbits
        .balign 8
8:      .xword  7b
        .popsection
        .endm

        .text
        .type   first_call, %function
/* x17: the number of the entry. */
first_call:
        .cfi_startproc
        stp     x29, x30, [sp, #-224]!
        .cfi_def_cfa_offset 224
        .cfi_offset 29, -224
        .cfi_offset 30, -216
        mov     x29, sp
        stp     x0, x1, [sp, #16]
        stp     x2, x3, [sp, #32]
        stp     x4, x5, [sp, #48]
        stp     x6, x7, [sp, #64]
        str     x8, [sp, #80]
        stp     q0, q1, [sp, #96]
        stp     q2, q3, [sp, #128]
        stp     q4, q5, [sp, #160]
        stp     q6, q7, [sp, #192]
        mov     x0, x17
        mov     x1, x30
        bl      commprof_front_resolve
        mov     x16, x0
        ldp     x0, x1, [sp, #16]
        ldp     x2, x3, [sp, #32]
        ldp     x4, x5, [sp, #48]
        ldp     x6, x7, [sp, #64]
        ldr     x8, [sp, #80]
        ldp     q0, q1, [sp, #96]
        ldp     q2, q3, [sp, #128]
        ldp     q4, q5, [sp, #160]
        ldp     q6, q7, [sp, #192]
        ldp     x29, x30, [sp], #224
        .cfi_def_cfa_offset 0
        .cfi_restore 29
        .cfi_restore 30
        br      x16
        .cfi_endproc
        .size   first_call, . - first_call

/* dlsym(handle, name): as on x86-64. */
        .globl  dlsym
        .type   dlsym, %function
        .balign 16
dlsym:
        .cfi_startproc
        hint    #34
        stp     x29, x30, [sp, #-32]!
        .cfi_def_cfa_offset 32
        .cfi_offset 29, -32
        .cfi_offset 30, -24
        mov     x29, sp
        stp     x0, x1, [sp, #16]
        mov     x2, x30
        bl      commprof_front_look_up
        mov     x16, x0
        ldp     x0, x1, [sp, #16]
        ldp     x29, x30, [sp], #32
        .cfi_def_cfa_offset 0
        .cfi_restore 29
        .cfi_restore 30
        cmp     x16, #1
        b.lo    1f
        csel    x0, xzr, x16, eq
        ret
1:      adrp    x16, commprof_front_system_dlsym
        ldr     x16, [x16, #:lo12:commprof_front_system_dlsym]
        br      x16
        .cfi_endproc
        .size   dlsym, . - dlsym

#else
#error "The front has no jumps for this processor: src/front/entries.S"
#endif

        .section .data.commprof_slots, "aw"
        .balign 8
        .globl  commprof_front_slots
        .hidden commprof_front_slots
commprof_front_slots:

        .text
        .set    number, 0
        .balign ENTRY_BYTES
        .globl  commprof_front_entries
        .hidden commprof_front_entries
commprof_front_entries:
#define ENTRY(name) COMMPROF_ENTRY name ;
#include "entry_list.inc"

        .section .note.GNU-stack, "", %progbits
