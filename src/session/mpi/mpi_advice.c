#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/reading.h"
#include "io/matrix/matrix_load.h"
#include "model/hints/hints.h"
#include "session/measure/machine.h"
#include "session/mpi/mpi_run.h"
#include "session/ranks/scaling.h"
#include "session/record/parts.h"
#include "session/trial/tries.h"

/* ---- the fit ---- */

/* Nearest beta, and delta from `from_B` on, to time - latency, relatively; the sum of squares. */
static double fit_from(const struct sp_network_points *p, double latency_s, double from_B, double *delta,
                       double *beta)
{
    double bb = 0, bd = 0, dd = 0, b = 0, d = 0, rest = 0;
    for (int i = 0; i < p->n; i++) {
        const double t = p->time_s[i], x = p->size_B[i] / t, y = p->size_B[i] >= from_B ? 1 / t : 0,
                     z = 1 - latency_s / t;
        bb += x * x;
        bd += x * y;
        dd += y * y;
        b += x * z;
        d += y * z;
    }
    const double determinant = bb * dd - bd * bd;
    *delta = dd > 0 && determinant > 0 ? (bb * d - bd * b) / determinant : 0;
    *beta = dd > 0 && determinant > 0 ? (dd * b - bd * d) / determinant : b / bb;
    if (*delta <= 0 || *beta <= 0) {
        *delta = 0;
        *beta = b / bb;
    }
    for (int i = 0; i < p->n; i++) {
        const double t = latency_s + (p->size_B[i] >= from_B ? *delta : 0) + *beta * p->size_B[i];
        rest += (t / p->time_s[i] - 1) * (t / p->time_s[i] - 1);
    }
    return rest;
}

void sp_network_fit(const struct sp_network_points *p, struct sp_network_path *path)
{
    enum { N_SMALL = 4 }; /* sizes that take the same time: one that was disturbed does not count */
    double latency_s = p->time_s[0];
    for (int i = 1; i < N_SMALL; i++)
        latency_s = fmin(latency_s, p->time_s[i]);
    double delta, beta, least = INFINITY;
    path->node_Bps = sp_value_none("not measured");
    path->rendezvous_s = sp_value_none("none was found");
    path->rendezvous_B = 0;
    path->latency_s = sp_value_of(latency_s, SP_MEASURED);
    path->rank_Bps = sp_value_none("not measured");
    for (int i = p->n; i >= 1; i--) { /* the last one first: no rendezvous at all */
        const double from_B = i < p->n ? p->size_B[i] : INFINITY,
                     rest = fit_from(p, latency_s, from_B, &delta, &beta);
        if (!(rest < 0.9 * least) || !(beta > 0))
            continue;
        least = rest;
        path->rank_Bps = sp_value_of(1 / beta, SP_MEASURED);
        path->rendezvous_B = delta > 0 ? from_B : 0;
        path->rendezvous_s = delta > 0 ? sp_value_of(delta, SP_MEASURED) : sp_value_none("none was found");
    }
}

/* ---- measuring ---- */

static double once(const struct sp_mpi *mpi, void *exchange, int64_t n)
{
    mpi->barrier();
    const double start = sp_now();
    for (int64_t i = 0; i < n; i++) {
        mpi->exchange_begin(exchange);
        mpi->exchange_wait(exchange);
    }
    return (sp_now() - start) / (double)n;
}

/* The median exchange of `size_B` between this rank and `partner`, -1: it has none. Where ranks
 * share cores an exchange takes as long as other programs let it, so there is an end to it. */
static enum sp_status time_size(const struct sp_mpi *mpi, int partner, int64_t size_B, double *buffer,
                                double *time_s, struct sp_error *err)
{
    enum { SAMPLES = 21, FEWEST = 7 };
    static const double sample_s = 2e-3, enough_s = 0.1;
    double sample[SAMPLES];
    void *exchange;
    const int32_t other = partner;
    const int64_t n = size_B / (int64_t)sizeof *buffer;
    const struct sp_mpi_plan plan = {.n_from = partner >= 0,
                                     .n_to = partner >= 0,
                                     .from = &other,
                                     .to = &other,
                                     .n_received = &n,
                                     .n_sent = &n,
                                     .halo = buffer,
                                     .outgoing = buffer + n};
    const enum sp_status status = mpi->exchange_make(&plan, &exchange, err);
    if (status != SP_OK)
        return status;
    once(mpi, exchange, 3);
    const double first_s = mpi->most(once(mpi, exchange, 10));
    const double repetitions = fmin(fmax(sample_s / fmax(first_s, 1e-9), 1), 10000);
    double spent_s = 0;
    int n_samples = 0;
    while (n_samples < SAMPLES && (n_samples < FEWEST || spent_s < enough_s)) {
        sample[n_samples] = mpi->most(once(mpi, exchange, (int64_t)repetitions));
        spent_s += sample[n_samples++] * repetitions;
    }
    *time_s = sp_median(sample, n_samples);
    mpi->exchange_free(exchange);
    return SP_OK;
}

