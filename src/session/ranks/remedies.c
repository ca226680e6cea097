/* What would make a distributed SpMV faster, by the same model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/option_words.h"
#include "session/ranks/scaling.h"
#include "sparse/reorder/reorder.h"

/* Entries up to which a partitioner and an order are tried unasked. */
static const int64_t most_divided = SP_MOST_DIVIDED, most_ordered = 20000000;
enum { VECTORS = 4 };

static struct sp_remedy *add(struct sp_scaling *s, const char *name, const char *how)
{
    struct sp_remedy *r =
        &s->remedy[s->n_remedies < SP_MOST_REMEDIES ? s->n_remedies++ : SP_MOST_REMEDIES - 1];
    memset(r, 0, sizeof *r);
    snprintf(r->name, sizeof r->name, "%s", name);
    snprintf(r->how, sizeof r->how, "%s", how);
    return r;
}

/* time_s of one SpMV. */
static void gained(const struct sp_scaling *s, double time_s, struct sp_remedy *r)
{
    r->time_s = time_s;
    r->gain = s->count[s->examined].time_s.value / time_s;
}

/* Times with another division, freed here; a failure of a partitioner is said, not passed on. */
static enum sp_status try_ranks(struct sp_scaling *s, const struct sp_csr *a, struct sp_scaling_ask ask,
                                struct sp_ranks *ranks, const struct sp_progress *progress,
                                struct sp_remedy *r, struct sp_error *err)
{
    struct sp_distributed with = {0};
    ask.ranks = ranks;
    ask.simulate = s->request.simulate;
    const enum sp_status status = sp_scaling_count(s, a, &ask, progress, &with, NULL, NULL, err);
    if (status == SP_OK)
        gained(s, with.time_s.value / ask.r, r);
    sp_distributed_free(&with);
    sp_ranks_free(ranks);
    return status;
}

static enum sp_status try_divisions(struct sp_scaling *s, const struct sp_csr *a, struct sp_scaling_ask ask,
                                    const struct sp_progress *progress, struct sp_error *err)
{
    const int n = s->count[s->examined].n_ranks;
    enum sp_status status = SP_OK;
    for (const struct sp_division *d = sp_division_table; d->name && status == SP_OK; d++) {
        char name[64], how[96];
        struct sp_ranks ranks;
        if (strcmp(d->name, s->request.partition) == 0 || sp_division_absent(d))
            continue;
        snprintf(name, sizeof name, "another partition: %s", d->name);
        snprintf(how, sizeof how, SP_O_PARTITION " %s", d->name);
        struct sp_remedy *r = add(s, name, how);
        r->partition = d->name;
        if (d->make && a->n_nz > most_divided) {
            snprintf(r->why_not, sizeof r->why_not, "not tried, as so many entries take long: %.80s", how);
            continue;
        }
        sp_progress_step(progress, name, -1);
        status = sp_ranks_make(d, a, n, &ranks, err);
        if (status == SP_OK)
            status = try_ranks(s, a, ask, &ranks, progress, r, err);
    }
    return status;
}

static enum sp_status try_order(struct sp_scaling *s, const struct sp_csr *a, struct sp_scaling_ask ask,
                                const struct sp_progress *progress, struct sp_error *err)
{
    struct sp_permutations order;
    struct sp_ranks ranks;
    if (a->n_r != a->n_c)
        return SP_OK;
    struct sp_remedy *r = add(s, "rows in another order: rcm, then equal entries",
                              "spmodel reorder M OUT, then " SP_O_PARTITION " nnz");
    if (a->n_nz > most_ordered) {
        snprintf(r->why_not, sizeof r->why_not, "not tried, as so many entries take long");
        return SP_OK;
    }
    sp_progress_step(progress, "finding an order", -1);
    enum sp_status status = sp_reorder_find("rcm", a, &order, err);
    if (status == SP_OK)
        status = sp_ranks_of_order(a, order.row_perm, s->count[s->examined].n_ranks, &ranks, err);
    sp_permutations_free(&order);
    return status == SP_OK ? try_ranks(s, a, ask, &ranks, progress, r, err) : status;
}

