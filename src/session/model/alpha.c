#include "session/model/case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/cache/capacity.h"
#include "model/cache/reuse.h"
#include "model/gather.h"
#include "model/volume/traffic.h"

double sp_model_w(const struct sp_model_request *request, const struct sp_machine *machine)
{
    return request->w > 0 ? request->w : machine->kind == SP_GPU ? 1 : 2;
}

static int line_of(const struct sp_machine *m)
{
    const struct sp_cache *llc = sp_machine_llc(m);
    return llc && llc->line_B > 0 ? sp_cache_granule_B(llc) : 64;
}

/* The cache that a thread's data pass into: its last-level domain when they come from memory, an
 * instance of the next level inward when they live in a cache. */
static int receiver_of(const struct sp_machine *m, int home, int thread)
{
    if (home >= m->n_caches)
        return sp_machine_domain_of(m, thread);
    int sharing = home > 0 ? m->cache[home - 1].cores_sharing : 1;
    return thread / (sharing > 1 ? sharing : 1);
}

struct simulation {
    const struct sp_model_request *request;
    const struct sp_layout *layout;
    const struct sp_progress *progress;
    struct sp_model_row *row;
    struct sp_seen_alphas *seen;
    const int *domain;   /* [threads] last-level domain */
    const int *receiver; /* [threads] instance of the cache in front of the data's home */
    int n_receivers;
    int n_idle; /* levels from the data's home inward into which next to nothing comes */
    char what[96];
};

static bool tell(void *context, double share)
{
    const struct simulation *s = context;
    sp_progress_step(s->progress, s->what, share);
    return sp_progress_interrupted(s->progress);
}

/* Walks of page tables by gathers. */
static enum sp_status count_walks(struct simulation *s, const struct sp_sim_options *options,
                                  struct sp_error *err)
{
    const bool is_spmv = s->layout->op == SP_OP_SPMV;
    s->row->pages =
        is_spmv ? sp_page_costs_for(s->row->machine, !s->request->small_pages, s->row->n_threads) : NULL;
    if (s->row->pages && s->row->n_walks < 0)
        return sp_page_walks(s->layout, s->row->pages, options, &s->row->n_walks, err);
    return SP_OK;
}

/* Where gathers come from; lines that hardware fetches ahead count as the first level's, as in an
 * analysis. */
static enum sp_status find_gathers(struct simulation *s, const struct sp_sim_options *options,
                                   struct sp_error *err)
{
    struct sp_model_row *row = s->row;
    enum sp_status status = SP_OK;
    if (s->layout->op == SP_OP_SPMV && row->gather_ahead < 0)
        status = sp_gather_ahead(s->layout, options, &row->gather_ahead, err);
    if (status == SP_USAGE || status == SP_ABSENT) { /* no such trace: nothing is fetched ahead */
        row->gather_ahead = 0;
        status = SP_OK;
    }
    if (status == SP_OK)
        row->gather = sp_gather_roof_of_layout(options->machine, s->layout, row->traffic, row->n_traffic,
                                               fmax(0, row->gather_ahead), row->n_threads);
    return status;
}

/* The same with every division of the last level's ways. */
static enum sp_status divide(struct simulation *s, const struct sp_sim_options *options, struct sp_error *err)
{
    struct sp_machine m = *options->machine;
    struct sp_sim_options divided = *options;
    m.cache[m.n_caches - 1].partition = (struct sp_way_partition){.ways = 1, .arrays = s->request->divide};
    divided.machine = &m;
    return sp_sim_ways(s->layout, &divided, &s->row->ways, err);
}

static enum sp_status run_simulator(struct simulation *s, const struct sp_machine *machine, bool last_level,
                                    int home, double *alpha, struct sp_error *err)
{
    struct sp_sim_options options = sp_sim_default(machine);
    options.llc_only = last_level;
    options.n_domain = last_level ? s->n_receivers : s->row->n_domains;
    options.domain_of_thread = last_level ? s->receiver : s->domain;
    options.state = s->request->cold ? SP_SIM_COLD : SP_SIM_WARM;
    options.store_nt = sp_model_w(s->request, s->row->machine) == 1;
    options.progress = tell;
    options.context = s;
    snprintf(s->what, sizeof s->what, "simulating %.24s on %.48s", s->row->format, s->row->machine->name);
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    enum sp_status status = sp_sim_traffic(s->layout, &options, traffic, &n_levels, NULL, err);
    if (status != SP_OK)
        return status;
    /* traffic[k] crosses into level k + 1, so data at home in cache[h] come through traffic[h - 1];
     * out of the first level every access moves its element. */
    if (!last_level && n_levels == machine->n_caches) {
        memcpy(s->row->traffic, traffic, sizeof traffic);
        s->row->n_traffic = n_levels;
    }
    if (!last_level && s->request->divide && (status = divide(s, &options, err)) != SP_OK)
        return status;
    if (!last_level && machine->kind == SP_CPU && (status = count_walks(s, &options, err)) != SP_OK)
        return status;
    if (!last_level && machine->kind == SP_CPU && (status = find_gathers(s, &options, err)) != SP_OK)
        return status;
    int k = last_level || home >= n_levels ? n_levels - 1 : home - 1;
    *alpha = k >= 0 ? sp_traffic_alpha(s->layout, &traffic[k]) : 1;
    for (s->n_idle = 0; k >= 0 && sp_traffic_is_idle(s->layout, &traffic[k]); k--)
        s->n_idle++;
    return SP_OK;
}

