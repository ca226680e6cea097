/* Counterfactuals: what other orders of rows and columns would save. Orders are found and looked at
 * on the matrix as it stands, by sampled reuse distances; only the best of them is applied and
 * simulated exactly. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "session/analyze/analysis.h"
#include "session/analyze/pcore.h"
#include "session/trial/apart.h"
#include "sparse/csr/permute.h"
#include "sparse/formats/format.h"
#include "sparse/reorder/reorder.h"
#include "sparse/structure/structure.h"

/* Reordering is tried when alpha could give at least this share of the traffic back ... */
#define REORDER_WORTH 0.05
/* ... or gathers that hit the innermost cache this share of the time. */
#define LATENCY_WORTH 0.15
/* All orders together are expected to take no longer than this [s], with --try-hints so many times
 * that; the simulation of the best takes so long for an entry. Expected, not measured: a busy
 * machine finds what a quiet one does. */
#define REORDER_LIMIT_S  30.0
#define THOROUGH         4
#define SIMULATE_ENTRY_S 500e-9
/* METIS may take longer than expected, a hundred times where the graph has no parts: it is ended
 * after this [s], or this many executions of the run, if that is longer. */
#define SLOW_LIMIT_S          10.0
#define SLOW_LIMIT_EXECUTIONS 300
/* An order is taken instead of one that is found faster where its alpha is this much smaller. */
#define BETTER 0.95

/* The orders, with the seconds that they are expected to take for an entry. */
static const struct candidate {
    const char *method;
    double entry_s;
    bool thorough; /* only where time was given for it */
} candidates[] = {
    {"degree", 10e-9, false}, {"gray", 60e-9, false}, {"rcm", 250e-9, false}, {"metis", 1500e-9, true}};

/* Time that the test with all gathers from L1 saves [s]; 0 where there was none. */
static double waiting_s(const struct sp_analysis *a)
{
    return sp_value_known(a->proved.linear_s)
               ? fmax(0, a->observed.pairs.time.value - a->proved.linear_s.value)
               : 0;
}

/* The simulated interface whose traffic of x tells what gathers wait for: one inward of the level
 * that counts; -1 where they do not wait, or no such level is simulated. */
static int inner_level(const struct sp_analysis *a)
{
    bool memory = a->evaluated.residence.level >= a->options->machine->n_caches;
    int k = memory ? a->simulated.n_levels - 1 : a->evaluated.residence.level - 1;
    return waiting_s(a) > LATENCY_WORTH * a->observed.pairs.time.value ? k - 1 : -1;
}

static struct sp_value alpha_at(const struct sp_layout *l, const struct sp_traffic *t)
{
    return sp_value_of(t->array_read_B[SP_ARRAY_X] / sp_layout_gather_bytes(l), SP_SIMULATED);
}

static enum sp_status simulate_reordered(const struct sp_analysis *a, struct sp_ordered *out,
                                         const struct sp_csr *ordered, struct sp_error *err)
{
    struct sp_workload w = a->setup.workload;
    w.matrix = ordered;
    struct sp_layout l;
    enum sp_status status = sp_layout_make(&w, false, NULL, &l, err);
    if (status != SP_OK)
        return status;
    struct sp_sim_options o = sp_analysis_sim_options(a);
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    bool memory = a->evaluated.residence.level >= a->options->machine->n_caches;
    int inner = inner_level(a);
    o.llc_only = memory && inner < 0; /* inner levels do not matter then, and it is many times faster */
    status = sp_sim_traffic(&l, &o, traffic, &n_levels, NULL, err);
    int k = memory ? n_levels - 1 : a->evaluated.residence.level - 1;
    if (status == SP_OK) {
        out->alpha_reordered = alpha_at(&l, &traffic[k]);
        /* What was measured beyond the simulation is not known to go away with the order. */
        double beyond = sp_analysis_is_counted(a)
                            ? fmax(0, a->evaluated.alpha.value - a->evaluated.alpha_simulated.value)
                            : 0;
        out->alpha_reordered.value += beyond;
        out->alpha_reordered.hi += beyond;
    }
    if (status == SP_OK && inner >= 0) {
        out->alpha_inner = alpha_at(&l, &a->simulated.traffic[inner]);
        out->alpha_inner_reordered = alpha_at(&l, &traffic[inner]);
    }
    sp_layout_free(&l);
    return status;
}

