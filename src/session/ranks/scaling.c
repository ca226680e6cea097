/* Strong scaling of a distributed SpMV, predicted. */
#include "session/ranks/scaling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "io/ranks/rank_files.h"
#include "model/gather.h"
#include "model/unit_costs.h"
#include "model/volume/traffic.h"
#include "session/record/parts.h"
#include "sparse/formats/format_ids.h"
#include "sparse/reorder/reorder.h"

/* What would make a distributed SpMV faster, by the same model. */

void sp_local_loads_free(struct sp_local_loads *l)
{
    if (!l)
        return;
    free(l->local);
    free(l->remote);
    free(l->local_core_s);
    free(l->remote_core_s);
    memset(l, 0, sizeof *l);
}

struct simulation {
    const struct sp_distribution *d;
    const struct sp_workload *of; /* precision, index and row pointers */
    const struct sp_progress *progress;
    int n_ranks;               /* of a node */
    struct sp_machine machine; /* whose last level is one rank's share; borrows the ceilings */
    struct sp_machine plain;   /* the same with times of rows of plain loops alone, where there are any */
};

static bool tell(void *context, double share)
{
    const struct simulation *s = context;
    (void)share;
    return sp_progress_interrupted(s->progress);
}

/* Of a layout's rows in the core, and of gathers from beyond the innermost cache where all n_ranks
 * of the node do the same [s]: ends of rows that are not foretold and gathers hide behind each
 * other, as in sp_expected_time(). What the machine does not describe is 0. */
static enum sp_status core_of(const struct simulation *s, const struct sp_machine *machine,
                              const struct sp_layout *layout, const struct sp_sim_options *options,
                              const struct sp_traffic *traffic, int n_levels, double *core_s,
                              struct sp_error *err)
{
    double ahead = 0;
    *core_s = 0;
    enum sp_status status = sp_gather_ahead(layout, options, &ahead, err);
    if (status != SP_OK)
        return status;
    const struct sp_gather_roof roof =
        sp_gather_roof_of_layout(&s->machine, layout, traffic, n_levels, ahead, s->n_ranks * s->d->n_threads);
    const struct sp_value beyond = sp_gather_beyond_first(&roof);
    const double wait_s = sp_value_known(beyond) ? s->n_ranks * beyond.value : 0;
    struct sp_unit_time units;
    status = sp_unit_time_of(machine, layout, &units, err);
    if (status != SP_OK || !sp_value_known(units.time_s)) {
        *core_s = wait_s;
        return status;
    }
    const double ends_s = sp_value_known(units.surprise_s) ? units.surprise_s.value : 0;
    *core_s = units.time_s.value - ends_s + fmax(ends_s, wait_s);
    return SP_OK;
}

/* x that a block loads, over each of its n elements once, and how long it is in the core of
 * `machine`. */
static enum sp_status simulate_block(const struct simulation *s, const struct sp_machine *machine,
                                     const struct sp_csr *block, double n, bool in_memory, double *loads,
                                     double *core_s, struct sp_error *err)
{
    struct sp_workload w = {.op = SP_OP_SPMV,
                            .format = SP_FORMAT_CRS,
                            .precision = s->of->precision,
                            .index = s->of->index,
                            .row_ptr_B = s->of->row_ptr_B,
                            .schedule = SP_SCHEDULE_NNZ,
                            .n_threads = s->d->n_threads,
                            .matrix = block};
    struct sp_layout layout;
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    if (block->n_nz == 0 || block->n_r == 0)
        return SP_OK;
    enum sp_status status = sp_layout_make(&w, false, NULL, &layout, err);
    if (status != SP_OK)
        return status;
    struct sp_sim_options options = sp_sim_default(&s->machine);
    options.n_domain = 1;
    options.state = s->d->warm ? SP_SIM_WARM : SP_SIM_COLD;
    options.progress = tell;
    options.context = (void *)s;
    status = sp_sim_traffic(&layout, &options, traffic, &n_levels, NULL, err);
    if (status == SP_OK && in_memory)
        *loads = sp_traffic_alpha(&layout, &traffic[n_levels - 1]) * (double)block->n_nz / n;
    if (status == SP_OK)
        status = core_of(s, machine, &layout, &options, traffic, n_levels, core_s, err);
    sp_layout_free(&layout);
    return status;
}