static enum sp_status time_all(const struct sp_mpi *mpi, int partner, double *buffer,
                               struct sp_network_points *p, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    p->n = SP_NETWORK_SIZES;
    for (int i = 0; i < p->n && status == SP_OK; i++) {
        p->size_B[i] = (double)(8 << i);
        status = time_size(mpi, partner, 8 << i, buffer, &p->time_s[i], err);
    }
    return status;
}

static void say_how(const struct sp_mpi_world *w, const struct sp_network_points *p, bool is_within,
                    struct sp_network *network)
{
    struct sp_network_path *path = is_within ? &network->within : &network->between;
    char when[32] = "";
    const time_t now = time(NULL);
    struct tm t;
    if (gmtime_r(&now, &t))
        strftime(when, sizeof when, "%Y-%m-%d", &t);
    snprintf(path->how, sizeof path->how, "8 B: %.3g us; 4 KiB: %.3g us; 64 KiB: %.3g us; 1 MiB: %.3g us",
             1e6 * p->time_s[0], 1e6 * p->time_s[9], 1e6 * p->time_s[13], 1e6 * p->time_s[17]);
    snprintf(network->what, sizeof network->what, "%s of %.60s",
             is_within ? "messages inside a node" : "messages between nodes", w->host);
    snprintf(network->source, sizeof network->source,
             "measured by `spmodel machine measure` with %.100s and %d ranks, %s: exchanges of pairs of "
             "ranks, both "
             "directions at once, medians of up to 21 samples, 8 B to 4 MiB",
             w->library, w->n_ranks, when);
}

enum sp_status sp_network_measure(const struct sp_mpi *mpi, const struct sp_mpi_world *world,
                                  struct sp_network_points *points, struct sp_network *network,
                                  struct sp_error *err)
{
    const int half = world->n_ranks / 2;
    const int partner = world->rank < half       ? world->rank + half
                        : world->rank < 2 * half ? world->rank - half
                                                 : -1;
    const bool is_first = world->rank == 0 || world->rank == half;
    struct sp_network_points all = {0};
    void *buffer = NULL;
    memset(network, 0, sizeof *network);
    network->within.latency_s = network->between.latency_s = sp_value_none("not measured");
    if (world->n_ranks < 2)
        return sp_fail(err, SP_USAGE, "mpirun -n 2 spmodel machine measure " SP_O_NETWORK " FILE",
                       "a network is between two ranks, and this is the only one");
    enum sp_status status = sp_new_array(2 << 20, sizeof(double), "messages", &buffer, err);
    status = sp_mpi_agree(mpi, world, status, err);
    if (status == SP_OK)
        status = sp_mpi_agree(mpi, world, time_all(mpi, is_first ? partner : -1, buffer, points, err), err);
    if (status == SP_OK && half > 1)
        status = sp_mpi_agree(mpi, world, time_all(mpi, partner, buffer, &all, err), err);
    free(buffer);
    if (status != SP_OK)
        return status;
    char host[2][64] = {"", ""};
    memcpy(host[0], world->host, sizeof host[0]);
    memcpy(host[1], world->host, sizeof host[1]);
    mpi->broadcast(host[0], sizeof host[0], 0);
    mpi->broadcast(host[1], sizeof host[1], half);
    const bool is_within = strcmp(host[0], host[1]) == 0;
    struct sp_network_path *path = is_within ? &network->within : &network->between;
    sp_network_fit(points, path);
    if (!sp_value_known(path->rank_Bps))
        return sp_fail(err, SP_ABSENT, "stop what else computes here, and measure again",
                       "larger messages took no longer than small ones: no bandwidth follows from it");
    if (half > 1) /* what all pairs together move one way, in the largest messages */
        path->node_Bps = sp_value_of(half * all.size_B[all.n - 1] / all.time_s[all.n - 1], SP_MEASURED);
    say_how(world, points, is_within, network);
    return SP_OK;
}

/* ---- the job as a machine ---- */

/* One node: all its ranks together draw what their blocks drew. */
static enum sp_status machine_of(const struct sp_mpi_result *r, struct sp_machine *m, struct sp_error *err)
{
    struct sp_ceiling c = {.name = "load", .level = "MEM", .precision = "f64", .n_domains = 1};
    double Bps = 0;
    memset(m, 0, sizeof *m);
    for (int i = 0; i < r->world.n_ranks; i++)
        if (strcmp(r->rank[i].host, r->rank[0].host) == 0) {
            Bps += r->rank[i].scanned_B / r->rank[i].median_s[SP_MPI_ROOF];
            c.n_threads += r->rank[i].n_threads;
        }
    snprintf(m->name, sizeof m->name, "this job");
    m->n_cores = c.n_threads;
    m->n_domains = 1;
    c.value = sp_value_of(Bps, SP_MEASURED);
    return sp_machine_add_ceiling(m, &c, err);
}

