#include "session/analyze/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "base/text.h"
#include "io/matrix/matrix_load.h"
#include "kernels/own/own_kernel.h"
#include "kernels/own/own_watch.h"
#include "model/roofline.h"
#include "session/analyze/analysis.h"
#include "session/analyze/pcore.h"
#include "session/record/format_model.h"
#include "sparse/csr/csr.h"
#include "sparse/formats/format.h"
#include "sparse/reorder/reorder.h"
#include "sys/machine/pages.h"
#include "sys/noise.h"

/* The subject's matrix in this order, timed. */
static enum sp_status put_in_order(struct sp_subject *s, const char *order,
                                   const struct sp_allocator *allocator, const struct sp_progress *progress,
                                   struct sp_csr *ordered, struct sp_error *err)
{
    sp_progress_step(progress, "reordering", -1);
    const double start = sp_now();
    enum sp_status status = sp_reorder(order, &s->matrix, allocator, NULL, ordered, err);
    s->reorder_s = sp_now() - start;
    return status;
}

static enum sp_status settle_subject(struct sp_subject *s, const char *reorder,
                                     const struct sp_allocator *allocator, const struct sp_progress *progress,
                                     struct sp_error *err)
{
    struct sp_csr ordered;
    enum sp_status status = SP_OK;
    snprintf(s->reorder, sizeof s->reorder, "%s", reorder ? reorder : "none");
    const char *order = strcmp(s->reorder, "none") == 0 && sp_fault("order", NULL) ? "random" : s->reorder;
    if (strcmp(order, "none") != 0) {
        status = put_in_order(s, order, allocator, progress, &ordered, err);
        if (status == SP_OK) {
            sp_csr_free(&s->matrix);
            s->matrix = ordered;
        }
    }
    if (status == SP_OK) {
        sp_progress_step(progress, "looking at the structure", -1);
        status = sp_structure_analyse(&s->matrix, &s->structure, err);
    }
    if (status != SP_OK)
        sp_subject_free(s);
    return status;
}

enum sp_status sp_subject_open(const char *argument, const struct sp_load_options *load, const char *reorder,
                               const struct sp_progress *progress, struct sp_subject *s, struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    snprintf(s->argument, sizeof s->argument, "%s", argument);
    sp_matrix_display_name(argument, s->name, sizeof s->name);
    double start = sp_now();
    const enum sp_status status = sp_matrix_load(argument, load, &s->matrix, &s->facts, err);
    s->load_s = sp_now() - start;
    if (status != SP_OK)
        return status;
    return settle_subject(s, reorder, load ? load->allocator : NULL, progress, err);
}

enum sp_status sp_subject_take(const char *name, struct sp_csr *matrix, const struct sp_load_facts *facts,
                               const char *reorder, const struct sp_allocator *allocator,
                               const struct sp_progress *progress, struct sp_subject *s, struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    snprintf(s->argument, sizeof s->argument, "MATRIX");
    snprintf(s->name, sizeof s->name, "%s", name);
    s->matrix = *matrix;
    s->facts = *facts;
    s->load_s = facts->total_s;
    memset(matrix, 0, sizeof *matrix);
    return settle_subject(s, reorder, allocator, progress, err);
}

enum sp_status sp_subject_reorder(struct sp_subject *s, const char *reorder,
                                  const struct sp_allocator *allocator, const struct sp_progress *progress,
                                  struct sp_error *err)
{
    struct sp_csr ordered;
    struct sp_structure structure;
    if (strcmp(reorder, "none") == 0)
        return SP_OK;
    enum sp_status status = put_in_order(s, reorder, allocator, progress, &ordered, err);
    if (status != SP_OK)
        return status;
    status = sp_structure_analyse(&ordered, &structure, err);
    if (status != SP_OK) {
        sp_csr_free(&ordered);
        return status;
    }
    snprintf(s->reorder, sizeof s->reorder, "%s", reorder);
    s->original = s->matrix;
    s->has_original = true;
    s->matrix = ordered;
    s->structure = structure;
    return SP_OK;
}

static double block_bytes(const struct sp_block_fill *b)
{
    return b->n_e.value * (8.0 * b->b_h * b->b_w + 4);
}

const struct sp_block_fill *sp_subject_blocks(const struct sp_subject *subject)
{
    const struct sp_block_fill *best = NULL;
    for (int i = 0; i < SP_STRUCTURE_BLOCKS; i++) {
        const struct sp_block_fill *b = &subject->structure.block[i];
        if (b->n_e.known && (!best || block_bytes(b) < block_bytes(best)))
            best = b;
    }
    return best;
}

