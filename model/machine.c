#include "model/machine.h"

#include <stdlib.h>
#include <string.h>

static const char *const policy_names[SP_N_POLICIES] = {"lru", "random", "rrip"};

const char *sp_policy_name(enum sp_policy policy)
{
    return policy_names[policy];
}

int sp_policy_from_name(const char *name)
{
    for (int i = 0; i < SP_N_POLICIES; i++)
        if (strcmp(policy_names[i], name) == 0)
            return i;
    return -1;
}

static const char *const kind_names[SP_N_MACHINE_KINDS] = {"cpu", "gpu"};

const char *sp_machine_kind_name(enum sp_machine_kind kind)
{
    return kind_names[kind];
}

int sp_machine_kind_from_name(const char *name)
{
    for (int i = 0; i < SP_N_MACHINE_KINDS; i++)
        if (strcmp(kind_names[i], name) == 0)
            return i;
    return -1;
}

void sp_machine_free(struct sp_machine *machine)
{
    if (!machine)
        return;
    for (int i = 0; i < machine->n_ceilings; i++)
        free(machine->ceiling[i].sample);
    free(machine->ceiling);
    memset(machine, 0, sizeof *machine);
}

enum sp_status sp_machine_copy(const struct sp_machine *from, struct sp_machine *to, struct sp_error *err)
{
    *to = *from;
    to->ceiling = NULL;
    to->n_ceilings = 0;
    for (int i = 0; i < from->n_ceilings; i++) {
        enum sp_status status = sp_machine_add_ceiling(to, &from->ceiling[i], err);
        if (status != SP_OK) {
            sp_machine_free(to);
            return status;
        }
    }
    return SP_OK;
}

enum sp_status sp_machine_add_ceiling(struct sp_machine *machine, const struct sp_ceiling *c,
                                      struct sp_error *err)
{
    static const char remedy[] = "free memory";
    struct sp_ceiling *grown =
        realloc(machine->ceiling, (size_t)(machine->n_ceilings + 1) * sizeof *machine->ceiling);
    if (!grown)
        return sp_fail(err, SP_MEMORY, remedy, "no memory for a ceiling");
    machine->ceiling = grown;
    struct sp_ceiling *added = &grown[machine->n_ceilings];
    *added = *c;
    added->sample = NULL;
    if (c->n_samples > 0 && c->sample) {
        added->sample = malloc((size_t)c->n_samples * sizeof *c->sample);
        if (!added->sample)
            return sp_fail(err, SP_MEMORY, remedy, "no memory for the samples of a ceiling");
        memcpy(added->sample, c->sample, (size_t)c->n_samples * sizeof *c->sample);
    } else {
        added->n_samples = 0;
    }
    machine->n_ceilings++;
    return SP_OK;
}

const struct sp_ceiling *sp_machine_ceiling(const struct sp_machine *machine, const char *name,
                                            const char *level, const char *precision, int n_threads,
                                            const char *mode, bool *exact)
{
    const struct sp_ceiling *best = NULL;
    for (int i = 0; i < machine->n_ceilings; i++) {
        const struct sp_ceiling *c = &machine->ceiling[i];
        if (strcmp(c->name, name) != 0 || strcmp(c->level, level) != 0 ||
            strcmp(c->precision, precision) != 0 || !sp_value_known(c->value))
            continue;
        if (mode && strcmp(c->mode, mode) != 0)
            continue;
        if (!best || abs(c->n_threads - n_threads) < abs(best->n_threads - n_threads))
            best = c;
    }
    if (exact)
        *exact = best && best->n_threads == n_threads;
    return best;
}

const struct sp_cache *sp_machine_llc(const struct sp_machine *machine)
{
    return machine->n_caches > 0 ? &machine->cache[machine->n_caches - 1] : NULL;
}

int sp_machine_domain_of(const struct sp_machine *m, int thread)
{
    int domains = m->n_domains > 0 ? m->n_domains : 1;
    int cores = (m->n_cores > 0 ? m->n_cores : 1) / domains;
    return thread / (cores > 0 ? cores : 1) % domains;
}

const char *sp_machine_memory_name(const struct sp_machine *machine)
{
    return strncmp(machine->memory, "HBM", 3) == 0 ? "HBM" : "DRAM";
}
