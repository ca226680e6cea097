/* What would make a distributed SpMV faster, by the same model. */
#include "session/ranks/scaling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "io/ranks/row_parts.h"
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

void sp_scaling_free(struct sp_scaling *s)
{
    if (!s)
        return;
    for (int i = 0; i < SP_MOST_COUNTS; i++) {
        sp_distributed_free(&s->count[i]);
        free(s->ranks[i]);
    }
    sp_distributed_free(&s->node);
    free(s->map.bytes);
    memset(s, 0, sizeof *s);
}

/* ---- partitions ---- */

static void name_partitions(struct sp_error *err)
{
    size_t at = (size_t)snprintf(err->remedy, sizeof err->remedy, "take ");
    for (const struct sp_division *d = sp_division_table;
         d->name && at + strlen(d->name) + 2 < sizeof err->remedy; d++)
        at += (size_t)snprintf(err->remedy + at, sizeof err->remedy - at, "%s, ", d->name);
    snprintf(err->remedy + at, sizeof err->remedy - at, "or a file with the part of each row");
}

static enum sp_status read_parts(const char *path, const struct sp_csr *a, int n_ranks, struct sp_ranks *d,
                                 struct sp_error *err)
{
    int32_t *part;
    int n_parts;
    enum sp_status status = sp_row_parts_read(path, a->n_r, &part, &n_parts, err);
    if (status != SP_OK && err && access(path, F_OK) != 0) /* a name, and none that we know */
        name_partitions(err);
    if (status == SP_OK && n_ranks > 0 && n_ranks < n_parts)
        status =
            sp_fail_at(err, SP_USAGE, path, 0, 0, "take as many ranks as it has parts, or another partition",
                       "the partition has %d parts, there are %d ranks", n_parts, n_ranks);
    if (status == SP_OK)
        status = sp_ranks_of_parts(a, part, n_ranks > 0 ? n_ranks : n_parts, d, err);
    free(part);
    return status;
}

enum sp_status sp_scaling_divide(const char *partition, const struct sp_csr *a, int n_ranks,
                                 struct sp_ranks *d, struct sp_error *err)
{
    const struct sp_division *division = sp_division_of(partition);
    memset(d, 0, sizeof *d);
    return division ? sp_ranks_make(division, a, n_ranks, d, err) : read_parts(partition, a, n_ranks, d, err);
}

/* ---- one count of ranks ---- */

static enum sp_status map_halo(const struct sp_halo *halo, double element_B, struct sp_halo_map *map,
                               struct sp_error *err)
{
    const int n = halo->n_ranks;
    void *p;
    map->ranks_of_bin = (n + SP_HALO_BINS - 1) / SP_HALO_BINS;
    map->n_bins = (n + map->ranks_of_bin - 1) / map->ranks_of_bin;
    enum sp_status status =
        sp_new_array((int64_t)map->n_bins * map->n_bins, sizeof *map->bytes, "the map of the halo", &p, err);
    map->bytes = p;
    if (status != SP_OK)
        return status;
    for (int to = 0; to < n; to++)
        for (int64_t k = halo->recv_begin[to]; k < halo->recv_begin[to + 1]; k++)
            map->bytes[to / map->ranks_of_bin * map->n_bins + halo->sender[k] / map->ranks_of_bin] +=
                element_B * halo->elements[k];
    return SP_OK;
}

enum sp_status sp_scaling_count(const struct sp_scaling *s, const struct sp_csr *a,
                                const struct sp_scaling_ask *ask, const struct sp_progress *progress,
                                struct sp_distributed *out, struct sp_halo_rank **rank,
                                struct sp_halo_map *map, struct sp_error *err)
{
    const struct sp_scaling_request *q = &s->request;
    struct sp_distribution d = {.sizes = sp_sizes_of(q->precision, q->index, (double)a->n_nz / ask->ranks->n),
                                .w = q->w,
                                .r = ask->r,
                                .per_node = ask->per_node,
                                .n_threads = ask->n_threads,
                                .warm = !q->cold,
                                .machine = q->machine,
                                .network = q->network};
    struct sp_halo halo;
    struct sp_local_loads loads = {0};
    enum sp_status status = sp_halo_make(a, ask->ranks, false, progress, &halo, err);
    if (status == SP_OK && ask->simulate && q->machine) {
        status = sp_local_loads_make(a, ask->ranks, &halo, &d, q->precision, progress, &loads, err);
        d.local_loads = loads.local;
        d.remote_loads = loads.remote;
        d.local_core_s = loads.local_core_s;
        d.remote_core_s = loads.remote_core_s;
    }
    if (status == SP_OK)
        status = sp_distributed_make(&halo, &d, out, err);
    if (status == SP_OK && map)
        status = map_halo(&halo, ask->r * d.sizes.s_x, map, err);
    if (status == SP_OK && rank) {
        *rank = halo.rank;
        halo.rank = NULL;
    }
    out->n_simulated = loads.n_simulated;
    sp_local_loads_free(&loads);
    sp_halo_free(&halo);
    return status;
}