/* Only the rows with entries, in place. */
static void compress(struct sp_csr *block)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < block->n_r; i++)
        if (block->row_ptr[i + 1] > block->row_ptr[i])
            block->row_ptr[++kept] = block->row_ptr[i + 1];
    block->n_r = kept;
}

static enum sp_status simulate_rank(struct simulation *s, const struct sp_csr *a,
                                    const struct sp_ranks *ranks, const struct sp_halo *halo, int p,
                                    struct sp_local_loads *out, struct sp_error *err)
{
    const struct sp_halo_rank *rank = &halo->rank[p];
    const struct sp_block_bytes once = sp_block_bytes_of(rank, s->d, 1, 1);
    const struct sp_residence home =
        sp_rank_residence(s->d, s->n_ranks, once.local_B + once.remote_B + once.pack_B);
    const bool in_memory = home.level >= s->d->machine->n_caches;
    struct sp_rank_part part;
    out->local[p] = out->remote[p] = 1;
    enum sp_status status = sp_rank_part_make(a, ranks, p, &part, err);
    if (status == SP_OK)
        status = simulate_block(s, &s->machine, &part.local, (double)rank->local_columns, in_memory,
                                &out->local[p], &out->local_core_s[p], err);
    const int64_t n_r = part.remote.n_r;
    if (status == SP_OK && sp_remote_is_compressed(rank))
        compress(&part.remote);
    if (status == SP_OK)
        status = simulate_block(s, &s->plain, &part.remote, (double)rank->n_recv, in_memory, &out->remote[p],
                                &out->remote_core_s[p], err);
    part.remote.n_r = n_r; /* as it was allocated */
    sp_rank_part_free(&part);
    return status;
}

static int longest_rank(const struct sp_halo *halo)
{
    int longest = 0;
    for (int p = 1; p < halo->n_ranks; p++)
        if (halo->rank[p].local_nz + halo->rank[p].remote_nz >
            halo->rank[longest].local_nz + halo->rank[longest].remote_nz)
            longest = p;
    return longest;
}

/* Sample k of n_samples of all ranks; the last one is the longest rank. */
static int sample(const struct sp_halo *halo, int k, int n_samples)
{
    if (n_samples == halo->n_ranks)
        return k;
    return k == n_samples - 1 ? longest_rank(halo) : (int)((int64_t)k * halo->n_ranks / (n_samples - 1));
}

/* Means of those that were simulated: loads, and seconds in the core of an entry. */
struct means {
    double local, remote, local_s, remote_s;
};

static double per_entry(double seconds, int64_t n)
{
    return n > 0 ? seconds / (double)n : 0;
}

static void add_sample(const struct sp_halo_rank *rank, const struct sp_local_loads *out, int p,
                       struct means *m)
{
    m->local += out->local[p] / out->n_simulated;
    m->remote += out->remote[p] / out->n_simulated;
    m->local_s += per_entry(out->local_core_s[p], rank->local_nz) / out->n_simulated;
    m->remote_s += per_entry(out->remote_core_s[p], rank->remote_nz) / out->n_simulated;
}

/* Ranks that were not simulated take the means. */
static void fill_in(const struct sp_halo *halo, const struct means *m, struct sp_local_loads *out)
{
    for (int p = 0; p < halo->n_ranks; p++) {
        if (out->local[p] >= 0)
            continue;
        out->local[p] = m->local;
        out->remote[p] = m->remote;
        out->local_core_s[p] = m->local_s * (double)halo->rank[p].local_nz;
        out->remote_core_s[p] = m->remote_s * (double)halo->rank[p].remote_nz;
    }
}

