#include "sys/machine/identity.h"

#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "sys/machine/gpu_files.h"
#include "sys/machine/pages.h"
#include "sys/machine/sysfs.h"

#if defined __x86_64__
#include <cpuid.h>
#endif

/* The text after "KEY<tabs>: " in the first processor's paragraph. */
static bool field(const char *info, const char *key, char *text, size_t size)
{
    size_t length = strlen(key);
    for (const char *line = info; line && *line && *line != '\n';) {
        const char *end = strchr(line, '\n'), *colon = strchr(line, ':');
        if (strncmp(line, key, length) == 0 &&
            (isspace((unsigned char)line[length]) || line[length] == ':') && colon && (!end || colon < end)) {
            const char *value = colon + 1 + (colon[1] == ' ');
            snprintf(text, size, "%.*s", (int)(end ? end - value : (long)strlen(value)), value);
            return true;
        }
        line = end ? end + 1 : NULL;
    }
    text[0] = '\0';
    return false;
}

static int whole(const char *info, const char *key)
{
    char text[32];
    return field(info, key, text, sizeof text) ? atoi(text) : -1;
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = words; (p = strstr(p, word)); p += length)
        if ((p == words || p[-1] == ' ') && (p[length] == ' ' || p[length] == '\0'))
            return true;
    return false;
}

static void read_flags(const char *info, struct sp_cpuid *out)
{
    static char const *const needed[] = {"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"};
    char *words = malloc(16384);
    if (!words || (!field(info, "flags", words, 16384) && !field(info, "Features", words, 16384))) {
        free(words);
        return;
    }
    out->hypervisor = has_word(words, "hypervisor");
    out->avx2 = has_word(words, "avx2");
    out->avx512 = true;
    for (int i = 0; i < 5; i++)
        out->avx512 = out->avx512 && has_word(words, needed[i]);
    free(words);
}

#if defined __x86_64__
static void ask_cpu(struct sp_cpuid *out)
{
    __builtin_cpu_init();
    out->avx2 = __builtin_cpu_supports("avx2");
    out->avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512cd");
    uint32_t a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d) && c >> 31) {
        out->hypervisor = true;
        __cpuid(0x40000000, a, b, c, d);
        uint32_t name[4] = {b, c, d, 0};
        memcpy(out->hypervisor_name, name, sizeof name);
        for (char *p = out->hypervisor_name; *p; p++)
            if (!isprint((unsigned char)*p))
                *p = '?';
    }
}
#else
static void ask_cpu(struct sp_cpuid *out)
{
    (void)out;
}
#endif