/* One rank for each cache domain of a node, with all its cores. */
static enum sp_status try_threads(struct sp_scaling *s, const struct sp_csr *a,
                                  const struct sp_progress *progress, struct sp_error *err)
{
    const struct sp_machine *m = s->request.machine;
    const struct sp_distributed *now = &s->count[s->examined];
    const int domains = m->n_domains > 0 ? m->n_domains : 1, n = now->n_nodes * domains;
    char how[96];
    struct sp_ranks ranks;
    if (n >= now->n_ranks || m->n_cores < domains || now->n_ranks < now->per_node ||
        !sp_division_of(s->request.partition))
        return SP_OK;
    const int n_threads = m->n_cores / domains;
    snprintf(how, sizeof how, "%d ranks of %d threads, " SP_O_RANKS_PER_NODE " %d", n, n_threads, domains);
    struct sp_remedy *r = add(s, "fewer ranks with more threads", how);
    const bool divides = sp_division_of(s->request.partition)->make;
    if (divides && a->n_nz > most_divided) {
        snprintf(r->why_not, sizeof r->why_not, "not tried, as so many entries take long");
        return SP_OK;
    }
    enum sp_status status = sp_scaling_divide(s->request.partition, a, n, &ranks, err);
    const struct sp_scaling_ask ask = {.per_node = domains, .n_threads = n_threads, .r = 1};
    return status == SP_OK ? try_ranks(s, a, ask, &ranks, progress, r, err) : status;
}

static enum sp_status try_vectors(struct sp_scaling *s, const struct sp_csr *a, struct sp_scaling_ask ask,
                                  const struct sp_progress *progress, struct sp_error *err)
{
    struct sp_ranks ranks;
    char name[64];
    if (sp_division_of(s->request.partition) && sp_division_of(s->request.partition)->make &&
        a->n_nz > most_divided)
        return SP_OK;
    snprintf(name, sizeof name, "%d vectors at once (time of each)", VECTORS);
    struct sp_remedy *r = add(s, name, "SpMMV in place of SpMV, where the solver has several vectors");
    ask.r = VECTORS;
    const enum sp_status status =
        sp_scaling_divide(s->request.partition, a, s->count[s->examined].n_ranks, &ranks, err);
    return status == SP_OK ? try_ranks(s, a, ask, &ranks, progress, r, err) : status;
}

const struct sp_remedy *sp_scaling_best_partition(const struct sp_scaling *s)
{
    const struct sp_remedy *best = NULL;
    for (int i = 0; i < s->n_remedies; i++) {
        const struct sp_remedy *r = &s->remedy[i];
        if (r->partition && !*r->why_not && r->gain > (best ? best->gain : 1))
            best = r;
    }
    return best;
}

enum sp_status sp_scaling_remedies(const struct sp_csr *a, const struct sp_progress *progress,
                                   struct sp_scaling *s, struct sp_error *err)
{
    const struct sp_distributed *now = &s->count[s->examined];
    const struct sp_scaling_ask ask = {
        .per_node = s->request.per_node, .n_threads = s->request.n_threads, .r = 1};
    if (!sp_value_known(now->time_s))
        return SP_OK;
    gained(s, now->overlapped_s.value,
           add(s, "exchange behind the local block", "MPI_Irecv, local block, MPI_Waitall"));
    enum sp_status status = try_divisions(s, a, ask, progress, err);
    if (status == SP_OK)
        status = try_order(s, a, ask, progress, err);
    if (status == SP_OK)
        status = try_threads(s, a, progress, err);
    if (status == SP_OK)
        status = try_vectors(s, a, ask, progress, err);
    double most = 1.02;
    for (int i = 0; i < s->n_remedies; i++)
        if (s->remedy[i].gain > most) {
            most = s->remedy[i].gain;
            s->best = i;
        }
    return status;
}
