#include "model/machine.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *sp_keeping_name(enum sp_keeping keeping)
{
    static const char *const names[SP_N_KEEPINGS] = {"chance", "part", "nothing"};
    return names[keeping];
}

int sp_keeping_from_name(const char *name)
{
    for (int k = 0; k < SP_N_KEEPINGS; k++)
        if (strcmp(name, sp_keeping_name((enum sp_keeping)k)) == 0)
            return k;
    return -1;
}

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

const char *sp_ceiling_unit(const struct sp_ceiling *c)
{
    return strcmp(c->level, "core") == 0 ? "flop/s" : strncmp(c->name, "gather", 6) == 0 ? "1/s" : "B/s";
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

bool sp_machine_shares_cores(const struct sp_machine *machine)
{
    bool shares = false;
    for (int i = 0; i < machine->n_ceilings; i++) {
        const char *mode = machine->ceiling[i].mode;
        if (strcmp(mode, "shared") == 0 || strcmp(mode, "split") == 0)
            return false;
        shares |= strcmp(mode, "smt") == 0;
    }
    return shares;
}

/* ---- what cannot be ---- */

/* Ceilings in the order in which they may not rise: levels outward, operations from fused on. */
static int rank_of(const struct sp_ceiling *c)
{
    static const char *const flops[] = {"fma", "simd", "scalar"};
    if (strcmp(c->level, "core") == 0) {
        for (int i = 0; i < 3; i++)
            if (strcmp(c->name, flops[i]) == 0)
                return i;
        return -1;
    }
    return strcmp(c->level, "MEM") == 0 ? 9 : c->level[0] == 'L' ? c->level[1] - '0' : -1;
}

static bool modes_agree(const struct sp_ceiling *a, const struct sp_ceiling *b)
{
    return strcmp(a->mode, b->mode) == 0 || strcmp(a->mode, "unknown") == 0 ||
           strcmp(b->mode, "unknown") == 0;
}

/* Must `a` be at least as fast as `b`? */
static bool is_bound_by(const struct sp_ceiling *a, const struct sp_ceiling *b)
{
    const bool flops = strcmp(a->level, "core") == 0;
    if (strcmp(a->precision, b->precision) != 0 || (!flops && strcmp(a->name, b->name) != 0) ||
        flops != (strcmp(b->level, "core") == 0) || rank_of(a) < 0 || rank_of(b) < 0)
        return false;
    if (a->n_threads == b->n_threads)
        return rank_of(a) < rank_of(b) && modes_agree(a, b);
    return b->n_threads == 1 && rank_of(a) == rank_of(b);
}

/* How much faster than `a` the ceiling `b` may be: 1; 3/2 where a copy was counted with
 * write-allocates that its stores may have evaded, and for loads of one stream a thread beside
 * those of several. 0: nothing follows. */
static double most_beyond(const struct sp_ceiling *a, const struct sp_ceiling *b)
{
    if (strcmp(a->level, "MEM") == 0 && strcmp(b->level, "MEM") == 0 && a->n_threads == b->n_threads &&
        strcmp(a->name, "load") == 0 && strcmp(b->name, "copy") == 0 &&
        strcmp(a->precision, b->precision) == 0 && modes_agree(a, b))
        return 1.5;
    if (strcmp(a->level, b->level) == 0 && a->n_threads == b->n_threads && strcmp(a->name, "load") == 0 &&
        strcmp(b->name, "load_mix") == 0 && strcmp(a->precision, b->precision) == 0 && modes_agree(a, b))
        return 1.5;
    return is_bound_by(a, b) ? 1 : 0;
}

static bool is_far_below(const struct sp_ceiling *a, const struct sp_ceiling *b)
{
    const double by = most_beyond(a, b);
    return by > 0 && by * a->value.value < 0.9 * b->value.value && by * a->value.hi < b->value.lo;
}

/* Loads of several streams reach half of one stream's: what is far above came out of a cache. */
static bool is_far_above(const struct sp_ceiling *a, const struct sp_ceiling *b)
{
    return strcmp(a->name, "load") == 0 && strcmp(b->name, "load_mix") == 0 &&
           strcmp(a->level, b->level) == 0 && a->n_threads == b->n_threads &&
           strcmp(a->precision, b->precision) == 0 && modes_agree(a, b) && a->value.value > 2 * b->value.hi;
}

static bool is_measured(const struct sp_ceiling *c)
{
    return c->value.origin == SP_MEASURED;
}

/* The first ceiling that another one contradicts; -1: none. *by: the other, -1: it is too slow by
 * itself. Those that are too slow go first: they contradict others wrongly. */
static int find_implausible(const struct sp_machine *m, int *by)
{
    static const double least_flops_a_cycle = 0.1;
    for (int i = 0; i < m->n_ceilings; i++) {
        const struct sp_ceiling *c = &m->ceiling[i];
        *by = -1;
        if (is_measured(c) && strcmp(c->level, "core") == 0 && m->kind == SP_CPU &&
            c->value.hi < least_flops_a_cycle * m->frequency_Hz * c->n_threads)
            return i;
    }
    for (int above = 0; above < 2; above++)
        for (int i = 0; i < m->n_ceilings; i++)
            for (int k = 0; k < m->n_ceilings; k++) {
                const struct sp_ceiling *c = &m->ceiling[i], *other = &m->ceiling[k];
                *by = k;
                if (k != i && is_measured(c) && is_measured(other) &&
                    (above ? is_far_above : is_far_below)(c, other))
                    return i;
            }
    return -1;
}

int sp_machine_drop_implausible(struct sp_machine *m, char *text, size_t size)
{
    int n = 0, by, at;
    size_t used = 0;
    *text = '\0';
    while ((at = find_implausible(m, &by)) >= 0) {
        const struct sp_ceiling *c = &m->ceiling[at];
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s %s of %d thread%s", n ? ", " : "",
                                     c->level, c->name, c->n_threads, c->n_threads == 1 ? "" : "s");
        if (by >= 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, " %s %s %s of %d",
                                     c->value.value < m->ceiling[by].value.value ? "below" : "beside",
                                     m->ceiling[by].level, m->ceiling[by].name, m->ceiling[by].n_threads);
        free(m->ceiling[at].sample);
        m->n_ceilings--;
        memmove(&m->ceiling[at], &m->ceiling[at + 1], (size_t)(m->n_ceilings - at) * sizeof *m->ceiling);
        n++;
    }
    return n;
}

/* ---- several measurements ---- */

bool sp_machine_was_busy(const struct sp_machine *m)
{
    return m->measured.n_disturbed * 4 > m->measured.n_samples;
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
