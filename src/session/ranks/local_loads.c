#include "session/ranks/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/gather.h"
#include "model/unit_costs.h"
#include "model/volume/traffic.h"
#include "sparse/formats/format_ids.h"

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
    enum sp_precision precision;
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
                            .precision = s->precision,
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
        const int p = sample(halo, k, out->n_simulated);
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
                                   enum sp_precision precision, const struct sp_progress *progress,
                                   struct sp_local_loads *out, struct sp_error *err)
{
    struct simulation s = {.d = d, .precision = precision, .progress = progress, .machine = *d->machine};
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
