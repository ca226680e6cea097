#include "session/mpi/mpi_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/samples.h"

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