static enum sp_status simulate_samples(struct simulation *s, const struct sp_csr *a,
                                       const struct sp_ranks *ranks, const struct sp_halo *halo,
                                       struct sp_local_loads *out, struct sp_error *err)
{
    const int n = halo->n_ranks;
    struct means means = {0};
    enum sp_status status = SP_OK;
    out->n_simulated = n <= SP_SIMULATED_RANKS ? n : SP_SIMULATED_RANKS;
    for (int p = 0; p < n; p++)
        out->local[p] = -1; /* not simulated */
    for (int k = 0; status == SP_OK && k < out->n_simulated; k++) {
        int p = sample(halo, k, out->n_simulated);
        while (out->local[p] >= 0) /* the longest one was among those before */
            p = (p + 1) % n;
        sp_progress_step(s->progress, "simulating ranks", (double)k / out->n_simulated);
        status = simulate_rank(s, a, ranks, halo, p, out, err);
        add_sample(&halo->rank[p], out, p, &means);
    }
    if (status == SP_OK)
        fill_in(halo, &means, out);
    return status;
}

static void keep_plain(struct sp_machine *m)
{
    int n = 0, kept = 0;
    for (int i = 0; i < m->n_units; i++)
        n += sp_unit_is_plain(&m->unit[i]);
    for (int i = 0; n > 0 && i < m->n_units; i++)
        if (sp_unit_is_plain(&m->unit[i]))
            m->unit[kept++] = m->unit[i];
    m->n_units = n > 0 ? kept : m->n_units;
}

static enum sp_status new_numbers(int n, double **to, struct sp_error *err)
{
    void *p;
    const enum sp_status status = sp_new_array(n, sizeof **to, "ranks", &p, err);
    *to = p;
    return status;
}

enum sp_status sp_local_loads_make(const struct sp_csr *a, const struct sp_ranks *ranks,
                                   const struct sp_halo *halo, const struct sp_distribution *d,
                                   const struct sp_workload *of, const struct sp_progress *progress,
                                   struct sp_local_loads *out, struct sp_error *err)
{
    struct simulation s = {.d = d, .of = of, .progress = progress, .machine = *d->machine};
    double **const numbers[] = {&out->local, &out->remote, &out->local_core_s, &out->remote_core_s};
    enum sp_status status = SP_OK;
    s.n_ranks = d->per_node < ranks->n ? d->per_node : ranks->n;
    memset(out, 0, sizeof *out);
    if (s.machine.n_caches > 0) {
        struct sp_cache *last = &s.machine.cache[s.machine.n_caches - 1];
        last->size_B = sp_cache_believed_B(last) / sp_ranks_of_domain(d, s.n_ranks);
        last->effective_B = sp_value_none("one rank's share");
    }
    s.plain = s.machine;
    keep_plain(&s.plain);
    for (int i = 0; i < 4 && status == SP_OK; i++)
        status = new_numbers(ranks->n, numbers[i], err);
    if (status == SP_OK)
        status = simulate_samples(&s, a, ranks, halo, out, err);
    if (status != SP_OK)
        sp_local_loads_free(out);
    return status;
}

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