static enum sp_status make_count(struct sp_scaling *s, const struct sp_csr *a, const char *partition,
                                 int n_ranks, const struct sp_progress *progress, struct sp_distributed *out,
                                 struct sp_halo_rank **rank, struct sp_halo_map *map, struct sp_error *err)
{
    char what[64];
    struct sp_ranks ranks;
    snprintf(what, sizeof what, "dividing rows over %d ranks", n_ranks);
    sp_progress_step(progress, what, -1);
    enum sp_status status = sp_scaling_divide(partition, a, n_ranks, &ranks, err);
    const struct sp_scaling_ask ask = {&ranks, s->request.per_node, s->request.n_threads, 1,
                                       s->request.simulate};
    if (status == SP_OK)
        status = sp_scaling_count(s, a, &ask, progress, out, rank, map, err);
    sp_ranks_free(&ranks);
    return status;
}

/* ---- the curve ---- */

struct sp_value sp_scaling_speedup(const struct sp_scaling *s, int i)
{
    const struct sp_value one = s->node.time_s, t = s->count[i].time_s;
    if (!sp_value_known(one) || !sp_value_known(t) || !(t.value > 0))
        return sp_value_none(sp_value_known(one) ? t.why : one.why);
    return sp_value_of(one.value / t.value, SP_MODELLED);
}

static void read_curve(struct sp_scaling *s)
{
    s->takes_over = s->fastest = s->worth = -1;
    for (int i = 0; i < s->n; i++) {
        const struct sp_distributed *c = &s->count[i];
        if (!sp_value_known(c->time_s))
            continue;
        if (s->takes_over < 0 && c->exchange_s.value > c->own_s.value)
            s->takes_over = i;
        if (s->fastest < 0 || c->time_s.value < s->count[s->fastest].time_s.value)
            s->fastest = i;
        if (sp_value_known(c->efficiency) && c->efficiency.value >= 0.5)
            s->worth = i;
    }
    s->examined = s->takes_over >= 0 ? s->takes_over : s->n - 1;
}

static enum sp_status choose_counts(struct sp_scaling *s, const struct sp_csr *a, struct sp_error *err)
{
    struct sp_scaling_request *q = &s->request;
    if (q->per_node <= 0)
        q->per_node = q->machine ? sp_ranks_of_node(q->machine, q->n_threads) : SP_MAX_RANKS;
    if (q->n_counts > 0)
        return SP_OK;
    struct sp_ranks d;
    enum sp_status status = sp_scaling_divide(q->partition, a, 0, &d, err);
    if (status == SP_OK) {
        q->count[0] = d.n;
        q->n_counts = 1;
    }
    sp_ranks_free(&d);
    return status;
}

/* A node full of ranks; a partition file has one number of parts, rows take its place. */
static enum sp_status make_node(struct sp_scaling *s, const struct sp_csr *a,
                                const struct sp_progress *progress, struct sp_error *err)
{
    const struct sp_scaling_request *q = &s->request;
    if (!q->machine || !q->network)
        return SP_OK;
    return make_count(s, a, sp_division_of(q->partition) ? q->partition : "rows", q->per_node, progress,
                      &s->node, NULL, NULL, err);
}

/* Ranks of one node alone have no network between nodes to be described. */
static enum sp_status check_network(const struct sp_scaling *s, struct sp_error *err)
{
    const struct sp_scaling_request *q = &s->request;
    if (!q->network || sp_value_known(q->network->between.latency_s) ||
        q->count[q->n_counts - 1] <= q->per_node)
        return SP_OK;
    return sp_fail(err, SP_USAGE, "name a network between nodes, too: " SP_O_NETWORK " slingshot-10,shm",
                   "%d ranks are on %d nodes, and %s describes messages inside one",
                   q->count[q->n_counts - 1], (q->count[q->n_counts - 1] + q->per_node - 1) / q->per_node,
                   q->network->name);
}

enum sp_status sp_scaling_make(const struct sp_scaling_request *request, const struct sp_csr *a,
                               const char *name, const struct sp_progress *progress, struct sp_scaling *s,
                               struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->request = *request;
    s->n_r = a->n_r;
    s->n_c = a->n_c;
    s->n_nz = a->n_nz;
    snprintf(s->name, sizeof s->name, "%s", name);
    enum sp_status status = choose_counts(s, a, err);
    if (status == SP_OK)
        status = check_network(s, err);
    for (int i = 0; status == SP_OK && i < s->request.n_counts; i++, s->n++)
        status = make_count(s, a, request->partition, s->request.count[i], progress, &s->count[i],
                            &s->ranks[i], i == s->request.n_counts - 1 ? &s->map : NULL, err);
    if (status == SP_OK)
        status = make_node(s, a, progress, err);
    if (status == SP_OK) {
        read_curve(s);
        s->best = -1;
    }
    if (status == SP_OK && request->remedies && request->machine && request->network)
        status = sp_scaling_remedies(a, progress, s, err);
    if (status != SP_OK)
        sp_scaling_free(s);
    return status;
}