void sp_subject_hint_inputs(const struct sp_subject *subject, struct sp_hint_inputs *in)
{
    const struct sp_structure *s = &subject->structure;
    in->symmetric = s->value_symmetry.known && s->value_symmetry.value >= 1 && s->value_symmetry.error == 0;
    in->symmetric = in->symmetric && !subject->no_values;
    in->fits_f32 = subject->matrix.n_nz == 0 || subject->no_values ? SP_UNKNOWN
                   : s->n_inexact_f32 == 0                         ? SP_TRUE
                                                                   : SP_FALSE;
    if (in->fits_f32 == SP_FALSE) {
        struct sp_rounding rounding;
        sp_rounding_of(&subject->matrix, &rounding);
        in->rounding_largest = sp_value_of(rounding.largest, SP_MODELLED);
        in->rounding_normwise = sp_value_of(rounding.normwise, SP_MODELLED);
    }
    in->n_zeros = s->n_zeros;
    in->n_distinct = subject->no_values ? 0 : s->n_distinct;
    in->n_distinct_is_bound = s->distinct_at_least;
    const struct sp_block_fill *b = sp_subject_blocks(subject);
    if (b) {
        in->block_h = b->b_h;
        in->block_w = b->b_w;
        in->n_blocks = (int64_t)b->n_e.value;
    }
}

void sp_subject_free(struct sp_subject *s)
{
    if (!s)
        return;
    sp_csr_free(&s->matrix);
    sp_csr_free(&s->original);
    memset(s, 0, sizeof *s);
}

/* Bytes that the matrix lends to the layout; small arrays are not worth it. */
static double lent_bytes(const struct sp_workload *w, const struct sp_setup_options *o,
                         const struct sp_allocator *allocator)
{
    static const double large_B = 32 << 20;
    const double lent_B = o->lends && !o->own && o->topology && o->topology->n_numa <= 1
                              ? sp_layout_lent_bytes(w, allocator)
                              : 0;
    return lent_B >= large_B ? lent_B : 0;
}

static enum sp_status check_memory(const struct sp_workload *w, double lent_B, double available_B,
                                   struct sp_error *err)
{
    /* Operands and result as doubles, and in two kernels while the faster one is found; the result
     * is checked as doubles once more. */
    double operands = (double)(sp_dense_n_x(w) + sp_dense_n_rows(w) + sp_dense_n_second(w));
    double vectors =
        operands * (double)(2 * sp_precision_size(w->precision) + sizeof(double)) +
        (double)sp_dense_n_result(w) * (double)(sp_precision_size(w->precision) + sizeof(double));
    double needed = sp_layout_bytes_bound(w, true) - lent_B + vectors;
    char a[32], b[32];
    if (available_B > 0 && needed > available_B)
        return sp_fail(err, SP_MEMORY,
                       "take a machine with more memory, a smaller matrix or width, or " SP_O_PRECISION
                       " f32",
                       "the kernel's arrays need %s, of which %s are available",
                       sp_text_bytes(a, sizeof a, needed), sp_text_bytes(b, sizeof b, available_B));
    return SP_OK;
}

/* A run elsewhere: threads fill one cache domain of the described machine after the other. */
static enum sp_status place_threads(const struct sp_machine *m, struct sp_setup *s, struct sp_error *err)
{
    int n = s->workload.n_threads;
    void *p;
    enum sp_status status = sp_new_array(n, sizeof *s->domain_of_thread, "cache domains", &p, err);
    s->domain_of_thread = p;
    s->n_domains = 1;
    for (int t = 0; t < n && status == SP_OK; t++) {
        s->domain_of_thread[t] = m ? sp_machine_domain_of(m, t) : 0;
        if (s->domain_of_thread[t] >= s->n_domains)
            s->n_domains = s->domain_of_thread[t] + 1;
    }
    return status;
}