/* What remedies there are at the examined count, into s->remedy. */
static enum sp_status scaling_remedies(const struct sp_csr *a, const struct sp_progress *progress,
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
    const struct sp_workload *w = &q->workload;
    const struct sp_sizes sizes = sp_sizes_of(w->precision, w->index, (double)a->n_nz / ask->ranks->n);
    struct sp_distribution d = {.sizes = sp_sizes_with_pointers(sizes, w->row_ptr_B),
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
        status = sp_local_loads_make(a, ask->ranks, &halo, &d, w, progress, &loads, err);
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
    snprintf(what, sizeof what, "dividing rows over %d rank%s", n_ranks, n_ranks == 1 ? "" : "s");
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
        status = scaling_remedies(a, progress, s, err);
    if (status != SP_OK)
        sp_scaling_free(s);
    return status;
}

/* Strong scaling as data: the part `scaling` of a record. */

static void put_number(json_t *o, const char *key, double x)
{
    json_object_set_new(o, key, sp_json_number(x));
}

static void put_count(json_t *o, const char *key, int64_t n)
{
    json_object_set_new(o, key, json_integer((json_int_t)n));
}

static void put_value(json_t *o, const char *key, struct sp_value v)
{
    put_number(o, key, sp_value_known(v) ? v.value : NAN);
}

/* Numbers of each rank in a list. */
struct columns {
    json_t *object;
    const struct sp_distributed *count;
    const struct sp_halo_rank *rank;
};

static double of_size(const struct sp_halo_rank *r, int column)
{
    const double number[] = {(double)r->n_r,       (double)(r->local_nz + r->remote_nz),
                             (double)r->remote_nz, (double)r->local_columns,
                             (double)r->n_recv,    (double)r->n_senders,
                             (double)r->n_readers};
    return number[column];
}

static double of_cost(const struct sp_rank_cost *c, int column)
{
    const double number[] = {
        c->recv_B, c->sent_B, c->between_B,  c->between_n, c->local_B + c->remote_B + c->pack_B,
        c->own_s,  c->pack_s, c->exchange_s, c->time_s,    c->overlapped_s};
    return number[column];
}

static json_t *columns_of(const struct sp_distributed *count, const struct sp_halo_rank *rank, bool timed)
{
    static const char *const sizes[] = {"rows",        "nnz",     "remote_nnz", "local_cols",
                                        "remote_cols", "senders", "readers",    NULL};
    static const char *const costs[] = {"recv_B",  "sent_B",       "off_node_B", "off_node_messages",
                                        "moved_B", "own_s",        "pack_s",     "exchange_s",
                                        "time_s",  "overlapped_s", NULL};
    enum { UNTIMED = 5 };
    json_t *o = json_object();
    for (int i = 0; sizes[i]; i++) {
        json_t *list = json_array();
        for (int p = 0; p < count->n_ranks; p++)
            json_array_append_new(list, json_integer((json_int_t)of_size(&rank[p], i)));
        json_object_set_new(o, sizes[i], list);
    }
    for (int i = 0; costs[i] && (timed || i < UNTIMED); i++) {
        json_t *list = json_array();
        for (int p = 0; p < count->n_ranks; p++)
            json_array_append_new(list, sp_json_number(of_cost(&count->rank[p], i)));
        json_object_set_new(o, costs[i], list);
    }
    return o;
}

static json_t *count_object(const struct sp_scaling *s, int i)
{
    const struct sp_distributed *c = &s->count[i];
    json_t *o = json_object();
    put_count(o, "ranks", c->n_ranks);
    put_count(o, "nodes", c->n_nodes);
    put_number(o, "rows_imbalance", c->rows_imbalance);
    put_number(o, "nnz_imbalance", c->nz_imbalance);
    put_number(o, "halo_B", c->halo_B);
    put_number(o, "off_node_B", c->between_B);
    put_count(o, "messages", c->n_messages);
    put_count(o, "off_node_messages", c->n_between);
    put_number(o, "most_recv_B", c->most_recv_B);
    put_number(o, "most_sent_B", c->most_sent_B);
    put_count(o, "most_messages", c->most_neighbours);
    put_number(o, "moved_B", c->moved_B);
    put_value(o, "own_s", c->own_s);
    put_value(o, "mean_own_s", c->mean_own_s);
    put_value(o, "exchange_s", c->exchange_s);
    put_value(o, "time_s", c->time_s);
    put_value(o, "overlapped_s", c->overlapped_s);
    put_value(o, "efficiency", c->efficiency);
    put_value(o, "speedup", sp_scaling_speedup(s, i));
    if (c->level) {
        put_count(o, "slowest", c->slowest);
        json_object_set_new(o, "level", json_string(c->level));
    }
    if (c->n_simulated > 0)
        put_count(o, "simulated", c->n_simulated);
    json_object_set_new(o, "per_rank", columns_of(c, s->ranks[i], sp_value_known(c->time_s)));
    return o;
}

static json_t *remedy_object(const struct sp_remedy *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(r->name));
    json_object_set_new(o, "how", json_string(r->how));
    if (*r->why_not) {
        json_object_set_new(o, "why_not", json_string(r->why_not));
        return o;
    }
    put_number(o, "time_s", r->time_s);
    put_number(o, "gain", r->gain);
    return o;
}

