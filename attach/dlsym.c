/* dlsym() itself: a program that asks a library by its handle (Python's ctypes does) never meets
 * the symbols in front of it. Where our dlsym() has nothing to say it jumps to the real one with
 * nothing of us on the stack, since RTLD_NEXT means: next after whoever calls. */
#include <dlfcn.h>

#include "attach/attach.h"

#if defined __GLIBC__ && (defined __x86_64__ || defined __aarch64__)

#define SYMBOL(LIBRARY, NAME, WHAT) extern char sp_front_##NAME[] __asm__(#NAME);
#include "attach/symbols.inc"
#undef SYMBOL

static char *const front[SP_N_ROWS] = {
#define SYMBOL(LIBRARY, NAME, WHAT) [SP_ROW_##NAME] = sp_front_##NAME,
#include "attach/symbols.inc"
#undef SYMBOL
};

/* Before anything of the program runs somebody may ask already, to whom even strcmp() is not there
 * yet. */
static bool is_name(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* What dlsym() gives for one of the rows: the one in front of a library's own; NULL: ask the real
 * one, which must not find those that stand in front of nothing. caller: an address of whoever
 * asks. */
__attribute__((used, visibility("hidden"))) void *sp_attach_asked(void **handle, const char *name,
                                                                  const void *caller)
{
    sp_look_up *ask = sp_attach_real_dlsym();
    int r = 0;
    while (r < SP_N_ROWS && name && !is_name(sp_attach_symbol((enum sp_attach_row)r), name))
        r++;
    if (!name || r == SP_N_ROWS || !ask || *handle == RTLD_NEXT)
        return NULL;
    void *own = *handle == RTLD_DEFAULT ? sp_attach_function(name) : ask(*handle, name);
    if (own && sp_attach_is_ours(own)) /* through the handle of the program itself */
        own = sp_attach_function(name);
    if (!own) { /* libc has none of them */
        void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
        *handle = libc ? libc : *handle;
        return NULL;
    }
    void *first = sp_attach_is_active() ? sp_attach_remember((enum sp_attach_row)r, own) : NULL;
    if (first == own)
        return front[r];
    /* Another copy of the library, whose calls are its own; or what the library itself is made
     * of. */
    if (first && !sp_attach_share_library(first, caller))
        sp_attach_note_second((enum sp_attach_row)r);
    return own;
}

/* dlsym(handle, name): sp_attach_asked(), or else a jump to the real one with the caller's return
 * address. */
#ifdef __x86_64__
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, @function\n"
        "dlsym:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    leaq 16(%rsp), %rdi\n"
        "    movq 24(%rsp), %rdx\n"
        "    call sp_attach_asked\n"
        "    testq %rax, %rax\n"
        "    jne 1f\n"
        "    call sp_attach_real_dlsym\n"
        "    movq %rax, %rdx\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *%rdx\n"
        "    .cfi_adjust_cfa_offset 24\n"
        "1:  addq $24, %rsp\n"
        "    .cfi_adjust_cfa_offset -24\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size dlsym, . - dlsym\n");
#else
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, %function\n"
        "dlsym:\n"
        "    stp x29, x30, [sp, #-32]!\n"
        "    stp x0, x1, [sp, #16]\n"
        "    mov x29, sp\n"
        "    add x0, sp, #16\n"
        "    mov x2, x30\n"
        "    bl sp_attach_asked\n"
        "    cbnz x0, 1f\n"
        "    bl sp_attach_real_dlsym\n"
        "    mov x9, x0\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x29, x30, [sp], #32\n"
        "    br x9\n"
        "1:  ldp x29, x30, [sp], #32\n"
        "    ret\n"
        ".size dlsym, . - dlsym\n");
#endif

#endif