static enum sp_status bind_threads(const struct sp_setup_options *o, struct sp_setup *s, struct sp_error *err)
{
    int n = s->workload.n_threads;
    enum sp_status status = sp_binding_plan(o->topology, n, SP_COMPACT, &s->binding, err);
    if (status != SP_OK)
        return status;
    if (!o->not_pinned)
        sp_binding_apply(&s->binding, NULL); /* a refusal shows in binding.pinned and in the record */
    void *p;
    status = sp_new_array(n, sizeof *s->domain_of_thread, "cache domains", &p, err);
    s->domain_of_thread = p;
    if (status != SP_OK)
        return status;
    /* domains are renumbered 0, 1, ... in the order in which threads meet them */
    int *seen;
    status = sp_new_array(o->topology->n_domains + 1, sizeof *seen, "cache domains", &p, err);
    seen = p;
    if (status != SP_OK)
        return status;
    s->n_domains = 0;
    for (int t = 0; t < n; t++) {
        int domain = 0;
        for (int i = 0; i < o->topology->n_cpus; i++)
            if (o->topology->cpu[i].os == s->binding.cpu[t])
                domain = o->topology->cpu[i].domain;
        if (seen[domain] == 0)
            seen[domain] = ++s->n_domains;
        s->domain_of_thread[t] = seen[domain] - 1;
    }
    free(seen);
    return SP_OK;
}

/* A job of which one thread is held back on purpose (sys/noise.h). */
struct held_back {
    struct sp_job job;
    double share;
};

static enum sp_status run_held_back(void *state, int64_t repetitions, struct sp_run_stats *stats,
                                    struct sp_error *err)
{
    const struct held_back *h = state;
    const double start = sp_now();
    enum sp_status status = h->job.run(h->job.state, repetitions, stats, err);
    const double busy_s = sp_now() - start;
    while (sp_now() - start < busy_s * (1 + h->share))
        ;
    if (stats && stats->thread_s && stats->n_threads > 0)
        stats->thread_s[0] += busy_s * h->share;
    return status;
}

static enum sp_status hold_back(struct sp_setup *s, struct sp_error *err)
{
    double share;
    void *p;
    if (!sp_fault("straggler", &share))
        return SP_OK;
    enum sp_status status = sp_new_array(1, sizeof(struct held_back), "a fault", &p, err);
    if (status != SP_OK)
        return status;
    struct held_back *h = p;
    *h = (struct held_back){s->job, share};
    s->fault = h;
    s->job.state = h;
    s->job.run = run_held_back;
    return SP_OK;
}

static enum sp_status check_result(struct sp_setup *s, const struct sp_dense *dense, struct sp_error *err)
{
    void *y;
    enum sp_status status =
        sp_new_array(sp_dense_n_result(&s->workload), sizeof(double), "the result", &y, err);
    if (status != SP_OK)
        return status;
    status = s->kernel->run(s->state, 1, NULL, err);
    if (status == SP_OK)
        status = s->kernel->fetch(s->state, y, err);
    if (status == SP_OK)
        status = sp_verify(&s->workload, dense, y, &s->check, err);
    free(y);
    return status;
}

/* A kernel that takes part in the choice, ready to run. */
struct contender {
    const struct sp_kernel *kernel;
    struct sp_value p_core;
    void *state;
    double best_s; /* of an execution so far */
};

static enum sp_status prepare(const struct sp_setup_options *o, const struct sp_dense *dense,
                              const struct sp_allocator *allocator, const struct sp_setup *s,
                              struct contender *c, struct sp_error *err)
{
    struct sp_operands operands = {.x = dense->x,
                                   .rows = dense->rows,
                                   .second = dense->second,
                                   .store_nt = sp_setup_wants_nt(o, &s->layout, s->n_domains),
                                   .allocator = allocator,
                                   .own = o->own};
    c->state = NULL;
    c->best_s = INFINITY;
    return c->kernel->prepare(&s->layout, &operands, &c->state, err);
}

static void take(struct sp_setup *s, const struct contender *c)
{
    s->kernel = c->kernel;
    s->state = c->state;
    s->p_core_one = c->p_core;
    s->kernel->facts(s->state, &s->facts);
}

/* A sample of one contender: as many executions as the clock resolves. */
static enum sp_status time_one(struct contender *c, int64_t *n, struct sp_error *err)
{
    static const double resolved_s = 2e-4;
    for (;;) {
        double start = sp_now();
        enum sp_status status = c->kernel->run(c->state, *n, NULL, err);
        double t = sp_now() - start;
        if (status != SP_OK)
            return status;
        if (t >= resolved_s || *n >= (INT64_C(1) << 20)) {
            c->best_s = fmin(c->best_s, t / (double)*n);
            return SP_OK;
        }
        *n *= 2;
    }
}

