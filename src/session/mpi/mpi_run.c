#include "session/mpi/mpi_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/reading.h"
#include "kernels/ceiling.h"
#include "kernels/distributed.h"
#include "kernels/kernel.h"
#include "kernels/mpi_module.h"
#include "model/ranks/distributed.h"
#include "session/analyze/pcore.h"
#include "sparse/formats/format_ids.h"
#include "sparse/product/verify.h"
#include "sys/machine/pages.h"
#include "sys/machine/topology.h"
#include "sys/noise.h"

/* Phases that messages are counted by, for whoever stands in front of MPI. */
enum { PHASE_SETUP = 1, PHASE_ONE = 2, PHASE_MEASURE = 3 };
static const double sample_s = 0.004; /* that a sample should last: short ones fit between disturbances */
/* More entries of its own in a row's remote block than this share, and all rows are stored. */
static const double compress_below = 0.4;

const char *sp_mpi_mode_name(enum sp_mpi_mode mode)
{
    static const char *const name[SP_MPI_N_MODES] = {"roof",     "local",   "execution",         "remote",
                                                     "exchange", "product", "product_overlapped"};
    return name[mode];
}

void sp_mpi_result_free(struct sp_mpi_result *r)
{
    free(r->rank);
    free(r->pair);
    r->rank = NULL;
    r->pair = NULL;
    r->n_pairs = 0;
    sp_topology_free(&r->topology);
}

/* ---- what a rank has ---- */

struct team {
    const struct sp_mpi *mpi;
    const struct sp_mpi_options *options;
    struct sp_mpi_part part;
    struct sp_binding binding;
    struct sp_workload workload;
    struct sp_layout layout;
    const struct sp_kernel *kernel;
    void *state;
    struct sp_job job;
    struct sp_pcore_team *core; /* rows of the local block that inner caches hold; NULL: it has no entries */
    struct sp_job core_job;
    int64_t core_times; /* executions that are about the block's work */
    double core_share;  /* of the block's work that these do */
    const double *x;    /* the kernel's */
    double *y;          /* likewise, to which the remote block is added */
    double *halo, *outgoing;
    struct sp_remote_block remote;
    void *exchange;
    int64_t *sent; /* [2 n_ranks] messages and bytes of PHASE_ONE to each rank; of one product later */
    uint64_t checksum;
};

static void team_free(struct team *t)
{
    if (t->exchange)
        t->mpi->exchange_free(t->exchange);
    sp_pcore_team_free(t->core);
    if (t->kernel)
        t->kernel->release(t->state);
    sp_remote_block_free(&t->remote);
    sp_layout_free(&t->layout);
    sp_binding_free(&t->binding);
    sp_mpi_part_free(&t->part);
    free(t->halo);
    free(t->outgoing);
    free(t->sent);
}

static void waits(const struct sp_mpi_options *o, const char *what)
{
    if (o->watch.wait)
        o->watch.wait(o->watch.context, what);
}

/* x by place, the same whoever asks, between 0.5 and 1. */
static double x_at(uint64_t seed, int64_t place)
{
    return 0.5 + 0.5 * (double)(sp_random_at(seed, (uint64_t)place) >> 11) * 0x1p-53;
}

/* ---- threads ---- */

/* Cores that this rank has to itself, and the first of them among those allowed. */
static int cores_of_rank(const struct sp_topology *topology, const struct sp_mpi_world *world, int *first)
{
    const int allowed = sp_topology_default_threads(topology);
    *first = 0;
    if (topology->n_allowed < topology->n_cpus ||
        world->n_node_ranks == 1) /* whoever started it has bound it */
        return allowed;
    const int n = allowed / world->n_node_ranks;
    *first = n * world->node_rank;
    return n > 0 ? n : 1;
}

