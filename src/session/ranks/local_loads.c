#include "session/ranks/local_loads.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/volume/traffic.h"

void sp_local_loads_free(struct sp_local_loads *l)
{
    if (!l)
        return;
    free(l->local);
    free(l->remote);
    memset(l, 0, sizeof *l);
}

struct simulation {
    const struct sp_distribution *d;
    enum sp_precision precision;
    const struct sp_progress *progress;
    struct sp_machine machine; /* whose last level is one rank's share; borrows the ceilings */
};

static bool tell(void *context, double share)
{
    const struct simulation *s = context;
    (void)share;
    return sp_progress_interrupted(s->progress);
}

/* x that a block loads, over each of its n elements once. */
static enum sp_status simulate_block(const struct simulation *s, const struct sp_csr *block, double n,
                                     double *loads, struct sp_error *err)
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
    *loads = 1;
    if (block->n_nz == 0 || block->n_r == 0)
        return SP_OK;
    enum sp_status status = sp_layout_make(&w, false, NULL, &layout, err);
    if (status != SP_OK)
        return status;
    struct sp_sim_options options = sp_sim_default(&s->machine);
    options.llc_only = true;
    options.n_domain = 1;
    options.state = s->d->warm ? SP_SIM_WARM : SP_SIM_COLD;
    options.progress = tell;
    options.context = (void *)s;
    status = sp_sim_traffic(&layout, &options, traffic, &n_levels, NULL, err);
    if (status == SP_OK)
        *loads = sp_traffic_alpha(&layout, &traffic[n_levels - 1]) * (double)block->n_nz / n;
    sp_layout_free(&layout);
    return status;
}

static enum sp_status simulate_rank(struct simulation *s, const struct sp_csr *a,
                                    const struct sp_ranks *ranks, const struct sp_halo *halo, int p,
                                    struct sp_local_loads *out, struct sp_error *err)
{
    const struct sp_halo_rank *rank = &halo->rank[p];
    const int n = s->d->per_node < ranks->n ? s->d->per_node : ranks->n;
    const struct sp_block_bytes once = sp_block_bytes_of(rank, s->d, 1, 1);
    const struct sp_residence home = sp_rank_residence(s->d, n, once.local_B + once.remote_B + once.pack_B);
    struct sp_rank_part part;
    if (home.level < s->d->machine->n_caches)
        return SP_OK;
    enum sp_status status = sp_rank_part_make(a, ranks, p, &part, err);
    if (status == SP_OK)
        status = simulate_block(s, &part.local, (double)rank->local_columns, &out->local[p], err);
    if (status == SP_OK)
        status = simulate_block(s, &part.remote, (double)rank->n_recv, &out->remote[p], err);
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

static enum sp_status simulate_samples(struct simulation *s, const struct sp_csr *a,
                                       const struct sp_ranks *ranks, const struct sp_halo *halo,
                                       struct sp_local_loads *out, struct sp_error *err)
{
    const int n = halo->n_ranks;
    double local = 0, remote = 0;
    enum sp_status status = SP_OK;
    out->n_simulated = n <= SP_SIMULATED_RANKS ? n : SP_SIMULATED_RANKS;
    for (int k = 0; status == SP_OK && k < out->n_simulated; k++) {
        const int p = sample(halo, k, out->n_simulated);
        sp_progress_step(s->progress, "simulating ranks", (double)k / out->n_simulated);
        out->local[p] = out->remote[p] = 1;
        status = simulate_rank(s, a, ranks, halo, p, out, err);
        local += out->local[p] / out->n_simulated;
        remote += out->remote[p] / out->n_simulated;
    }
    for (int p = 0; p < n; p++) {
        out->local[p] = out->local[p] > 0 ? out->local[p] : local;
        out->remote[p] = out->remote[p] > 0 ? out->remote[p] : remote;
    }
    return status;
}

enum sp_status sp_local_loads_make(const struct sp_csr *a, const struct sp_ranks *ranks,
                                   const struct sp_halo *halo, const struct sp_distribution *d,
                                   enum sp_precision precision, const struct sp_progress *progress,
                                   struct sp_local_loads *out, struct sp_error *err)
{
    struct simulation s = {.d = d, .precision = precision, .progress = progress, .machine = *d->machine};
    const int per_node = d->per_node < ranks->n ? d->per_node : ranks->n;
    void *p;
    memset(out, 0, sizeof *out);
    if (s.machine.n_caches > 0) {
        struct sp_cache *last = &s.machine.cache[s.machine.n_caches - 1];
        last->size_B = sp_cache_believed_B(last) / sp_ranks_of_domain(d, per_node);
        last->effective_B = sp_value_none("one rank's share");
    }
    enum sp_status status = sp_new_array(ranks->n, sizeof *out->local, "ranks", &p, err);
    out->local = p;
    if (status == SP_OK) {
        status = sp_new_array(ranks->n, sizeof *out->remote, "ranks", &p, err);
        out->remote = p;
    }
    if (status == SP_OK)
        status = simulate_samples(&s, a, ranks, halo, out, err);
    if (status != SP_OK)
        sp_local_loads_free(out);
    return status;
}