/* Both in turn on the arrays themselves, the first of each thrown away; one round suffices where
 * they are far apart. */
static enum sp_status duel(struct contender *champion, struct contender *challenger, int64_t *n, bool *won,
                           struct sp_error *err)
{
    enum { ROUNDS = 4 };
    static const double clearly = 1.15, faster = 0.98;
    enum sp_status status = challenger->kernel->run(challenger->state, 1, NULL, err);
    double ratio = 1;
    for (int round = 0; round < ROUNDS && status == SP_OK; round++) {
        status = time_one(champion, n, err);
        if (status == SP_OK)
            status = time_one(challenger, n, err);
        ratio = challenger->best_s / champion->best_s;
        if (ratio > clearly)
            break;
    }
    *won = ratio < faster;
    return status;
}

/* P_core draws up the list; executions on the run's own arrays decide, because kernels of equal
 * P_core wait differently for memory. */
static enum sp_status choose_among(const struct sp_setup_options *o, const struct sp_pcore_ranking *ranking,
                                   const struct sp_dense *dense, const struct sp_allocator *allocator,
                                   struct sp_setup *s, struct sp_error *err)
{
    enum { MOST = 6 };
    static const double patience_s = 0.5, least = 0.3; /* of the highest P_core */
    const double for_duels_s =
        o->plan ? fmax(patience_s, sp_plan_left_s(o->plan, SP_SPEND_CHOICE)) : patience_s;
    struct contender best = {.kernel = ranking->kernel[0], .p_core = ranking->flop_s[0]};
    enum sp_status status = prepare(o, dense, allocator, s, &best, err);
    const double begun = sp_now();
    int64_t n = 1;
    if (status == SP_OK && ranking->n > 1)
        status = best.kernel->run(best.state, 1, NULL, err);
    for (int i = 1; i < ranking->n && i < MOST && status == SP_OK && sp_now() - begun < for_duels_s; i++) {
        struct contender other = {.kernel = ranking->kernel[i], .p_core = ranking->flop_s[i]};
        bool won = false;
        if (!(other.p_core.value >= least * ranking->flop_s[0].value))
            break;
        status = prepare(o, dense, allocator, s, &other, err);
        if (status == SP_MEMORY || status == SP_ABSENT) { /* the choice ends here */
            status = SP_OK;
            break;
        }
        if (status == SP_OK)
            status = duel(&best, &other, &n, &won, err);
        const struct contender loser = won ? best : other;
        best = won ? other : best;
        loser.kernel->release(loser.state);
    }
    if (o->plan)
        o->plan->spent_s[SP_SPEND_CHOICE] += sp_now() - begun;
    if (status == SP_OK)
        take(s, &best);
    else
        best.kernel->release(best.state);
    return status;
}

/* The kernel given or chosen before, or the fastest one; where non-temporal stores were asked for,
 * the fastest that has them. */
static enum sp_status choose_kernel(const struct sp_setup_options *o, const struct sp_kernel *chosen,
                                    const struct sp_dense *dense, const struct sp_allocator *allocator,
                                    struct sp_setup *s, struct sp_error *err)
{
    const char *const isa[] = {o->isa, "avx512", "avx2"};
    const struct sp_machine *m = o->machine;
    struct sp_pcore_options p = sp_pcore_options_for(m, &s->workload, o->plan, SP_SPEND_CHOICE);
    if (o->kernel || chosen) {
        struct contender given = {.kernel = chosen ? chosen : o->kernel,
                                  .p_core = sp_value_none("the kernel was given")};
        enum sp_status status = prepare(o, dense, allocator, s, &given, err);
        if (status == SP_OK)
            take(s, &given);
        return status == SP_OK && chosen ? sp_pcore_of(&s->workload, chosen, &p, &s->p_core_one, err)
                                         : status;
    }
    for (int i = 0; i < (o->isa || o->store_nt != SP_CHOICE_ON ? 1 : 3); i++) {
        struct sp_pcore_ranking ranking;
        enum sp_status status = sp_pcore_rank(&s->workload, isa[i], &p, &ranking, err);
        if (status == SP_ABSENT && i > 0) /* not on this processor */
            continue;
        if (status == SP_OK)
            status = choose_among(o, &ranking, dense, allocator, s, err);
        if (status != SP_OK || o->store_nt != SP_CHOICE_ON || s->facts.store_nt)
            return status;
        s->kernel->release(s->state);
        s->state = NULL;
    }
    s->kernel = NULL;
    return sp_fail(err, SP_ABSENT, "leave " SP_O_STORE " out, or choose another " SP_O_ISA " or " SP_O_FORMAT,
                   "no kernel for this workload writes y with non-temporal stores here");
}