static enum sp_status bind(const struct sp_topology *topology, const struct sp_mpi_world *world,
                           int n_threads, struct sp_binding *binding, struct sp_error *err)
{
    int first;
    struct sp_binding all = {0};
    void *p;
    cores_of_rank(topology, world, &first);
    const int last = topology->n_allowed < topology->n_cpus ? n_threads : (world->node_rank + 1) * n_threads;
    memset(binding, 0, sizeof *binding);
    if (last > topology->n_allowed_cores) /* more threads than cores: the system shares them out */
        return SP_OK;
    enum sp_status status = sp_binding_plan(topology, last, SP_COMPACT, &all, err);
    if (status == SP_OK) {
        status = sp_new_array(n_threads, sizeof *binding->cpu, "threads", &p, err);
        binding->cpu = p;
    }
    if (status == SP_OK) {
        binding->n_threads = n_threads;
        memcpy(binding->cpu, all.cpu + last - n_threads, (size_t)n_threads * sizeof *binding->cpu);
        sp_binding_apply(binding, NULL); /* a refusal shows in the record */
    }
    sp_binding_free(&all);
    return status;
}

/* ---- making it ---- */

static enum sp_status choose_kernel(struct team *t, const struct sp_operands *operands, struct sp_error *err)
{
    enum { MOST = 4, TRIES = 5 };
    const struct sp_kernel *row[MOST];
    const int found = sp_kernel_candidates(&t->layout, NULL, row, MOST), n = found < MOST ? found : MOST;
    double best_s = INFINITY;
    if (n == 0)
        return sp_fail(err, SP_ABSENT, NULL, "no kernel for CRS runs here");
    for (int i = 0; i < n; i++) {
        void *state;
        enum sp_status status = row[i]->prepare(&t->layout, operands, &state, err);
        double least_s = INFINITY;
        for (int k = 0; k < TRIES && status == SP_OK; k++) {
            const double start = sp_now();
            status = row[i]->run(state, 1, NULL, err);
            least_s = fmin(least_s, sp_now() - start);
        }
        if (status != SP_OK || least_s >= best_s) {
            row[i]->release(state);
            if (status != SP_OK)
                return status;
            continue;
        }
        if (t->kernel)
            t->kernel->release(t->state);
        t->kernel = row[i];
        t->state = state;
        best_s = least_s;
    }
    return SP_OK;
}

static enum sp_status make_local(struct team *t, struct sp_error *err)
{
    struct sp_kernel_facts facts;
    const struct sp_csr *a = &t->part.blocks.local;
    void *x;
    t->workload = (struct sp_workload){.op = SP_OP_SPMV,
                                       .format = SP_FORMAT_CRS,
                                       .C = 1,
                                       .sigma = 1,
                                       .schedule = SP_SCHEDULE_NNZ,
                                       .n_threads = t->options->n_threads,
                                       .matrix = a};
    enum sp_status status = sp_new_array(a->n_c, sizeof(double), "x", &x, err);
    if (status != SP_OK)
        return status;
    for (int64_t k = 0; k < a->n_c; k++)
        ((double *)x)[k] = x_at(t->options->seed, t->part.first_x + k);
    const struct sp_operands operands = {.x = x, .allocator = &sp_allocator_huge};
    status = sp_layout_make(&t->workload, true, &sp_allocator_huge, &t->layout, err);
    if (status == SP_OK)
        status = choose_kernel(t, &operands, err);
    free(x);
    if (status != SP_OK)
        return status;
    t->kernel->facts(t->state, &facts);
    t->x = facts.x;
    t->y = (double *)facts.y;
    t->job = sp_kernel_job(t->kernel, t->state, &t->layout);
    return SP_OK;
}