/* Only the cache in front of home, at a capacity; equal ones are looked up. */
static enum sp_status simulate_last(struct simulation *s, int home, int64_t capacity_B, double *alpha,
                                    struct sp_error *err)
{
    const struct sp_machine *m = s->row->machine;
    struct sp_machine one = {.kind = m->kind, .n_caches = 1};
    one.cache[0] = m->cache[home - 1];
    one.cache[0].size_B = capacity_B;
    one.cache[0].effective_B = sp_value_none("given");
    memcpy(one.name, m->name, sizeof one.name);
    const struct sp_cache *c = &one.cache[0];
    int64_t figures[] = {capacity_B,
                         sp_cache_granule_B(c),
                         c->policy,
                         c->policy == SP_LRU ? 0 : c->ways,
                         s->n_receivers,
                         sp_model_w(s->request, m) == 1,
                         c->partition.arrays,
                         c->partition.ways > 0 ? c->partition.ways * 1000 + c->ways : 0,
                         sp_overflow_is_of(c) ? c->ways : 0};
    size_t size = (size_t)s->layout->partition.n_threads * sizeof *s->receiver;
    uint64_t key = sp_hash64(s->receiver, size, sp_hash64(figures, sizeof figures, 0));
    for (int i = 0; i < s->seen->n; i++)
        if (s->seen->key[i] == key) {
            *alpha = s->seen->alpha[i];
            s->n_idle = s->seen->n_idle[i];
            return SP_OK;
        }
    enum sp_status status = run_simulator(s, &one, true, home, alpha, err);
    if (status == SP_OK && s->seen->n < SP_MAX_SEEN_ALPHAS) {
        s->seen->key[s->seen->n] = key;
        s->seen->n_idle[s->seen->n] = s->n_idle;
        s->seen->alpha[s->seen->n++] = *alpha;
    }
    return status;
}

static bool is_interval(const struct sp_cache *c)
{
    return sp_value_known(c->effective_B) && c->effective_B.lo < c->effective_B.hi;
}

/* The effective capacity is somewhere between the ends of its interval, of which half and all of
 * the nominal size are known of a GPU's L2 without measurement: both give the band. */
static enum sp_status simulate_band(struct simulation *s, int home, struct sp_error *err)
{
    const struct sp_cache *c = &s->row->machine->cache[home - 1];
    double alpha = 0, lo, hi;
    enum sp_status status = simulate_last(s, home, sp_cache_believed_B(c), &alpha, err);
    lo = hi = alpha;
    int n_idle = s->n_idle;
    if (status == SP_OK && (s->row->machine->kind == SP_GPU || is_interval(c))) {
        bool known = sp_value_known(c->effective_B);
        status = simulate_last(s, home, sp_cache_most_B(c), &lo, err);
        if (status == SP_OK)
            status = simulate_last(s, home, known ? (int64_t)c->effective_B.lo : c->size_B / 2, &hi, err);
    }
    s->n_idle = n_idle;
    if (status == SP_OK)
        s->row->alpha =
            sp_value_between(alpha, lo < alpha ? lo : alpha, hi > alpha ? hi : alpha, SP_SIMULATED);
    return status;
}

/* Was it measured that the cache keeps lines by chance? Then it is no LRU, and x does not stay as
 * surely as the simulation says. */
static bool keeps_by_chance(const struct sp_cache *c)
{
    return c->policy == SP_LRU && sp_value_known(c->cycle_B) && c->cycle_B.value > 0 &&
           c->keeping == SP_KEEPS_BY_CHANCE;
}

/* The same of a simulation of all levels, from the reuse distances. */
static enum sp_status look_at_reuse(struct simulation *s, struct sp_error *err)
{
    const struct sp_cache *llc = sp_machine_llc(s->row->machine);
    struct sp_reuse reuse;
    const struct sp_reuse_options o = {.line_B = line_of(s->row->machine),
                                       .n_domain = s->row->n_domains,
                                       .domain_of_thread = s->domain,
                                       .store_nt = sp_model_w(s->request, s->row->machine) == 1,
                                       .progress = tell,
                                       .context = s};
    enum sp_status status = sp_reuse_curve(s->layout, &o, &reuse, err);
    if (status != SP_OK)
        return status;
    if (is_interval(llc))
        sp_reuse_widen(&reuse, llc->effective_B, s->request->cold, &s->row->alpha, NULL);
    if (keeps_by_chance(llc) && !s->request->cold)
        s->row->alpha_by_chance = sp_reuse_alpha_by_chance(&reuse, llc->cycle_B.value);
    sp_reuse_free(&reuse);
    return SP_OK;
}

