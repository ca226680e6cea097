#include "sys/machine/code.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash64.h"

/* The loaded file that has an address. */
struct home {
    uintptr_t address;
    uintptr_t base;
    char path[1024];
};

static int look_for_home(struct dl_phdr_info *info, size_t size, void *context)
{
    struct home *h = context;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || h->address < begin || h->address >= begin + p->p_memsz)
            continue;
        const char *name = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
        h->base = info->dlpi_addr;
        strncpy(h->path, name, sizeof h->path - 1);
        return 1;
    }
    return 0;
}

/* Is [offset, offset + n size) inside the file? */
static bool is_inside(size_t file_B, uint64_t offset, uint64_t n, uint64_t size)
{
    return offset <= file_B && (size == 0 || n <= (file_B - offset) / size);
}

/* Bytes of the function symbol at `value`; 0: there is none. */
static size_t symbol_size(const char *file, size_t file_B, uintptr_t value)
{
    const ElfW(Ehdr) *head = (const void *)file;
    if (file_B < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        !is_inside(file_B, head->e_shoff, head->e_shnum, sizeof(ElfW(Shdr))))
        return 0;
    const ElfW(Shdr) *section = (const void *)(file + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        const ElfW(Shdr) *s = &section[i];
        if (s->sh_type != SHT_SYMTAB || !is_inside(file_B, s->sh_offset, 1, s->sh_size))
            continue;
        const ElfW(Sym) *symbol = (const void *)(file + s->sh_offset);
        for (size_t k = 0; k < s->sh_size / sizeof *symbol; k++)
            if ((symbol[k].st_info & 0xf) == STT_FUNC && symbol[k].st_value == value && symbol[k].st_size > 0)
                return symbol[k].st_size;
    }
    return 0;
}

enum sp_status sp_code_find(void (*function)(void), struct sp_code *code, struct sp_error *err)
{
    struct home h = {.address = (uintptr_t)function};
    struct stat facts;
    memset(code, 0, sizeof *code);
    if (!dl_iterate_phdr(look_for_home, &h))
        return sp_fail(err, SP_ABSENT, NULL, "no loaded file has the function");
    const int f = open(h.path, O_RDONLY | O_CLOEXEC);
    const size_t file_B = f >= 0 && fstat(f, &facts) == 0 ? (size_t)facts.st_size : 0;
    void *file = file_B > 0 ? mmap(NULL, file_B, PROT_READ, MAP_PRIVATE, f, 0) : MAP_FAILED;
    if (f >= 0)
        close(f);
    if (file == MAP_FAILED)
        return sp_fail_at(err, SP_ABSENT, h.path, 0, 0, NULL, "the program cannot be read");
    code->size = symbol_size(file, file_B, h.address - h.base);
    munmap(file, file_B);
    if (code->size == 0)
        return sp_fail(err, SP_ABSENT, "use a program that is not stripped",
                       "the symbol table does not have the function: the program is stripped");
    code->bytes = (const unsigned char *)h.address;
    return SP_OK;
}

enum sp_status sp_code_hash(void (*const function[])(void), int n, uint64_t *hash, struct sp_error *err)
{
    *hash = 0;
    for (int i = 0; i < n; i++) {
        struct sp_code code;
        enum sp_status status = function[i] ? sp_code_find(function[i], &code, err) : SP_OK;
        if (status != SP_OK)
            return status;
        if (function[i])
            *hash = sp_hash64(code.bytes, code.size, *hash);
    }
    return SP_OK;
}