/* Rows of like length may follow each other then, or may not: the core's share of the time changes
 * too. */
static enum sp_status measure_core(const struct sp_analysis *a, struct sp_ordered *out,
                                   const struct sp_csr *ordered, struct sp_error *err)
{
    struct sp_workload w = a->setup.workload;
    w.matrix = ordered;
    return a->setup_options.own ? SP_OK
                                : sp_analysis_core_of(a, &w, a->setup.kernel, a->evaluated.balance_W,
                                                      &out->core_reordered_s, err);
}

/* How much of what is gathered then hardware can fetch ahead. */
static enum sp_status look_at_streams(const struct sp_analysis *a, struct sp_ordered *out,
                                      const struct sp_csr *ordered, struct sp_error *err)
{
    double followed;
    enum sp_status status =
        sp_streams_followed(ordered, a->line_B / (int64_t)a->setup.layout.s_x, &followed, err);
    if (status == SP_OK && !isnan(followed))
        out->streams_reordered = sp_value_of(followed, SP_MODELLED);
    return status;
}

/* The cache whose misses of x an order is to make fewer. */
static int64_t cache_of_interest(const struct sp_analysis *a, bool waits)
{
    const struct sp_machine *m = sp_analysis_caches(a);
    int k = a->evaluated.residence.level - 1 - (waits && a->evaluated.residence.level > 1);
    return k >= 0 && k < m->n_caches ? sp_cache_believed_B(&m->cache[k]) : 0;
}

/* Alpha of x for SpMV in CRS in another order (NULL: as it is), sampled: to tell orders apart. */
static enum sp_status sample_alpha(const struct sp_analysis *a, const struct sp_permutations *order,
                                   int64_t cache_B, double *alpha, struct sp_error *err)
{
    static const double followed = 16384; /* lines of x: their counts then scatter by a percent */
    const struct sp_csr *m = a->setup.workload.matrix;
    const struct sp_pattern pattern = sp_csr_pattern(m);
    const struct sp_workload w = {.op = SP_OP_SPMV,
                                  .precision = sp_csr_is_complex(m) ? SP_C128 : SP_F64,
                                  .schedule = SP_SCHEDULE_NNZ,
                                  .n_threads = a->setup.workload.n_threads,
                                  .matrix = m};
    const struct sp_sim_options sim = sp_analysis_sim_options(a);
    struct sp_permuted permuted = {0};
    struct sp_layout l = {0};
    struct sp_reuse reuse = {0};
    enum sp_status status = order ? sp_permuted_make(&pattern, order, &permuted, err) : SP_OK;
    if (status == SP_OK)
        status = order ? sp_layout_make_permuted(&w, &permuted, &l, err)
                       : sp_layout_make(&w, false, NULL, &l, err);
    const struct sp_reuse_options o = {.line_B = a->line_B,
                                       .n_domain = sim.n_domain,
                                       .domain_of_thread = sim.domain_of_thread,
                                       .rate = followed * a->line_B / ((double)m->n_c * (double)l.s_x + 1),
                                       .seed = sim.seed,
                                       .progress = sim.progress,
                                       .context = sim.context};
    if (status == SP_OK)
        status = sp_reuse_curve(&l, &o, &reuse, err);
    *alpha = status == SP_OK ? sp_reuse_alpha(&reuse, cache_B, a->options->state == SP_COLD).value : INFINITY;
    sp_reuse_free(&reuse);
    sp_layout_free(&l);
    sp_permuted_free(&permuted);
    return status;
}

/* Finds the order within the time that is left for it. SP_ABSENT and others: not in this build, not
 * for this matrix, or not in time. */
static enum sp_status find_order(const struct sp_analysis *a, const struct candidate *c, double left_s,
                                 struct sp_permutations *order, struct sp_error *err)
{
    const struct sp_csr *m = a->setup.workload.matrix;
    const double patient_s = fmax(SLOW_LIMIT_S, SLOW_LIMIT_EXECUTIONS * a->observed.pairs.time.value);
    return c->thorough ? sp_order_in_time(c->method, m, fmin(left_s, patient_s), a->progress, order, err)
                       : sp_reorder_find(c->method, m, order, err);
}

/* An order that was found, and how long that took. */
struct found {
    const char *method; /* NULL: none */
    struct sp_permutations order;
    double seconds;
};