/* The same kernel on rows of the local block whose columns are folded. */
static enum sp_status make_core(struct team *t, struct sp_error *err)
{
    const struct sp_pcore_options o = sp_pcore_options_for(NULL, &t->workload, NULL, SP_SPEND_OTHERS);
    double work;
    enum sp_status status =
        sp_pcore_team_make(&t->workload, t->kernel, &o, &t->core, &t->core_job, &work, err);
    if (status == SP_OK) {
        const double all = sp_workload_flops(&t->workload);
        t->core_times = all > work ? (int64_t)(all / work) : 1;
        t->core_share = work * (double)t->core_times / all;
        return SP_OK;
    }
    sp_pcore_team_free(t->core);
    t->core = NULL;
    return status == SP_ABSENT ? SP_OK : status;
}

static enum sp_status make_exchange(struct team *t, struct sp_error *err)
{
    const struct sp_mpi_part *p = &t->part;
    void *m;
    enum sp_status status = sp_new_array(p->blocks.n_recv, sizeof *t->halo, "the halo", &m, err);
    t->halo = m;
    if (status == SP_OK) {
        status = sp_new_array(p->n_out, sizeof *t->outgoing, "what is sent", &m, err);
        t->outgoing = m;
    }
    if (status != SP_OK)
        return status;
    const struct sp_mpi_plan plan = {.n_from = p->n_from,
                                     .n_to = p->n_to,
                                     .from = p->from,
                                     .to = p->to,
                                     .n_received = p->n_received,
                                     .n_sent = p->n_sent,
                                     .halo = t->halo,
                                     .outgoing = t->outgoing};
    return t->mpi->exchange_make(&plan, &t->exchange, err);
}

static enum sp_status make_team(struct team *t, struct sp_error *err)
{
    const struct sp_csr *remote = &t->part.blocks.remote;
    const bool compressed = (double)t->part.remote_rows <= compress_below * (double)remote->n_r;
    enum sp_status status = make_local(t, err);
    if (status == SP_OK)
        status = make_core(t, err);
    if (status == SP_OK)
        status = sp_remote_block_make(remote, compressed, t->options->n_threads, &t->remote, err);
    if (status == SP_OK)
        status = make_exchange(t, err);
    return status;
}

/* ---- running it ---- */

static enum sp_status run_local(struct team *t, struct sp_error *err)
{
    return t->kernel->run(t->state, 1, NULL, err);
}

static void send(struct team *t)
{
    sp_pack(t->x, t->part.out, t->part.n_out, t->options->n_threads, t->outgoing);
    t->mpi->exchange_begin(t->exchange);
}

static void add_remote(struct team *t)
{
    sp_remote_block_add(&t->remote, t->halo, t->y);
}

static enum sp_status run_once(struct team *t, enum sp_mpi_mode mode, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    switch (mode) {
    case SP_MPI_ROOF:
        sp_scan_job(&t->job, 1, &t->checksum);
        return SP_OK;
    case SP_MPI_LOCAL:
        return run_local(t, err);
    case SP_MPI_CORE:
        return t->core ? t->core_job.run(t->core_job.state, t->core_times, NULL, err) : SP_OK;
    case SP_MPI_REMOTE:
        add_remote(t);
        return SP_OK;
    case SP_MPI_EXCHANGE:
        send(t);
        t->mpi->exchange_wait(t->exchange);
        return SP_OK;
    case SP_MPI_APART:
        send(t);
        t->mpi->exchange_wait(t->exchange);
        status = run_local(t, err);
        add_remote(t);
        return status;
    case SP_MPI_OVERLAP:
        send(t);
        status = run_local(t, err);
        t->mpi->exchange_wait(t->exchange);
        add_remote(t);
        return status;
    default:
        return SP_OK;
    }
}

/* [s] of one execution on this rank; what fails shows in *status. */
static double time_of(struct team *t, enum sp_mpi_mode mode, int64_t n, enum sp_status *status,
                      struct sp_error *err)
{
    t->mpi->barrier();
    const double start = sp_now();
    for (int64_t i = 0; i < n; i++) {
        const enum sp_status once = run_once(t, mode, err);
        *status = *status == SP_OK ? once : *status;
    }
    return (sp_now() - start) / (double)n;
}