void sp_cpuid_read(const char *root, struct sp_cpuid *out)
{
    memset(out, 0, sizeof *out);
    char *info = sp_sysfs_file(root, "/proc/cpuinfo"), text[64];
    field(info, "model name", out->model, sizeof out->model);
    field(info, "vendor_id", out->vendor, sizeof out->vendor);
    field(info, "microcode", out->microcode, sizeof out->microcode);
    out->family = whole(info, "cpu family");
    out->number = whole(info, "model");
    out->stepping = whole(info, "stepping");
    read_flags(info, out);
    if (!root || !*root)
        ask_cpu(out);
    int64_t kHz;
    if (sp_sysfs_count(root, &kHz, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq") && kHz > 0) {
        out->frequency_Hz = (double)kHz * 1e3;
    } else if (field(info, "cpu MHz", text, sizeof text)) {
        char *dot = strchr(text, '.'); /* by hand: strtod would follow the locale */
        out->frequency_Hz = (double)atoi(text) * 1e6 + (dot ? (double)atoi(dot + 1) * 1e3 : 0);
    }
    free(info);
}

static void add(struct sp_identity *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(struct sp_identity *out, const char *name, const char *format, ...)
{
    if (out->n == SP_IDENTITY_MAX)
        return;
    char *value = out->fact[out->n].value;
    snprintf(out->fact[out->n].name, sizeof out->fact[0].name, "%s", name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof out->fact[0].value, format, arguments);
    va_end(arguments);
    if (!*value)
        snprintf(value, sizeof out->fact[0].value, "unknown");
    out->n++;
}

static uint64_t hash_text(uint64_t h, const char *text)
{
    for (const char *p = text;; p++) { /* the final 0 too: it separates */
        h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
        if (!*p)
            return h;
    }
}

/* "6.18" of "6.18.44-generic": what changes memory management; distribution suffixes do not. */
static void kernel_major(const char *root, char *text, size_t size)
{
    sp_sysfs_text(root, text, size, "/proc/sys/kernel/osrelease");
    char *dot = strchr(text, '.');
    if (dot)
        dot[1 + strspn(dot + 1, "0123456789")] = '\0';
}

static void add_caches(struct sp_identity *out, const struct sp_topology *t)
{
    char text[128] = "";
    size_t used = 0;
    for (int k = 0; k < t->n_caches && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%sL%d %" PRId64 " KiB/%d", k ? ", " : "",
                                 t->cache[k].level, t->cache[k].size_B >> 10, t->cache[k].cores_sharing);
    add(out, "caches", "%s", text);
}

static void set_key(struct sp_identity *out, int version)
{
    char text[32];
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    out->version = version;
    snprintf(text, sizeof text, "identity %d", version);
    h = hash_text(h, text);
    for (int i = 0; i < out->n; i++)
        h = hash_text(hash_text(h, out->fact[i].name), out->fact[i].value);
    snprintf(out->env_key, sizeof out->env_key, "%016" PRIx64, h);
}

void sp_identity_read(const char *root, const struct sp_topology *topology, struct sp_identity *out)
{
    memset(out, 0, sizeof *out);
    struct sp_cpuid cpu;
    char text[128];
    sp_cpuid_read(root, &cpu);
    add(out, "cpu", "%s", cpu.model);
    add(out, "family/model/stepping", "%d/%d/%d", cpu.family, cpu.number, cpu.stepping);
    add(out, "microcode", "%s", cpu.microcode);
    add(out, "isa", "%s", cpu.avx512 ? "avx512" : cpu.avx2 ? "avx2" : "base");
    add(out, "hypervisor", "%s",
        !cpu.hypervisor        ? "none"
        : *cpu.hypervisor_name ? cpu.hypervisor_name
                               : "yes");
    add(out, "cpus/cores/allowed", "%d/%d/%d", topology->n_cpus, topology->n_cores, topology->n_allowed);
    add_caches(out, topology);
    add(out, "numa", "%d", topology->n_numa);
    kernel_major(root, text, sizeof text);
    add(out, "kernel", "%s", text);
    sp_pages_policy(root, text, sizeof text);
    add(out, "huge_pages", "%s", text);
    sp_sysfs_text(root, text, sizeof text, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    add(out, "governor", "%s", text);
    int64_t value;
    bool intel = sp_sysfs_count(root, &value, "/sys/devices/system/cpu/intel_pstate/no_turbo");
    bool known = intel || sp_sysfs_count(root, &value, "/sys/devices/system/cpu/cpufreq/boost");
    add(out, "turbo", "%s", !known ? "" : (value != 0) != intel ? "on" : "off");
    struct sp_meminfo memory;
    sp_meminfo_read(root, &memory, NULL);
    add(out, "memory_GiB", "%" PRId64, (memory.total_B + (INT64_C(1) << 29)) >> 30);
    set_key(out, SP_IDENTITY_VERSION);
}

void sp_identity_add_gpu(struct sp_identity *out, const char *root, const char *device, int cuda_driver,
                         const char *interface)
{
    struct sp_gpu_files files;
    sp_gpu_files_read(root, &files);
    add(out, "gpu", "%s", device);
    if (*interface)
        add(out, "gpu_driver", "%s", interface);
    else if (*files.driver || cuda_driver <= 0)
        add(out, "gpu_driver", "%s", files.driver);
    else
        add(out, "gpu_driver", "CUDA %d.%d", cuda_driver / 1000, cuda_driver % 1000 / 10);
    set_key(out, SP_IDENTITY_GPU_VERSION);
}

/* The next word with three digits or more from *at; its length, 0: none. */
static size_t model_number(const char **at)
{
    for (const char *p = *at; *p;) {
        size_t n = 0;
        int digits = 0;
        for (; isalnum((unsigned char)p[n]) || p[n] == '-'; n++)
            digits += isdigit((unsigned char)p[n]) != 0;
        if (digits >= 3) {
            *at = p;
            return n;
        }
        p += n > 0 ? n : 1;
    }
    return 0;
}

bool sp_cpu_names_differ(const char *a, const char *b)
{
    bool any_a = false, any_b = false;
    for (const char *p = a; *p;) {
        const size_t n = model_number(&p);
        if (n == 0)
            break;
        any_a = true;
        for (const char *q = b; *q;) {
            const size_t m = model_number(&q);
            if (m == 0)
                break;
            any_b = true;
            if (m == n && strncasecmp(p, q, n) == 0)
                return false;
            q += m;
        }
        p += n;
    }
    return any_a && any_b;
}

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
