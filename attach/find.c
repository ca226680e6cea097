/* The libraries' own functions, and dlsym() itself: a program that asks a library by its handle
 * (Python's ctypes does) never meets the symbols in front of it. Where our dlsym() has nothing to
 * say it jumps to the real one with nothing of us on the stack, since RTLD_NEXT means: next after
 * whoever calls. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "attach/attach.h"
#include "attach/loaded.h"

typedef void *look_up(void *handle, const char *name);

static const struct {
    const char *library, *name;
} row[SP_N_ROWS] = {
#define SYMBOL(LIBRARY, NAME, WHAT) [SP_ROW_##NAME] = {LIBRARY, #NAME},
#include "attach/symbols.inc"
#undef SYMBOL
};

static void *real[SP_N_ROWS];
static bool called[SP_N_ROWS], is_second[SP_N_ROWS];

const char *sp_attach_library(enum sp_attach_row r)
{
    return row[r].library;
}

const char *sp_attach_symbol(enum sp_attach_row r)
{
    return row[r].name;
}

void sp_attach_note_called(enum sp_attach_row r)
{
    __atomic_store_n(&called[r], true, __ATOMIC_RELAXED);
}

/* Adds a word to a list. */
static void list_word(char *list, size_t size, const char *word)
{
    const size_t n = strlen(list);
    if (!strstr(list, word) && n + strlen(word) + 3 < size)
        snprintf(list + n, size - n, "%s%s", n ? ", " : "", word);
}

/* The dynamic linker's own function, whoever stands in front of it. */
static look_up *real_dlsym(void)
{
    static look_up *found;
    look_up *f = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
#ifdef __GLIBC__
    static const char *const version[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.0"};
    for (size_t i = 0; !f && i < sizeof version / sizeof *version; i++)
        f = (look_up *)dlvsym(RTLD_NEXT, "dlsym", version[i]);
#else
    f = f ? f : dlsym;
#endif
    __atomic_store_n(&found, f, __ATOMIC_RELEASE);
    return f;
}

/* Is it in this library itself? */
static bool share_library(const void *a, const void *b)
{
    Dl_info here, there;
    return dladdr(a, &here) && dladdr(b, &there) && here.dli_fbase == there.dli_fbase;
}

static bool is_ours(const void *address)
{
    return share_library((const void *)sp_attach_symbol, address);
}

/* The process ends: a dlopen() now would call constructors again. */
static bool is_ending;

static void *search_all(const char *name)
{
    struct sp_loaded all = {.n = 0};
    void *found = NULL;
    look_up *ask = real_dlsym();
    if (__atomic_load_n(&is_ending, __ATOMIC_RELAXED))
        return NULL;
    sp_loaded_list(&all);
    for (int i = 0; i < all.n && !found && ask; i++) {
        void *handle = dlopen(all.name[i], RTLD_LAZY | RTLD_NOLOAD);
        if (!handle)
            continue;
        found = ask(handle, name);
        if (found && is_ours(found))
            found = NULL;
        dlclose(handle);
    }
    return found;
}

void *sp_attach_function(const char *name)
{
    look_up *ask = real_dlsym();
    void *found = ask ? ask(RTLD_NEXT, name) : NULL;
    return found ? found : search_all(name);
}

void sp_attach_note_libraries(void)
{
    struct sp_attach_header *h = sp_attach_log.header;
    __atomic_store_n(&is_ending, true, __ATOMIC_RELAXED);
    bool made[SP_N_ROWS] = {false}; /* of each row: its library made a product */
    for (int r = 0; h && r < SP_N_ROWS; r++)
        for (int k = 0; k < SP_N_ROWS; k++)
            made[r] = made[r] || (strcmp(row[r].library, row[k].library) == 0 &&
                                  __atomic_load_n(&called[k], __ATOMIC_RELAXED));
    for (int r = 0; h && r < SP_N_ROWS; r++) {
        if (__atomic_load_n(&is_second[r], __ATOMIC_RELAXED))
            list_word(h->second, sizeof h->second, row[r].library);
        if (!made[r] && sp_attach_function(row[r].name))
            list_word(h->idle, sizeof h->idle, row[r].library);
    }
}

void *sp_attach_function_once(void **slot, const char *name)
{
    void *f = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (f)
        return f;
    f = sp_attach_function(name);
    __atomic_store_n(slot, f, __ATOMIC_RELEASE);
    return f;
}

/* A library whose functions are remembered stays, also after a dlclose(). */
static void keep_library(const void *address)
{
    Dl_info info;
    if (dladdr(address, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* What is remembered of the row: `f`, or what another thread or an earlier call had found. */
static void *remember(enum sp_attach_row r, void *f)
{
    void *none = NULL;
    if (!__atomic_compare_exchange_n(&real[r], &none, f, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return none;
    keep_library(f);
    return f;
}

void *sp_attach_real(enum sp_attach_row r)
{
    void *f = __atomic_load_n(&real[r], __ATOMIC_ACQUIRE);
    if (f)
        return f;
    f = sp_attach_function(row[r].name);
    return f ? remember(r, f) : NULL;
}

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
    look_up *ask = real_dlsym();
    int r = 0;
    while (r < SP_N_ROWS && name && !is_name(row[r].name, name))
        r++;
    if (!name || r == SP_N_ROWS || !ask || *handle == RTLD_NEXT)
        return NULL;
    void *own = *handle == RTLD_DEFAULT ? sp_attach_function(name) : ask(*handle, name);
    if (own && is_ours(own)) /* through the handle of the program itself */
        own = sp_attach_function(name);
    if (!own) { /* libc has none of them */
        void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
        *handle = libc ? libc : *handle;
        return NULL;
    }
    void *first = sp_attach_is_active() ? remember((enum sp_attach_row)r, own) : NULL;
    if (first == own)
        return front[r];
    /* Another copy of the library, whose calls are its own; or what the library itself is made
     * of. */
    if (first && !share_library(first, caller))
        __atomic_store_n(&is_second[r], true, __ATOMIC_RELAXED);
    return own;
}

__attribute__((used, visibility("hidden"))) look_up *sp_attach_dlsym(void)
{
    return real_dlsym();
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
        "    call sp_attach_dlsym\n"
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
        "    bl sp_attach_dlsym\n"
        "    mov x9, x0\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x29, x30, [sp], #32\n"
        "    br x9\n"
        "1:  ldp x29, x30, [sp], #32\n"
        "    ret\n"
        ".size dlsym, . - dlsym\n");
#endif

#endif