/* ---- is it right? ---- */

/* Both blocks side by side, and x as it is, whoever owns it. */
static enum sp_status join(const struct team *t, struct sp_csr *a, double **x, struct sp_error *err)
{
    const struct sp_rank_part *b = &t->part.blocks;
    const int64_t n_x = b->local.n_c, n_c = n_x + b->n_recv;
    void *m = NULL;
    enum sp_status status =
        sp_csr_alloc(b->local.n_r, n_c, b->local.n_nz + b->remote.n_nz, SP_FIELD_REAL, NULL, a, err);
    if (status == SP_OK)
        status = sp_new_array(n_c, sizeof **x, "x of a rank", &m, err);
    *x = m;
    int64_t at = 0;
    for (int64_t i = 0; i < b->local.n_r && status == SP_OK; i++) {
        for (int64_t k = b->local.row_ptr[i]; k < b->local.row_ptr[i + 1]; k++, at++) {
            a->col[at] = b->local.col[k];
            a->val[at] = sp_csr_number(&b->local, k);
        }
        for (int64_t k = b->remote.row_ptr[i]; k < b->remote.row_ptr[i + 1]; k++, at++) {
            a->col[at] = (int32_t)(n_x + b->remote.col[k]);
            a->val[at] = sp_csr_number(&b->remote, k);
        }
        a->row_ptr[i + 1] = at;
    }
    for (int64_t k = 0; k < n_c && status == SP_OK; k++)
        (*x)[k] = x_at(t->options->seed, k < n_x ? t->part.first_x + k : b->place[k - n_x]);
    return status;
}

static enum sp_status verify(struct team *t, const struct sp_mpi_world *world, struct sp_mpi_rank *own,
                             struct sp_error *err)
{
    struct sp_csr a = {0};
    struct sp_spmv_check check = {0};
    double *x = NULL;
    enum sp_status status = join(t, &a, &x, err);
    if (status == SP_OK)
        status = sp_spmv_verify(&a, SP_F64, x, t->y, &check, err);
    if (status == SP_WRONG)
        sp_fail(err, SP_WRONG, "run it again; report it if it stays",
                "row %lld of rank %d is %.17g, and %.17g by the reference", (long long)check.worst_row,
                world->rank, check.got, check.expected);
    own->worst_error = check.max_ratio;
    sp_csr_free(&a);
    free(x);
    return status;
}

/* ---- counted messages ---- */

static enum sp_status add_pair(struct sp_mpi_result *r, int from, int to, int64_t messages, int64_t bytes,
                               struct sp_error *err)
{
    struct sp_mpi_pair *more = realloc(r->pair, (size_t)(r->n_pairs + 1) * sizeof *more);
    if (!more)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for pairs of ranks");
    r->pair = more;
    r->pair[r->n_pairs++] = (struct sp_mpi_pair){from, to, 0, messages, bytes};
    return SP_OK;
}

/* The counts of one sender, [n_ranks] each, beside what is predicted. */
static enum sp_status take_counts(struct sp_mpi_result *r, int from, const int64_t *messages,
                                  const int64_t *bytes, struct sp_error *err)
{
    bool *seen = calloc((size_t)r->world.n_ranks, sizeof *seen);
    const int64_t n = r->n_pairs;
    if (!seen)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for pairs of ranks");
    for (int64_t k = 0; k < n; k++)
        if (r->pair[k].from == from) {
            const int to = r->pair[k].to;
            seen[to] = true;
            r->pair[k].counted_messages = messages[to];
            r->pair[k].counted_B = bytes[to];
            r->n_wrong_pairs += messages[to] != 1 || bytes[to] != r->pair[k].predicted_B;
        }
    enum sp_status status = SP_OK;
    for (int to = 0; to < r->world.n_ranks && status == SP_OK; to++)
        if (messages[to] > 0 && !seen[to]) {
            status = add_pair(r, from, to, messages[to], bytes[to], err);
            r->n_wrong_pairs++;
        }
    free(seen);
    return status;
}

