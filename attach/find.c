/* The libraries' own functions. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "attach/attach.h"
#include "attach/loaded.h"

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

void sp_attach_note_second(enum sp_attach_row r)
{
    __atomic_store_n(&is_second[r], true, __ATOMIC_RELAXED);
}

/* Adds a word to a list. */
static void list_word(char *list, size_t size, const char *word)
{
    const size_t n = strlen(list);
    if (!strstr(list, word) && n + strlen(word) + 3 < size)
        snprintf(list + n, size - n, "%s%s", n ? ", " : "", word);
}

sp_look_up *sp_attach_real_dlsym(void)
{
    static sp_look_up *found;
    sp_look_up *f = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
#ifdef __GLIBC__
    static const char *const version[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.0"};
    for (size_t i = 0; !f && i < sizeof version / sizeof *version; i++)
        f = (sp_look_up *)dlvsym(RTLD_NEXT, "dlsym", version[i]);
#else
    f = f ? f : dlsym;
#endif
    __atomic_store_n(&found, f, __ATOMIC_RELEASE);
    return f;
}

bool sp_attach_share_library(const void *a, const void *b)
{
    Dl_info here, there;
    return dladdr(a, &here) && dladdr(b, &there) && here.dli_fbase == there.dli_fbase;
}

bool sp_attach_is_ours(const void *address)
{
    return sp_attach_share_library((const void *)sp_attach_symbol, address);
}

/* The process ends: a dlopen() now would call constructors again. */
static bool is_ending;

static void *search_all(const char *name)
{
    struct sp_loaded all = {.n = 0};
    void *found = NULL;
    sp_look_up *ask = sp_attach_real_dlsym();
    if (__atomic_load_n(&is_ending, __ATOMIC_RELAXED))
        return NULL;
    sp_loaded_list(&all);
    for (int i = 0; i < all.n && !found && ask; i++) {
        void *handle = dlopen(all.name[i], RTLD_LAZY | RTLD_NOLOAD);
        if (!handle)
            continue;
        found = ask(handle, name);
        if (found && sp_attach_is_ours(found))
            found = NULL;
        dlclose(handle);
    }
    return found;
}

void *sp_attach_function(const char *name)
{
    sp_look_up *ask = sp_attach_real_dlsym();
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

void *sp_attach_remember(enum sp_attach_row r, void *f)
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
    return f ? sp_attach_remember(r, f) : NULL;
}
