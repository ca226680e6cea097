#include "sys/counters/pmu_encode.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/machine/sysfs.h"

/* "config:0-7,32-35", "config1:0", "config" (all bits): puts value into the bits named, lowest first. */
static bool put_bits(const char *format, uint64_t value, uint64_t config[3])
{
    const char *colon = strchr(format, ':');
    size_t n = colon ? (size_t)(colon - format) : strlen(format);
    int word = n == 6 ? 0 : n == 7 && format[6] >= '0' && format[6] <= '2' ? format[6] - '0' : -1;
    if (strncmp(format, "config", 6) != 0 || word < 0)
        return false;
    const char *p = colon ? colon + 1 : "0-63";
    while (*p) {
        char *end;
        unsigned long low = strtoul(p, &end, 10), high = low;
        if (end == p)
            return false;
        if (*end == '-')
            high = strtoul(p = end + 1, &end, 10);
        if (end == p || high > 63 || low > high)
            return false;
        for (unsigned long bit = low; bit <= high; bit++, value >>= 1)
            config[word] |= (value & 1) << bit;
        p = *end == ',' ? end + 1 : end;
        if (*end && *end != ',')
            return false;
    }
    return value == 0;
}

enum sp_status sp_pmu_encode(const char *root, const char *pmu, const char *terms, uint64_t config[3],
                             struct sp_error *err)
{
    memset(config, 0, 3 * sizeof *config);
    for (const char *p = terms; *p;) {
        char term[64], format[128];
        size_t n = strcspn(p, ",");
        if (n == 0 || n >= sizeof term)
            return sp_fail(err, SP_INPUT, NULL, "%s: the event '%s' cannot be read", pmu, terms);
        snprintf(term, sizeof term, "%.*s", (int)n, p);
        p += n + (p[n] == ',');
        char *equals = strchr(term, '='), *end;
        uint64_t value = 1;
        if (equals) {
            *equals = '\0';
            value = strtoull(equals + 1, &end, 0);
            if (end == equals + 1 || *end)
                return sp_fail(err, SP_INPUT, NULL, "%s: '%s' is no number in the event '%s'", pmu,
                               equals + 1, terms);
        }
        /* "config=0x84" is a word by itself; everything else has a format file. */
        bool word =
            strcmp(term, "config") == 0 || strcmp(term, "config1") == 0 || strcmp(term, "config2") == 0;
        if (word)
            snprintf(format, sizeof format, "%.60s", term);
        else if (!sp_sysfs_text(root, format, sizeof format, SP_PMU_DEVICES "/%s/format/%s", pmu, term))
            return sp_fail(err, SP_INPUT, NULL, "%s: it has no format for '%s'", pmu, term);
        if (!put_bits(format, value, config))
            return sp_fail(err, SP_INPUT, NULL, "%s: %s=%#llx does not fit its format %s", pmu, term,
                           (unsigned long long)value, format);
    }
    return SP_OK;
}