/* sign -1 before the first product, 1 behind it: an earlier run of this job has the same phase.
 * Without room nothing is counted. */
static void note_sent(struct team *t, const struct sp_mpi_world *world, int sign)
{
    const int n = world->n_ranks;
    if (!t->sent)
        t->sent = calloc(2 * (size_t)n, sizeof *t->sent);
    for (int to = 0; to < n && t->sent && sp_mpi_counts_are_there(); to++) {
        int64_t messages = 0, bytes = 0;
        sp_mpi_counts_sent(PHASE_ONE, to, &messages, &bytes);
        t->sent[to] += sign * messages;
        t->sent[n + to] += sign * bytes;
    }
}

/* What every rank has sent in PHASE_ONE goes to rank 0, which compares. */
static enum sp_status compare_counts(struct team *t, struct sp_mpi_result *r, struct sp_error *err)
{
    const int n = r->world.n_ranks;
    int64_t *count = calloc(2 * (size_t)n, sizeof *count);
    const bool counts = t->mpi->most(sp_mpi_counts_are_there() && count && t->sent ? 0 : 1) == 0;
    enum sp_status status = SP_OK;
    r->n_wrong_pairs = counts ? 0 : -1;
    r->own.counted_messages = r->own.counted_bytes = counts ? 0 : -1;
    for (int to = 0; to < n && counts && count; to++) {
        count[to] = t->sent[to];
        count[n + to] = t->sent[n + to];
        r->own.counted_messages += count[to];
        r->own.counted_bytes += count[n + to];
    }
    if (counts && r->world.rank > 0)
        t->mpi->send(count, 2 * n * (int64_t)sizeof *count, 0);
    for (int from = 0; from < n && counts && count && r->world.rank == 0; from++) {
        if (from > 0)
            t->mpi->receive(count, 2 * n * (int64_t)sizeof *count, from);
        if (status == SP_OK)
            status = take_counts(r, from, count, count + n, err);
    }
    free(count);
    if (status == SP_OK && r->n_wrong_pairs > 0)
        status =
            sp_fail(err, SP_WRONG, "report it: the halo is not what was sent",
                    "%lld pairs of ranks sent other bytes than the halo says", (long long)r->n_wrong_pairs);
    return status;
}

/* ---- measuring ---- */

static int64_t repetitions_for(struct team *t, enum sp_mpi_mode mode, enum sp_status *status,
                               struct sp_error *err)
{
    const double once_s = t->mpi->most(time_of(t, mode, 3, status, err));
    const double n = sample_s / fmax(once_s, 1e-8);
    return n < 1 ? 1 : n > 1e6 ? 1000000 : (int64_t)n;
}

/* Turns of samples: one of each mode. */
struct turns {
    int n;
    bool disturbed[SP_MPI_SAMPLES]; /* on any rank */
    double own_s[SP_MPI_N_MODES][SP_MPI_SAMPLES];
};

/* A turn, and whether other work took a processor of any rank meanwhile. */
static void take_turn(struct team *t, struct sp_mpi_result *r, struct turns *turns,
                      struct sp_thread_clock *clock, enum sp_status *status, struct sp_error *err)
{
    const int k = turns->n++, n_threads = t->options->n_threads;
    const bool looks = clock && !sp_disturbance_is_ignored();
    if (looks)
        sp_thread_clocks(n_threads, clock);
    for (int m = 0; m < SP_MPI_N_MODES; m++) {
        struct sp_mpi_times *times = &r->time[m];
        turns->own_s[m][k] = time_of(t, (enum sp_mpi_mode)m, times->repetitions, status, err);
        if (m == SP_MPI_CORE)
            turns->own_s[m][k] = t->core ? turns->own_s[m][k] / t->core_share : 0;
        times->sample_s[times->n++] = t->mpi->most(turns->own_s[m][k]);
    }
    bool disturbed = false;
    if (looks) {
        sp_thread_clocks(n_threads, clock + n_threads);
        disturbed = sp_disturbance_between(clock, clock + n_threads, n_threads).disturbed;
    }
    turns->disturbed[k] = t->mpi->most(disturbed) > 0;
    r->n_clean += !turns->disturbed[k];
    r->n_disturbed += turns->disturbed[k];
}

