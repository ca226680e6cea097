#include "probes/probe.h"

#include <stddef.h>
#include <string.h>

extern const struct sp_probe sp_probe_time;
#define LIBRARY_COUNTER(NAME, ...) extern const struct sp_probe sp_probe_##NAME;
#define KERNEL_COUNTER             LIBRARY_COUNTER
#include "base/option/byte_counters.inc"
extern const struct sp_probe sp_probe_sim;
extern const struct sp_probe sp_probe_replay;

const struct sp_probe *const sp_probe_table[] = {
    &sp_probe_time,
#define LIBRARY_COUNTER(NAME, ...) &sp_probe_##NAME,
#define KERNEL_COUNTER             LIBRARY_COUNTER
#include "base/option/byte_counters.inc"
    &sp_probe_sim,
    &sp_probe_replay,
    NULL,
};

const struct sp_probe *sp_probe_find(const char *name)
{
    for (int i = 0; sp_probe_table[i]; i++)
        if (strcmp(sp_probe_table[i]->name, name) == 0)
            return sp_probe_table[i];
    return NULL;
}