static enum sp_status simulate(struct simulation *s, struct sp_error *err)
{
    struct sp_model_row *row = s->row;
    const struct sp_machine *m = row->machine;
    int home = row->prediction.home;
    bool last_level = s->request->last_level || m->kind == SP_GPU;
    enum sp_status status = SP_OK;
    double alpha = 1;
    if (last_level && m->n_caches > 0 && home > 0)
        status = simulate_band(s, home, err);
    else if (!last_level || m->n_caches == 0)
        status = run_simulator(s, m, false, home, &alpha, err);
    if (status != SP_OK)
        return status;
    if (!(last_level && home > 0))
        row->alpha = sp_value_of(alpha, SP_SIMULATED);
    const bool is_whole = m->n_caches == 0 || sp_machine_llc(m)->partition.ways <= 0;
    if (!last_level && home == m->n_caches && m->n_caches > 0 && s->n_idle == 0 && is_whole &&
        (is_interval(sp_machine_llc(m)) || keeps_by_chance(sp_machine_llc(m))))
        status = look_at_reuse(s, err);
    if (status != SP_OK)
        return status;
    const struct sp_cache *shown = m->n_caches > 0 ? &m->cache[home > 0 ? home - 1 : 0] : sp_machine_llc(m);
    const double MiB = (double)sp_cache_believed_B(shown) / 1048576;
    char which[24]; /* misses alpha counts */
    snprintf(which, sizeof which,
             last_level            ? "one level of"
             : home == m->n_caches ? "last level"
             : home > 0            ? "misses of L%d,"
                                   : "data in L%d,",
             shown->level);
    snprintf(row->note, sizeof row->note,
             MiB < 1 ? "alpha simulated, %s, %s %.4g KiB%s" : "alpha simulated, %s, %s %.1f MiB%s",
             s->request->cold ? "cold" : "warm", which, MiB < 1 ? 1024 * MiB : MiB,
             m->kind == SP_GPU ? ", rows in order" : "");
    return SP_OK;
}

static bool wants_simulation(const struct sp_model_request *request, const struct sp_machine *m)
{
    return request->alpha_kind == SP_ALPHA_SIM ||
           (request->alpha_kind == SP_ALPHA_DEFAULT && request->last_level && m->n_caches > 0);
}

/* Data in a GPU's L2 pass L1s that are not simulated: from once each to a sector an entry. */
static void alpha_from_L2(const struct sp_layout *layout, struct sp_model_row *row)
{
    double least = row->alpha_min.value;
    double most = sp_alpha_max(1, (double)layout->s_x, line_of(row->machine));
    row->alpha = sp_value_between(least, least, most > least ? most : least, SP_MODELLED);
    snprintf(row->note, sizeof row->note,
             "alpha modelled: every sector of x that is used, loaded once; the L1s are not simulated");
}

/* From the entries: the layout's lines of x, and the simulator where it is asked for. */
enum sp_status sp_model_alpha(const struct sp_model_request *request, const struct sp_layout *layout,
                              const struct sp_progress *progress, struct sp_seen_alphas *seen,
                              struct sp_model_row *row, struct sp_error *err)
{
    void *memory;
    int n = layout->partition.n_threads, n_receivers = 1, n_behind = 1;
    enum sp_status status = sp_new_array(3 * n, sizeof(int), "domains of threads", &memory, err);
    if (status != SP_OK)
        return status;
    int *domain = memory, *receiver = domain + n, *behind = receiver + n;
    for (int t = 0; t < n; t++) {
        domain[t] = sp_machine_domain_of(row->machine, t);
        receiver[t] = receiver_of(row->machine, row->prediction.residence.level, t);
        behind[t] = receiver_of(row->machine, row->prediction.home, t);
        n_receivers = receiver[t] >= n_receivers ? receiver[t] + 1 : n_receivers;
        n_behind = behind[t] >= n_behind ? behind[t] + 1 : n_behind;
    }
    struct sp_alpha_min least;
    status = sp_alpha_min_layout(layout, n_receivers, receiver, line_of(row->machine), 0, NULL, &least, err);
    if (status == SP_OK) {
        row->alpha = row->alpha_min = sp_value_of(least.alpha, SP_MODELLED);
        snprintf(row->note, sizeof row->note, "alpha modelled: every line of x that is used, loaded once%s",
                 n_receivers > 1 ? " by each cache" : "");
        struct simulation s = {.request = request,
                               .layout = layout,
                               .progress = progress,
                               .row = row,
                               .seen = seen,
                               .domain = domain,
                               .receiver = behind,
                               .n_receivers = n_behind};
        /* Where another level's roof stands in for that of the data's home, so does its traffic. */
        int home = row->prediction.home;
        bool stands_in = request->last_level && home < row->prediction.residence.level;
        bool in_L2 = row->machine->kind == SP_GPU && home < row->machine->n_caches;
        if (in_L2 && home == row->prediction.residence.level)
            alpha_from_L2(layout, row);
        else if (wants_simulation(request, row->machine) && !stands_in && !in_L2)
            status = simulate(&s, err);
        row->n_idle = s.n_idle;
    }
    free(domain);
    return status;
}