/* How long an execution takes, more or less: whoever waits for a kernel of somebody else has to
 * know. */
static enum sp_status time_built_in(const struct sp_setup_options *o, const struct sp_dense *dense,
                                    struct sp_setup *s, struct sp_error *err)
{
    struct contender one = {.kernel = NULL};
    struct sp_setup_options plain = *o;
    plain.own = NULL;
    if (!o->own->watch || sp_kernel_candidates(&s->layout, NULL, &one.kernel, 1) == 0)
        return SP_OK;
    enum sp_status status = prepare(&plain, dense, NULL, s, &one, err);
    const double start = sp_now();
    if (status == SP_OK)
        status = one.kernel->run(one.state, 1, NULL, err);
    if (status == SP_OK)
        o->own->watch->execution_s = sp_now() - start;
    one.kernel->release(one.state);
    return status;
}

/* Between steps that each may take seconds. */
static enum sp_status begin_step(const struct sp_progress *progress, const char *what, struct sp_error *err)
{
    if (sp_progress_interrupted(progress))
        return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted before %s", what);
    sp_progress_step(progress, what, -1);
    return SP_OK;
}

enum sp_status sp_setup_make(const struct sp_workload *workload, const struct sp_setup_options *o,
                             const struct sp_progress *progress, struct sp_setup *s, struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->workload = *workload;
    const struct sp_allocator *allocator = o->own
                                               ? (o->small_pages ? &sp_own_pages_small : &sp_own_pages_huge)
                                           : o->small_pages ? &sp_allocator_plain
                                                            : &sp_allocator_huge;
    if (o->layout_only) /* nothing runs: any pages will do, a caller's, too */
        allocator = workload->matrix->allocator;
    enum sp_status status = check_memory(workload, lent_bytes(workload, o, allocator), o->memory_B, err);
    if (status == SP_OK)
        status = o->layout_only ? place_threads(o->machine, s, err) : bind_threads(o, s, err);
    const struct sp_kernel *chosen = NULL;
    if (status == SP_OK && workload->op == SP_OP_SPMV && !o->layout_only && !o->own && !o->kernel) {
        status = begin_step(progress, o->any_format ? "choosing a format" : "choosing a kernel", err);
        if (status == SP_OK)
            status = sp_choose(&s->workload, o, s->n_domains, progress, &chosen, &s->choice, err);
    }
    if (status == SP_OK)
        status = begin_step(progress, "converting", err);
    if (status == SP_OK) {
        double start = sp_now();
        s->lent_B = lent_bytes(&s->workload, o, allocator);
        status = s->lent_B > 0 ? sp_layout_make_lent(&s->workload, allocator, &s->layout, err)
                               : sp_layout_make(&s->workload, true, allocator, &s->layout, err);
        s->layout_s = sp_now() - start;
    }
    if (status == SP_OK && o->layout_only) {
        s->p_core_one = sp_value_none("the run was recorded elsewhere");
        s->job.layout = &s->layout;
        s->job.n_threads = s->workload.n_threads;
        s->facts.store_nt = o->store_nt == SP_CHOICE_ON;
        return SP_OK;
    }
    struct sp_dense_arrays arrays = {0};
    if (status == SP_OK)
        status = begin_step(progress, "making the vectors", err);
    if (status == SP_OK)
        status = sp_dense_make(&s->workload, o->seed, &arrays, err);
    struct sp_dense dense = sp_dense_of(&arrays);
    if (status == SP_OK && o->own)
        status = time_built_in(o, &dense, s, err);
    if (status == SP_OK && !chosen)
        status = begin_step(progress, "choosing a kernel", err);
    if (status == SP_OK)
        status = choose_kernel(o, chosen, &dense, allocator, s, err);
    if (status == SP_OK)
        status = begin_step(progress, "checking the result", err);
    if (status == SP_OK) {
        s->job = sp_kernel_job(s->kernel, s->state, &s->layout);
        status = check_result(s, &dense, err);
        if (o->own && s->check.n_bad > 0)
            status = sp_own_wrong(o->own, &s->check, workload->matrix->n_r, false, err);
    }
    if (status == SP_OK)
        status = hold_back(s, err);
    sp_dense_free(&arrays);
    if (status != SP_OK) {
        const struct sp_spmv_check check = s->check;
        sp_setup_free(s);
        s->check = check;
    }
    return status;
}