/* ---- predictions ---- */

static enum sp_status predict(const struct sp_scaling *s, const struct sp_csr *a, const char *partition,
                              const struct sp_mpi_options *o, double *time_s, struct sp_error *err)
{
    struct sp_ranks ranks;
    struct sp_distributed out = {0};
    const struct sp_scaling_ask ask = {&ranks, s->request.per_node, s->request.n_threads, 1, false};
    enum sp_status status = sp_scaling_divide(partition, a, s->request.count[0], &ranks, err);
    if (status == SP_OK)
        status = sp_scaling_count(s, a, &ask, o->progress, &out, NULL, NULL, err);
    *time_s =
        status == SP_OK && sp_value_known(out.time_s) ? fmin(out.time_s.value, out.overlapped_s.value) : NAN;
    sp_distributed_free(&out);
    sp_ranks_free(&ranks);
    return status;
}

static enum sp_status predict_all(const struct sp_scaling *s, const struct sp_csr *a,
                                  const struct sp_mpi_options *o, struct sp_mpi_advice *advice,
                                  struct sp_error *err)
{
    enum sp_status status = predict(s, a, o->partition, o, &advice->now_s, err);
    for (const struct sp_division *d = sp_division_table; d->name && status == SP_OK; d++) {
        double time_s;
        if (strcmp(d->name, o->partition) == 0 || sp_division_absent(d) || advice->n == SP_MPI_PARTITIONS ||
            (d->make && a->n_nz > SP_MOST_DIVIDED))
            continue;
        if (o->watch.wait)
            o->watch.wait(o->watch.context, "predicting partitions");
        status = predict(s, a, d->name, o, &time_s, err);
        if (status == SP_OK && isfinite(time_s))
            advice->other[advice->n++] = (struct sp_mpi_predicted){d->name, time_s};
    }
    for (int i = 0; i < advice->n; i++)
        if (advice->other[i].time_s < (advice->best < 0 ? advice->now_s : advice->other[advice->best].time_s))
            advice->best = i;
    if (!isfinite(advice->now_s))
        advice->why_not = "the model gives the run no time";
    return status;
}

/* On rank 0. */
static enum sp_status advise(const struct sp_mpi_result *r, const struct sp_mpi_options *o,
                             const struct sp_network *network, struct sp_mpi_advice *advice,
                             struct sp_error *err)
{
    struct sp_machine machine;
    struct sp_csr a = {0};
    struct sp_load_facts facts;
    struct sp_scaling s = {.n = 0};
    s.request.count[0] = r->world.n_ranks;
    s.request.n_counts = 1;
    s.request.per_node = r->rank[0].n_node_ranks;
    s.request.n_threads = r->rank[0].n_threads;
    s.request.workload = (struct sp_workload){.precision = SP_F64, .index = SP_I32};
    s.request.w = 2;
    s.request.machine = &machine;
    s.request.network = network;
    enum sp_status status =
        o->machine ? sp_this_machine(o->machine, s.request.n_threads, 0, o->progress, &machine, err)
                   : machine_of(r, &machine, err);
    if (status == SP_OK && machine.n_cores > 0 &&
        s.request.per_node * s.request.n_threads > machine.n_cores) /* the run itself is none the worse */
        advice->why_not = "the ranks of a node take more cores than the named machine has";
    if (status == SP_OK && !advice->why_not)
        status = sp_matrix_load(o->matrix, &o->load, &a, &facts, err);
    if (status == SP_OK && !advice->why_not)
        status = predict_all(&s, &a, o, advice, err);
    sp_csr_free(&a);
    sp_machine_free(&machine);
    return status;
}

