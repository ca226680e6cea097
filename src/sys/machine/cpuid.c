#include "sys/machine/cpuid.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    out->fma = has_word(words, "fma");
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
    out->fma = __builtin_cpu_supports("fma");
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
        out->frequency_is_maximum = true;
    } else if (field(info, "cpu MHz", text, sizeof text)) {
        char *dot = strchr(text, '.'); /* by hand: strtod would follow the locale */
        out->frequency_Hz = (double)atoi(text) * 1e6 + (dot ? (double)atoi(dot + 1) * 1e3 : 0);
    }
    free(info);
}