void sp_setup_free(struct sp_setup *s)
{
    if (!s)
        return;
    if (s->kernel)
        s->kernel->release(s->state);
    sp_layout_free(&s->layout);
    sp_binding_free(&s->binding);
    free(s->domain_of_thread);
    free(s->fault);
    memset(s, 0, sizeof *s);
}

/* ---- analysis.h: what every step of an analysis may ask of it ---- */

bool sp_analysis_pin(const struct sp_analysis *a)
{
    const bool was_free = a->setup.binding.pinned && !sp_binding_is_held();
    if (was_free) /* refused where it was granted before: it shows in the samples */
        sp_binding_restore(&a->setup.binding, a->options->topology, NULL);
    return was_free;
}

void sp_analysis_let_go(const struct sp_analysis *a)
{
    struct sp_binding team = a->setup.binding; /* empty where the set-up failed after it had pinned */
    if (sp_binding_is_held())
        sp_binding_undo(&team, a->options->topology);
}

const struct sp_machine *sp_analysis_caches(const struct sp_analysis *a)
{
    return a->caches.n_caches > 0 ? &a->caches : a->options->machine;
}

bool sp_analysis_is_replayed(const struct sp_analysis *a)
{
    return a->options->bytes && a->options->bytes->replayed && a->options->bytes->recording.has_times;
}

bool sp_analysis_has_own_roof(const struct sp_analysis *a)
{
    return !sp_analysis_is_replayed(a) || sp_recording_has_roofs(&a->options->bytes->recording);
}

bool sp_analysis_is_counted(const struct sp_analysis *a)
{
    return sp_evaluated_is_counted(&a->evaluated);
}

bool sp_evaluated_is_counted(const struct sp_evaluated *e)
{
    return sp_value_known(e->counted.total_B) && e->counted.total_B.value > 0;
}

/* ---- what a run was given, as options ---- */

static void add_real(struct sp_change *c, enum sp_option option, const char *format, double x)
{
    char text[40];
    snprintf(text, sizeof text, format, x);
    sp_change_add(c, option, text);
}

void sp_change_add_operation(struct sp_change *c, const struct sp_workload *w)
{
    if (w->op == SP_OP_SPMV)
        return;
    sp_change_add(c, SP_OPTION_OP, sp_op_name(w->op));
    sp_change_add_number(c, w->op == SP_OP_SPMMV ? SP_OPTION_RHS : SP_OPTION_INNER, sp_workload_width(w));
}

struct sp_change sp_run_change(const struct sp_analyze_options *o, const struct sp_workload *w,
                               const struct sp_subject *subject)
{
    char schedule[32], format[48];
    struct sp_change c = {0};
    sp_workload_schedule_text(w, schedule, sizeof schedule);
    if (o->precision >= 0 || w->precision != SP_F64)
        sp_change_add(&c, SP_OPTION_PRECISION, sp_precision_name(w->precision));
    if (w->index != SP_I32)
        sp_change_add(&c, SP_OPTION_INDEX, sp_index_name(w->index));
    if (w->row_ptr_B > 0)
        sp_change_add_number(&c, SP_OPTION_ROW_PTR, w->row_ptr_B);
    if (o->prefetch_given)
        sp_change_add_number(&c, SP_OPTION_PREFETCH, o->prefetch);
    sp_change_add_operation(&c, w);
    if (w->order != SP_ROW_MAJOR)
        sp_change_add(&c, SP_OPTION_ORDER, sp_order_name(w->order));
    if (!sp_format_of(w->format)->plain_rows)
        sp_change_add(&c, SP_OPTION_FORMAT, sp_workload_format_option(w, format, sizeof format));
    if (w->schedule != SP_SCHEDULE_NNZ)
        sp_change_add(&c, SP_OPTION_SCHEDULE, schedule);
    if (subject->facts.n_dropped > 0)
        sp_change_add(&c, SP_OPTION_DROP_ZEROS, "");
    if (strcmp(subject->reorder, "none") != 0)
        sp_change_add(&c, SP_OPTION_REORDER, subject->reorder);
    if (o->n_threads > 0)
        sp_change_add_number(&c, SP_OPTION_THREADS, o->n_threads);
    if (o->isa)
        sp_change_add(&c, SP_OPTION_ISA, o->isa);
    if (o->store_nt != SP_CHOICE_AUTO)
        sp_change_add(&c, SP_OPTION_STORE, o->store_nt == SP_CHOICE_ON ? "nt" : "plain");
    if (o->small_pages)
        sp_change_add(&c, SP_OPTION_PAGES, "small");
    if (o->not_pinned)
        sp_change_add(&c, SP_OPTION_NO_PIN, "");
    if (o->state == SP_COLD)
        sp_change_add(&c, SP_OPTION_COLD, "");
    if (o->between)
        sp_change_add(&c, SP_OPTION_BETWEEN, o->between);
    if (o->machine_name)
        sp_change_add(&c, SP_OPTION_MACHINE, o->machine_name);
    if (o->llc_B > 0)
        add_real(&c, SP_OPTION_SIM_LLC, "%.0f", o->llc_B);
    if (o->policy)
        sp_change_add(&c, SP_OPTION_SIM_POLICY, o->policy);
    if (o->skew > 0)
        add_real(&c, SP_OPTION_SIM_SKEW, "%g", o->skew);
    if (o->own.library)
        sp_change_add(&c, SP_OPTION_KERNEL, o->own.library);
    if (o->own.signature)
        sp_change_add(&c, SP_OPTION_SIGNATURE, o->own.signature);
    return c;
}

