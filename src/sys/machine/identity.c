#include "sys/machine/identity.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sys/gpu/gpu_files.h"
#include "sys/machine/meminfo.h"
#include "sys/machine/pages.h"
#include "sys/machine/sysfs.h"

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

void sp_identity_add_gpu(struct sp_identity *out, const char *root, const char *device, int cuda_driver)
{
    struct sp_gpu_files files;
    sp_gpu_files_read(root, &files);
    add(out, "gpu", "%s", device);
    if (*files.driver || cuda_driver <= 0)
        add(out, "gpu_driver", "%s", files.driver);
    else
        add(out, "gpu_driver", "CUDA %d.%d", cuda_driver / 1000, cuda_driver % 1000 / 10);
    set_key(out, SP_IDENTITY_GPU_VERSION);
}

const char *sp_identity_value(const struct sp_identity *identity, const char *name)
{
    for (int i = 0; i < identity->n; i++)
        if (strcmp(identity->fact[i].name, name) == 0)
            return identity->fact[i].value;
    return "unknown";
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