/* Without the disturbed turns, where enough others are there. */
static void keep_clean(struct sp_mpi_result *r, struct turns *turns, int fewest)
{
    int kept = 0;
    if (r->n_clean < fewest || r->n_disturbed == 0)
        return;
    for (int k = 0; k < turns->n; k++) {
        for (int m = 0; m < SP_MPI_N_MODES && !turns->disturbed[k]; m++) {
            turns->own_s[m][kept] = turns->own_s[m][k];
            r->time[m].sample_s[kept] = r->time[m].sample_s[k];
        }
        kept += !turns->disturbed[k];
    }
    turns->n = kept;
    for (int m = 0; m < SP_MPI_N_MODES; m++)
        r->time[m].n = kept;
}

static enum sp_status measure(struct team *t, struct sp_mpi_result *r, struct sp_error *err)
{
    static struct turns turns;
    const struct sp_mpi_options *o = t->options;
    const int most = o->max_samples < SP_MPI_SAMPLES ? o->max_samples : SP_MPI_SAMPLES,
              fewest = most < SP_MPI_FEWEST ? most : SP_MPI_FEWEST;
    struct sp_thread_clock *clock = calloc(2 * (size_t)o->n_threads, sizeof *clock);
    enum sp_status status = SP_OK;
    double spent_s = 0;
    turns.n = 0;
    for (int m = 0; m < SP_MPI_N_MODES; m++)
        r->time[m] =
            (struct sp_mpi_times){.repetitions = repetitions_for(t, (enum sp_mpi_mode)m, &status, err)};
    while (
        turns.n < SP_MPI_SAMPLES && r->n_clean < most &&
        (turns.n < fewest || spent_s < o->budget_s || (r->n_clean < fewest && spent_s < 3 * o->budget_s)) &&
        turns.n < 3 * most) {
        const double start = sp_now();
        sp_progress_step(o->progress, "measuring", spent_s / o->budget_s);
        take_turn(t, r, &turns, clock, &status, err);
        spent_s += t->mpi->most(sp_now() - start);
        waits(o, "measuring");
    }
    keep_clean(r, &turns, fewest);
    for (int m = 0; m < SP_MPI_N_MODES; m++)
        r->own.median_s[m] = sp_median(turns.own_s[m], turns.n);
    free(clock);
    return status;
}

/* ---- the whole ---- */

/* By the formulas of the model, each needed element of x loaded once. */
static double moved_B(const struct sp_mpi_rank *own)
{
    const struct sp_halo_rank rank = {.n_r = own->n_r,
                                      .n_x = own->n_x,
                                      .local_nz = own->local_nz,
                                      .remote_nz = own->remote_nz,
                                      .local_columns = own->local_columns,
                                      .remote_rows = own->remote_rows,
                                      .n_recv = own->n_received,
                                      .n_sent = own->n_sent};
    const struct sp_distribution d = {
        .sizes = sp_sizes_of(SP_F64, SP_I32, (double)(own->local_nz + own->remote_nz)), .w = 2, .r = 1};
    const struct sp_block_bytes b = sp_block_bytes_of(&rank, &d, 1, 1);
    return b.local_B + b.remote_B + b.pack_B;
}