bool sp_analyze_tries_formats(const struct sp_analyze_options *o)
{
    const bool is_recorded = o->bytes && o->bytes->replayed && o->bytes->recording.has_times;
    return strcmp(o->format, "auto") == 0 && o->op == SP_OP_SPMV && !is_recorded;
}

enum sp_status sp_analyze_workload(const struct sp_csr *matrix, const struct sp_analyze_options *o,
                                   struct sp_workload *w, struct sp_error *err)
{
    *w = (struct sp_workload){.op = o->op,
                              .r = o->r,
                              .order = o->order,
                              .index = o->index,
                              .row_ptr_B = o->row_ptr_B,
                              .prefetch = o->prefetch,
                              .matrix = matrix,
                              .C = 1,
                              .sigma = 1};
    w->n_threads = o->n_threads > 0 ? o->n_threads : sp_topology_default_threads(o->topology);
    w->precision = o->precision >= 0           ? (enum sp_precision)o->precision
                   : sp_csr_is_complex(matrix) ? SP_C128
                                               : SP_F64;
    enum sp_status status = sp_workload_set_schedule(w, o->schedule, err);
    if (status == SP_OK && (strcmp(o->format, "auto") != 0 || sp_analyze_tries_formats(o)))
        status = sp_workload_set_format(w, sp_analyze_tries_formats(o) ? "crs" : o->format, err);
    else if (status == SP_OK)
        status = sp_format_choose(w, o->machine, o->state == SP_WARM, o->isa, o->plan, err);
    return status == SP_OK ? sp_workload_check(w, err) : status;
}

static bool on_progress(void *context, double share)
{
    const struct sp_analysis *a = context;
    sp_progress_step(a->progress, "simulating the caches", share);
    return sp_progress_interrupted(a->progress);
}

int64_t sp_between_bytes(const struct sp_analyze_options *o, const struct sp_layout *l)
{
    return o->n_between * l->n_r * l->r * (int64_t)l->s_y;
}

struct sp_sim_options sp_analysis_sim_options(const struct sp_analysis *a)
{
    struct sp_sim_options o = sp_sim_default(a->options->machine);
    o.llc_B = (int64_t)a->options->llc_B;
    o.policy = a->options->policy ? sp_policy_from_name(a->options->policy) : -1;
    o.n_domain = a->setup.n_domains;
    o.domain_of_thread = a->setup.domain_of_thread;
    o.state = a->options->state == SP_COLD      ? SP_SIM_COLD
              : a->options->state == SP_BETWEEN ? SP_SIM_BETWEEN
                                                : SP_SIM_WARM;
    o.between_B = sp_between_bytes(a->options, &a->setup.layout);
    o.skew = a->options->skew;
    o.store_nt = a->setup.facts.store_nt;
    o.x_offset_B = a->setup.facts.x_offset_B;
    o.y_offset_B = a->setup.facts.y_offset_B;
    o.seed = a->options->seed;
    o.progress = on_progress;
    o.context = (void *)a;
    return o;
}