enum sp_status sp_mpi_advise(const struct sp_mpi *mpi, const struct sp_mpi_world *world,
                             const struct sp_mpi_options *o, const struct sp_mpi_result *r,
                             struct sp_mpi_exchange *exchange, struct sp_mpi_advice *advice,
                             struct sp_error *err)
{
    struct sp_network_points points = {0};
    enum sp_status status = SP_OK;
    *advice = (struct sp_mpi_advice){.best = -1};
    advice->why_not = world->n_ranks < 2 ? "one rank has all rows"
                      : r->n_nz == 0     ? "the matrix has no entries"
                                         : NULL;
    if (mpi->most(advice->why_not && world->rank == 0) > 0) /* others do not know the entries */
        return SP_OK;
    if (o->watch.wait)
        o->watch.wait(o->watch.context, "measuring the exchange");
    if (!exchange->is_measured)
        status = sp_network_measure(mpi, world, &points, &exchange->network, err);
    /* all ranks measure again, or none */
    exchange->is_measured = mpi->most(status != SP_OK) == 0;
    if (status == SP_ABSENT) { /* of noise: the run itself is none the worse */
        advice->why_not = "the exchange was too disturbed to measure";
        status = SP_OK;
    }
    const bool several = mpi->most(world->n_node_ranks < world->n_ranks) > 0;
    if (status == SP_OK && several && !sp_value_known(exchange->network.between.latency_s))
        advice->why_not = "messages between nodes were not measured";
    if (status == SP_OK && world->rank == 0 && !advice->why_not)
        status = advise(r, o, &exchange->network, advice, err);
    if (o->watch.wait)
        o->watch.wait(o->watch.context, NULL);
    status = sp_mpi_agree(mpi, world, status, err);
    mpi->broadcast(&advice->best, sizeof advice->best, 0);
    mpi->broadcast(&advice->n, sizeof advice->n, 0);
    mpi->broadcast(&advice->now_s, sizeof advice->now_s, 0);
    for (int i = 0; i < advice->n; i++) { /* names are rows of a table that all have */
        int64_t row = 0;
        while (world->rank == 0 && sp_division_table[row].name != advice->other[i].partition)
            row++;
        mpi->broadcast(&row, sizeof row, 0);
        advice->other[i].partition = sp_division_table[row].name;
        mpi->broadcast(&advice->other[i].time_s, sizeof advice->other[i].time_s, 0);
    }
    return status;
}

/* ---- trials ---- */

static struct sp_value faster_time(const struct sp_mpi_result *r)
{
    const struct sp_mpi_times *t = &r->time[sp_mpi_faster(r)];
    return sp_median_interval(t->sample_s, t->n, SP_MEASURED);
}

struct sp_mpi_trial sp_mpi_trial_of(const struct sp_mpi_result *first, const struct sp_mpi_result *with,
                                    const struct sp_mpi_result *again)
{
    const struct sp_value before = faster_time(first), beside = faster_time(again), then = faster_time(with);
    return (struct sp_mpi_trial){sp_value_between(1 - then.value / beside.value, 1 - then.hi / beside.lo,
                                                  1 - then.lo / beside.hi, SP_MEASURED),
                                 beside.value / before.value};
}

/* ---- in the record ---- */

static void add_trial(struct sp_record *record, const struct sp_hint *hint, const struct sp_mpi_trial *trial)
{
    json_t *list = (json_t *)sp_record_node(record, SP_F_HINTS);
    json_t *item = json_array_get(list, 0);
    if (!item)
        return;
    const enum sp_outcome outcome = sp_conditions_differ(trial->conditions)
                                        ? SP_OTHER_CONDITIONS
                                        : sp_outcome_of(hint->gain_lo, hint->gain_hi, trial->gain);
    json_object_set_new(item, "observed", sp_record_value_json(trial->gain, "1"));
    json_object_set_new(item, "outcome", json_string(sp_outcome_name(outcome)));
    json_object_set_new(item, "conditions", sp_json_number(trial->conditions));
}

void sp_mpi_record_advice(const struct sp_mpi_advice *advice, const struct sp_mpi_result *r,
                          const struct sp_mpi_options *o, const struct sp_mpi_trial *trial,
                          struct sp_record *record)
{
    struct sp_alternative other[SP_MPI_PARTITIONS];
    struct sp_hint_inputs in;
    struct sp_hints hints;
    char launch[32];
    if (advice->why_not)
        return;
    memset(other, 0, sizeof other);
    for (int i = 0; i < advice->n; i++) {
        snprintf(other[i].option, sizeof other[i].option, "%s", advice->other[i].partition);
        other[i].time_s = sp_value_of(advice->other[i].time_s, SP_MODELLED);
    }
    snprintf(launch, sizeof launch, "mpirun -n %d", r->world.n_ranks);
    sp_hint_inputs_init(&in);
    in.matrix = o->matrix;
    sp_change_add(&in.options, SP_OPTION_MPI, "");
    if (o->n_threads > 0)
        sp_change_add_number(&in.options, SP_OPTION_THREADS, o->n_threads);
    in.n_r = r->n_r;
    in.n_c = r->n_c;
    in.n_nz = r->n_nz;
    in.time_s = faster_time(r);
    in.n_ranks = r->world.n_ranks;
    in.launch = launch;
    in.partition = r->partition;
    in.partition_s = sp_value_of(advice->now_s, SP_MODELLED);
    in.n_partitions = advice->n;
    in.partitions = other;
    sp_hints_find(&in, &hints);
    sp_record_hints(record, &hints);
    if (trial && hints.n_hints > 0)
        add_trial(record, &hints.hint[0], trial);
}