static void describe(const struct team *t, struct sp_mpi_result *r)
{
    struct sp_mpi_rank *own = &r->own;
    const struct sp_mpi_part *p = &t->part;
    own->rank = r->world.rank;
    own->node_rank = r->world.node_rank;
    own->n_node_ranks = r->world.n_node_ranks;
    own->n_threads = t->options->n_threads;
    own->is_pinned = t->binding.pinned;
    own->is_compressed = t->remote.row != NULL;
    own->n_from = p->n_from;
    own->n_to = p->n_to;
    own->n_r = p->blocks.local.n_r;
    own->n_x = p->blocks.local.n_c;
    own->local_nz = p->blocks.local.n_nz;
    own->remote_nz = p->blocks.remote.n_nz;
    own->remote_rows = p->remote_rows;
    own->n_received = p->blocks.n_recv;
    own->n_sent = p->n_out;
    own->scanned_B = sp_scan_bytes(&t->job);
    own->local_columns = p->local_columns;
    own->moved_B = moved_B(own);
    snprintf(own->host, sizeof own->host, "%s", r->world.host);
    snprintf(own->kernel, sizeof own->kernel, "%.60s", t->kernel->name);
}

static enum sp_status gather(const struct team *t, struct sp_mpi_result *r, struct sp_error *err)
{
    void *m = NULL;
    enum sp_status status = SP_OK;
    if (r->world.rank == 0)
        status = sp_new_array(r->world.n_ranks, sizeof *r->rank, "ranks", &m, err);
    r->rank = m;
    status = sp_mpi_agree(t->mpi, &r->world, status, err);
    if (status == SP_OK)
        t->mpi->gather(&r->own, sizeof r->own, r->rank);
    return status;
}

static enum sp_status run(struct team *t, struct sp_mpi_result *r, struct sp_error *err)
{
    const struct sp_mpi *mpi = t->mpi;
    const struct sp_mpi_world *world = &r->world;
    waits(t->options, "reading and dividing the matrix");
    enum sp_status status = sp_mpi_part_get(mpi, world, t->options, &t->part, r, err);
    if (status != SP_OK)
        return status;
    waits(t->options, "making blocks and kernels");
    status = sp_mpi_agree(mpi, world, make_team(t, err), err);
    if (status != SP_OK)
        return status;
    describe(t, r);
    waits(t->options, "the first product");
    note_sent(t, world, -1);
    mpi->phase(PHASE_ONE);
    status = run_once(t, SP_MPI_OVERLAP, err);
    mpi->phase(PHASE_MEASURE);
    note_sent(t, world, 1);
    if (status == SP_OK)
        status = verify(t, world, &r->own, err);
    status = sp_mpi_agree(mpi, world, status, err);
    if (status == SP_OK)
        status = sp_mpi_agree(mpi, world, compare_counts(t, r, err), err);
    if (status != SP_OK)
        return status;
    waits(t->options, "measuring");
    status = sp_mpi_agree(mpi, world, measure(t, r, err), err);
    return status == SP_OK ? gather(t, r, err) : status;
}

enum sp_status sp_mpi_run(const struct sp_mpi *mpi, const struct sp_mpi_world *world,
                          const struct sp_mpi_options *options, struct sp_mpi_result *r, struct sp_error *err)
{
    struct sp_mpi_options here = *options;
    struct team team = {.mpi = mpi, .options = &here};
    int first;
    memset(r, 0, sizeof *r);
    r->world = *world;
    snprintf(r->partition, sizeof r->partition, "%.250s", options->partition);
    mpi->phase(PHASE_SETUP);
    enum sp_status status = sp_topology_read(&r->topology, err);
    if (status == SP_OK) {
        here.n_threads = options->n_threads ? options->n_threads : cores_of_rank(&r->topology, world, &first);
        here.load.n_threads = here.n_threads;
        status = bind(&r->topology, world, here.n_threads, &team.binding, err);
    }
    status = sp_mpi_agree(mpi, world, status, err);
    if (status == SP_OK)
        status = run(&team, r, err);
    waits(options, NULL);
    team_free(&team);
    if (status != SP_OK)
        sp_mpi_result_free(r);
    return status;
}
