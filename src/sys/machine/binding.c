#include "sys/machine/binding.h"

#include <errno.h>
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MAX_CPUS = 1 << 16 };

struct choice {
    int rank_in_core;   /* first key: hardware threads of a core are used one after the other */
    int rank_in_domain; /* of its core */
    int domain, core, os, numa;
    bool scatter;
};

static int compare(const void *a, const void *b)
{
    const struct choice *p = a, *q = b;
    int keys[5] = {p->rank_in_core - q->rank_in_core, p->scatter ? p->rank_in_domain - q->rank_in_domain : 0,
                   p->domain - q->domain, p->core - q->core, p->os - q->os};
    for (int k = 0; k < 5; k++)
        if (keys[k])
            return keys[k];
    return 0;
}

/* Ranks count allowed CPUs only, so that a cpuset of second hardware threads is as good as any. */
static int list_choices(const struct sp_topology *t, enum sp_placement placement, struct choice *list)
{
    int n = 0;
    for (int i = 0; i < t->n_cpus; i++) {
        const struct sp_cpu *c = &t->cpu[i];
        if (!c->allowed)
            continue;
        struct choice *e = &list[n];
        *e = (struct choice){.domain = c->domain,
                             .core = c->core,
                             .os = c->os,
                             .numa = c->numa,
                             .scatter = placement == SP_SCATTER};
        for (int j = 0; j < n; j++) {
            if (list[j].core == c->core)
                e->rank_in_core++;
            else if (list[j].domain == c->domain && list[j].rank_in_core == 0)
                e->rank_in_domain++;
        }
        n++;
    }
    sp_sort_by(list, n, sizeof *list, compare);
    return n;
}

enum sp_status sp_binding_plan(const struct sp_topology *topology, int n_threads, enum sp_placement placement,
                               struct sp_binding *out, struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    int n = n_threads > 0 ? n_threads : sp_topology_default_threads(topology);
    struct choice *list = NULL;
    enum sp_status status = sp_new_array(topology->n_cpus, sizeof *list, "processors", (void **)&list, err);
    if (status != SP_OK)
        return status;
    int n_choices = list_choices(topology, placement, list);
    if (n_choices == 0)
        status = sp_fail(err, SP_ABSENT, NULL, "no processor is allowed to this process");
    if (status == SP_OK)
        status = sp_new_array(n, sizeof *out->cpu, "the binding", (void **)&out->cpu, err);
    for (int k = 0; status == SP_OK && k < n; k++) {
        const struct choice *c = &list[k % n_choices];
        bool new_domain = true, new_numa = true;
        for (int j = 0; j < k && j < n_choices; j++) {
            new_domain = new_domain && list[j].domain != c->domain;
            new_numa = new_numa && list[j].numa != c->numa;
        }
        out->cpu[k] = c->os;
        out->n_domains += new_domain;
        out->n_numa += new_numa;
        out->uses_smt = out->uses_smt || c->rank_in_core > 0;
    }
    out->n_threads = status == SP_OK ? n : 0;
    out->oversubscribed = n > n_choices;
    free(list);
    return status;
}

/* 0 or errno. The set is on the heap: systems have more than 1024 CPUs. */
static int pin_self(const int *cpu, int n)
{
    size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
    cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
    if (!set)
        return ENOMEM;
    CPU_ZERO_S(size, set);
    for (int i = 0; i < n; i++)
        CPU_SET_S(cpu[i], size, set);
    int error = sched_setaffinity(0, size, set) == 0 ? 0 : errno;
    CPU_FREE(set);
    return error;
}

static enum sp_status pin_team(const struct sp_binding *binding, struct sp_error *err)
{
    int error = 0, misplaced = 0, team = 0;
#pragma omp parallel num_threads(binding->n_threads) reduction(max : error) reduction(+ : misplaced)
    {
        int k = omp_get_thread_num();
#pragma omp single
        team = omp_get_num_threads();
        if (k < binding->n_threads) {
            error = pin_self(&binding->cpu[k], 1);
            misplaced += sched_getcpu() != binding->cpu[k];
        }
    }
    if (error)
        return sp_fail(err, SP_ABSENT, "allow sched_setaffinity, or go on without pinning",
                       "threads cannot be pinned: %s", strerror(error));
    if (team < binding->n_threads)
        return sp_fail(err, SP_ABSENT, "raise OMP_THREAD_LIMIT and unset OMP_DYNAMIC",
                       "OpenMP gives %d threads where %d were asked for", team, binding->n_threads);
    if (misplaced)
        return sp_fail(err, SP_ABSENT, "go on without pinning; expect a larger spread",
                       "%d of %d threads do not run where they were pinned", misplaced, binding->n_threads);
    return SP_OK;
}

enum sp_status sp_binding_apply(struct sp_binding *binding, struct sp_error *err)
{
    const enum sp_status status = pin_team(binding, err);
    binding->pinned = status == SP_OK;
    return status;
}

static void let_go(const struct sp_binding *binding, const struct sp_topology *topology)
{
    int n = 0, *cpu = malloc((size_t)topology->n_cpus * sizeof *cpu);
    if (!cpu)
        return;
    for (int i = 0; i < topology->n_cpus; i++)
        if (topology->cpu[i].allowed)
            cpu[n++] = topology->cpu[i].os;
    if (binding->n_threads > 0) {
#pragma omp parallel num_threads(binding->n_threads)
        pin_self(cpu, n);
    }
    free(cpu);
}

void sp_binding_undo(struct sp_binding *binding, const struct sp_topology *topology)
{
    let_go(binding, topology);
    binding->pinned = false;
}

enum sp_status sp_binding_restore(const struct sp_binding *binding, const struct sp_topology *topology,
                                  struct sp_error *err)
{
    if (binding->pinned)
        return pin_team(binding, err);
    let_go(binding, topology);
    return SP_OK;
}

bool sp_binding_is_same(const struct sp_binding *a, const struct sp_binding *b)
{
    return a->n_threads == b->n_threads && a->pinned == b->pinned &&
           (!a->pinned || memcmp(a->cpu, b->cpu, (size_t)a->n_threads * sizeof *a->cpu) == 0);
}

void sp_binding_free(struct sp_binding *binding)
{
    if (!binding)
        return;
    free(binding->cpu);
    memset(binding, 0, sizeof *binding);
}