/* The best of the orders that are worth their time, its alpha against that of the others and,
 * unless gathers wait, of the order as it is: none gains then without fewer loads of x. */
static enum sp_status choose_order(const struct sp_analysis *a, int64_t cache_B, bool waits,
                                   struct found *best, struct sp_error *err)
{
    const struct sp_csr *m = a->setup.workload.matrix;
    const bool thorough = a->options->thorough;
    double least = INFINITY,
           left_s = REORDER_LIMIT_S * (thorough ? THOROUGH : 1) - SIMULATE_ENTRY_S * (double)m->n_nz;
    enum sp_status status = SP_OK;
    bool looked = waits; /* at the order as it is */
    memset(best, 0, sizeof *best);
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates && status == SP_OK; i++) {
        const struct candidate *c = &candidates[i];
        struct found one = {.method = c->method};
        double alpha = INFINITY;
        if ((c->thorough && !thorough) || c->entry_s * (double)m->n_nz > left_s)
            continue;
        sp_progress_step(a->progress, "looking for an order", (double)i / 4);
        if (!looked && (status = sample_alpha(a, NULL, cache_B, &least, err)) != SP_OK)
            break;
        looked = true;
        const double start = sp_now();
        const enum sp_status found = find_order(a, c, left_s, &one.order, err);
        one.seconds = sp_now() - start;
        if (found == SP_OK)
            status = sample_alpha(a, &one.order, cache_B, &alpha, err);
        else if (found == SP_INTERRUPTED)
            status = found;
        if (status == SP_OK && alpha < BETTER * least) {
            least = alpha;
            sp_permutations_free(&best->order);
            *best = one;
        } else {
            sp_permutations_free(&one.order);
        }
        left_s -= c->entry_s * (double)m->n_nz;
    }
    if (status != SP_OK)
        sp_permutations_free(&best->order);
    return status;
}

enum sp_status sp_analysis_order(const struct sp_analysis *a, struct sp_ordered *out, struct sp_error *err)
{
    const struct sp_csr *m = a->setup.workload.matrix;
    out->alpha_reordered = out->reorder_s = sp_value_none("no reordering was tried");
    out->alpha_inner = out->alpha_inner_reordered = out->core_reordered_s = out->reorder_s;
    out->streams_reordered = out->reorder_s;
    /* An order changes what these store, not only alpha; one of rows alone leaves nothing
     * symmetric. */
    if (sp_format_of(a->setup.workload.format)->order_bound)
        return SP_OK;
    const double excess_B = (a->evaluated.alpha.value - a->evaluated.alpha_min.alpha_once) *
                            sp_layout_gather_bytes(&a->setup.layout);
    const double copy_B = sp_csr_bytes(m->n_r, m->n_nz, m->field) * 2;
    const bool waits = inner_level(a) >= 0, moves = excess_B >= REORDER_WORTH * a->evaluated.V_B.value;
    if (a->options->no_hints || m->n_nz == 0 || !a->evaluated.at_level ||
        strcmp(a->subject->reorder, "none") != 0 || (!waits && !moves))
        return SP_OK;
    if (a->options->memory_B > 0 && copy_B > a->options->memory_B)
        return SP_OK; /* alpha_reordered stays unknown, and the hint silent */
    struct found best;
    enum sp_status status = choose_order(a, cache_of_interest(a, waits && !moves), waits, &best, err);
    if (status != SP_OK || !best.method)
        return status;
    const double start = sp_now();
    struct sp_csr ordered;
    status = sp_csr_permute(m, best.order.row_perm, best.order.col_perm, NULL, &ordered, err);
    sp_permutations_free(&best.order);
    if (status != SP_OK)
        return status;
    out->reorder = best.method;
    out->reorder_s = sp_value_of(best.seconds + sp_now() - start, SP_MEASURED);
    status = simulate_reordered(a, out, &ordered, err);
    if (status == SP_USAGE) { /* its columns lie too far apart for 16-bit offsets, for example */
        out->reorder = NULL;
        out->alpha_reordered = out->reorder_s =
            sp_value_none("the format cannot store the matrix in the best order");
        sp_csr_free(&ordered);
        return SP_OK;
    }
    if (status == SP_OK)
        status = measure_core(a, out, &ordered, err);
    if (status == SP_OK)
        status = look_at_streams(a, out, &ordered, err);
    sp_csr_free(&ordered);
    return status;
}