/* Cells that are not empty. */
static json_t *map_object(const struct sp_scaling *s)
{
    const struct sp_halo_map *m = &s->map;
    json_t *o = json_object(), *cells = json_array();
    put_count(o, "ranks", s->count[s->n - 1].n_ranks);
    put_count(o, "ranks_of_bin", m->ranks_of_bin);
    put_count(o, "bins", m->n_bins);
    for (int to = 0; to < m->n_bins; to++)
        for (int from = 0; from < m->n_bins; from++) {
            const double bytes = m->bytes[to * m->n_bins + from];
            if (bytes > 0)
                json_array_append_new(cells, json_pack("[i, i, f]", to, from, bytes));
        }
    json_object_set_new(o, "cells", cells);
    return o;
}

static void set_place(struct sp_record *r, enum sp_record_field field, const struct sp_scaling *s, int i)
{
    if (i >= 0)
        sp_record_set_count(r, field, s->count[i].n_ranks);
    else
        sp_record_set_object(r, field, json_null());
}

static void set_request(const struct sp_scaling *s, struct sp_record *r)
{
    const struct sp_scaling_request *q = &s->request;
    sp_record_set_text(r, SP_F_SCALING_PARTITION, q->partition);
    sp_record_set_count(r, SP_F_SCALING_RANKS_PER_NODE, q->per_node);
    sp_record_set_count(r, SP_F_SCALING_THREADS, q->n_threads);
    sp_record_set_text(r, SP_F_SCALING_X, q->simulate ? "simulated" : "once");
    if (q->network) {
        sp_record_set_text(r, SP_F_SCALING_NETWORK, q->network->name);
        sp_record_set_text(r, SP_F_SCALING_NETWORK_SOURCE, q->network->source);
    }
}

enum sp_status sp_scaling_record(const struct sp_scaling *s, const char *command, struct sp_record *r,
                                 struct sp_error *err)
{
    const struct sp_scaling_request *q = &s->request;
    enum sp_status status = sp_record_new(s->name, r, err);
    if (status != SP_OK)
        return status;
    sp_record_set_text(r, SP_F_STATUS, "modelled");
    sp_record_set_text(r, SP_F_COMMAND, command);
    if (q->machine)
        sp_record_machine(r, q->machine);
    sp_record_set_text(r, SP_F_PROBLEM_NAME, s->name);
    sp_record_set_count(r, SP_F_PROBLEM_ROWS, s->n_r);
    sp_record_set_count(r, SP_F_PROBLEM_COLS, s->n_c);
    sp_record_set_count(r, SP_F_PROBLEM_NNZ, s->n_nz);
    sp_record_set_text(r, SP_F_CONFIG_OP, sp_op_name(SP_OP_SPMV));
    sp_record_set_text(r, SP_F_CONFIG_FORMAT, sp_format_name(SP_FORMAT_CRS));
    sp_record_set_text(r, SP_F_CONFIG_PRECISION, sp_precision_name(q->workload.precision));
    sp_record_set_text(r, SP_F_CONFIG_INDEX, sp_index_name(q->workload.index));
    sp_record_set_count(r, SP_F_CONFIG_THREADS, q->n_threads);
    sp_record_set_text(r, SP_F_CONFIG_CACHE, q->cold ? "cold" : "warm");
    set_request(s, r);
    sp_record_set_object(r, SP_F_SCALING_COUNTS, json_array());
    for (int i = 0; i < s->n; i++)
        sp_record_append(r, SP_F_SCALING_COUNTS, count_object(s, i));
    if (sp_value_known(s->node.time_s))
        sp_record_set_number(r, SP_F_SCALING_NODE_S, s->node.time_s.value);
    set_place(r, SP_F_SCALING_TAKES_OVER, s, s->takes_over);
    set_place(r, SP_F_SCALING_FASTEST, s, s->fastest);
    set_place(r, SP_F_SCALING_WORTH, s, s->worth);
    sp_record_set_object(r, SP_F_SCALING_HALO, map_object(s));
    for (int i = 0; i < s->n_remedies; i++)
        sp_record_append(r, SP_F_SCALING_REMEDIES, remedy_object(&s->remedy[i]));
    if (s->n_remedies > 0)
        sp_record_set_count(r, SP_F_SCALING_EXAMINED, s->count[s->examined].n_ranks);
    return SP_OK;
}
