#include "session/measure/measure_plan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/reading.h"

/* All kinds of one level and thread count, of one thread at least what the overlap rule is fitted
 * to (model/ecm.h). NT stores leave the caches: memory only. */
static int add_level(struct sp_measure_job *jobs, int n, const char *level, int n_threads, size_t bytes,
                     bool all)
{
    static const enum sp_ceiling_kind kinds[] = {SP_CEILING_LOAD,  SP_CEILING_LOAD_MIX,
                                                 SP_CEILING_COPY,  SP_CEILING_COPY_NT,
                                                 SP_CEILING_TRIAD, SP_CEILING_TRIAD_NT};
    bool memory = strcmp(level, "MEM") == 0, first = strcmp(level, "L1") == 0;
    for (int i = 0; i < 6 && n < SP_MEASURE_MAX_JOBS; i++) {
        bool streaming = kinds[i] == SP_CEILING_COPY_NT || kinds[i] == SP_CEILING_TRIAD_NT;
        const bool for_rule = n_threads == 1 && !streaming;
        if ((streaming && !memory) || (!all && i > 1 && !for_rule))
            continue;
        struct sp_measure_job *job = &jobs[n++];
        memset(job, 0, sizeof *job);
        job->kind = kinds[i];
        snprintf(job->level, sizeof job->level, "%s", level);
        job->n_threads = n_threads;
        job->bytes = bytes;
        job->w = first ? 1 : 2;
        job->target_s = memory ? 0 : 1e-3; /* memory: one pass */
    }
    return n;
}

/* What gathers take of `bytes`, a working set of n_threads threads in cache k: a power of two a
 * thread. Rounded down; in a shared level up, where less would hardly exceed the level inside and
 * half of the shared one holds it. */
static size_t gather_set(const struct sp_topology *t, int k, int n_threads, size_t bytes)
{
    if (k == 0 || k >= t->n_caches || t->cache[k].cores_sharing <= 1)
        return bytes;
    const struct sp_topology_cache *c = &t->cache[k], *inner = c - 1;
    const int domains = (n_threads + c->cores_sharing - 1) / c->cores_sharing;
    size_t up = 1;
    while (up * (size_t)n_threads < bytes)
        up *= 2;
    const size_t down = up / 2;
    const bool is_much = (double)down >= 1.5 * (double)inner->size_B / inner->cores_sharing;
    const bool fits = (double)up * n_threads <= 0.5 * (double)c->size_B * domains;
    return !is_much && fits ? up * (size_t)n_threads : bytes;
}

static int add_gathers(struct sp_measure_job *jobs, int n, const struct sp_topology *t, int k, int n_threads,
                       size_t bytes)
{
    bytes = gather_set(t, k, n_threads, bytes);
    for (int kind = SP_CEILING_GATHER; kind <= SP_CEILING_GATHER_LOADS && n < SP_MEASURE_MAX_JOBS; kind++) {
        struct sp_measure_job *job = &jobs[n++];
        memset(job, 0, sizeof *job);
        job->kind = (enum sp_ceiling_kind)kind;
        if (k < t->n_caches)
            snprintf(job->level, sizeof job->level, "L%d", t->cache[k].level);
        else
            snprintf(job->level, sizeof job->level, "MEM");
        job->n_threads = n_threads;
        job->bytes = bytes;
        job->w = k == 0 ? 1 : 2; /* as of the others there; nothing is stored */
        job->target_s = k < t->n_caches ? 1e-3 : 3e-3;
    }
    return n;
}

static int add_flops(struct sp_measure_job *jobs, int n, int n_threads)
{
    for (int kind = SP_CEILING_SCALAR_F64; kind <= SP_CEILING_FMA_F32 && n < SP_MEASURE_MAX_JOBS; kind++) {
        struct sp_measure_job *job = &jobs[n++];
        memset(job, 0, sizeof *job);
        job->kind = (enum sp_ceiling_kind)kind;
        snprintf(job->level, sizeof job->level, "core");
        job->n_threads = n_threads;
        job->w = 1;
        job->target_s = 1e-3;
    }
    return n;
}

size_t sp_measure_working_set(const struct sp_topology *t, int k, int m)
{
    const struct sp_topology_cache *c = &t->cache[k];
    if (c->cores_sharing <= 1 && k < t->n_caches - 1)
        return (size_t)(c->size_B / 2) * (size_t)m;
    if (k == 0)
        return (size_t)(c->size_B / 2);
    double inner = (double)t->cache[k - 1].size_B * m;
    int domains = (m + c->cores_sharing - 1) / c->cores_sharing;
    double most = 0.5 * (double)c->size_B * domains, wanted = 2.5 * inner;
    double chosen = wanted < most ? wanted : most;
    return chosen > 1.25 * inner ? (size_t)chosen : 0;
}

/* All counts up to 8, then steps of about a quarter: saturation happens among the first. */
static bool wanted_count(int m, int n_threads, bool quick)
{
    if (m == 1 || m == n_threads)
        return true;
    return !quick && (m <= 8 || m % (m / 4) == 0);
}

/* Jobs of one thread count together, because waking threads disturbs; important ones first. */
int sp_measure_plan(const struct sp_topology *topology, int n_threads, bool quick, size_t arena_B,
                    struct sp_measure_job *jobs)
{
    int n = 0;
    for (int m = n_threads; m >= 1; m--) {
        if (!wanted_count(m, n_threads, quick))
            continue;
        bool end = m == n_threads || m == 1;
        n = add_level(jobs, n, "MEM", m, arena_B, !quick || end);
        if (end) {
            n = add_flops(jobs, n, m);
            n = add_gathers(jobs, n, topology, topology->n_caches, m, arena_B);
        }
        for (int k = topology->n_caches - 1; k >= 0; k--) {
            char level[8];
            size_t bytes = sp_measure_working_set(topology, k, m);
            snprintf(level, sizeof level, "L%d", topology->cache[k].level);
            if (bytes == 0 || bytes > arena_B / 2)
                continue;
            n = add_level(jobs, n, level, m, bytes, !quick && end);
            if (end)
                n = add_gathers(jobs, n, topology, k, m, bytes);
        }
    }
    return n;
}

int sp_measure_plan_loads(const struct sp_topology *topology, int n_threads, size_t arena_B,
                          struct sp_measure_job *jobs)
{
    const int n = sp_measure_plan(topology, n_threads, true, arena_B, jobs);
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (jobs[i].kind <= SP_CEILING_LOAD_MIX && jobs[i].n_threads == n_threads)
            jobs[kept++] = jobs[i];
    return kept;
}

void sp_measure_name(const char *model, int n_cores, char *name, size_t size)
{
    size_t used = 0;
    for (const char *p = *model ? model : "cpu"; *p && used + 16 < size; p++) {
        if (*p == '(' || *p == '@') { /* (R), @ 2.2GHz */
            while (*p == '(' && p[1] && *p != ')' && strchr(p, ')'))
                p = strchr(p, ')');
            if (*p == '@')
                break;
            continue;
        }
        if (isalnum((unsigned char)*p))
            name[used++] = (char)tolower((unsigned char)*p);
        else if (used > 0 && name[used - 1] != '-')
            name[used++] = '-';
    }
    while (used > 0 && name[used - 1] == '-')
        used--;
    name[used] = '\0';
    if (n_cores > 0)
        snprintf(name + used, size - used, "-%dc", n_cores);
}

double sp_measure_age(const char *when)
{
    struct tm t = {0};
    return strptime(when, "%Y-%m-%dT%H:%M:%SZ", &t) ? difftime(time(NULL), timegm(&t)) : NAN;
}

void sp_measure_now(char *text, size_t size)
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

enum { MAX_SIZES = 48, BURSTS = 9, STEPS = 4000 };

enum { CANDIDATES = 120 };

static const double rise_needed = 1.25; /* of memory's latency over the level's; less is no knee */
static const double slack_factor = 1.5, slack = 0.01; /* of the residual inside the interval */

static double share(double capacity, double size)
{
    return capacity < size ? capacity / size : 1;
}

/* Best latencies t[0] of the level, t[1] of memory for a capacity, and the relative residual. */
static double fit(int n, const double *size, const double *latency, double l2_B, double l2_s, double capacity,
                  double t[2])
{
    double aa = 0, ab = 0, bb = 0, ay = 0, by = 0, residual = 0;
    for (int i = 0; i < n; i++) {
        double h2 = share(l2_B, size[i]), h3 = share(capacity, size[i]);
        double a = (h3 - h2) / latency[i], b = (1 - h3) / latency[i], y = 1 - h2 * l2_s / latency[i];
        aa += a * a, ab += a * b, bb += b * b, ay += a * y, by += b * y;
    }
    double determinant = aa * bb - ab * ab;
    if (determinant < 1e-12 * aa * bb || aa <= 0 || bb <= 0)
        return INFINITY;
    t[0] = (ay * bb - by * ab) / determinant;
    t[1] = (by * aa - ay * ab) / determinant;
    for (int i = 0; i < n; i++) {
        double h2 = share(l2_B, size[i]), h3 = share(capacity, size[i]);
        double e = (h2 * l2_s + (h3 - h2) * t[0] + (1 - h3) * t[1]) / latency[i] - 1;
        residual += e * e;
    }
    return sqrt(residual / n);
}

/* A random walk over s bytes hits a cache of capacity C with probability ~min(1, C/s), whatever it
 * replaces, so its latency is h2 t2 + (h3 - h2) t3 + (1 - h3) t_mem. C3, t3 and t_mem are fitted to
 * all sizes at once; the interval is the range of C3 that fits almost as well. */
struct sp_value sp_measure_knee(int n, const double *size_B, const double *latency_s, double l2_B,
                                double stated_B, double l2_s)
{
    if (n < 5)
        return sp_value_none("too few sizes were walked in the time given");
    const bool is_stated = stated_B > 1.5 * l2_B && stated_B < size_B[n - 1] / 1.5;
    double first = 1.5 * l2_B, last = is_stated ? stated_B : size_B[n - 1] / 1.5;
    double capacity[CANDIDATES], residual[CANDIDATES], least = INFINITY, t[2] = {0, 0}, unused[2];
    int best = -1;
    for (int i = 0; i < CANDIDATES; i++) {
        capacity[i] = first * pow(last / first, (double)i / (CANDIDATES - 1));
        residual[i] = fit(n, size_B, latency_s, l2_B, l2_s, capacity[i], unused);
        if (residual[i] < least) {
            least = residual[i];
            best = i;
        }
    }
    if (best >= 0)
        fit(n, size_B, latency_s, l2_B, l2_s, capacity[best], t);
    if (best < 0 || t[0] <= 0 || t[1] < rise_needed * t[0] || (best == CANDIDATES - 1 && !is_stated))
        return sp_value_none("the latency does not rise to a memory level within the sizes walked");
    double lo = capacity[best], hi = lo;
    for (int i = 0; i < CANDIDATES; i++)
        if (residual[i] <= slack_factor * least + slack) {
            lo = capacity[i] < lo ? capacity[i] : lo;
            hi = capacity[i] > hi ? capacity[i] : hi;
        }
    return sp_value_between(capacity[best], lo, hi, SP_MEASURED);
}

/* The best of a few bursts of thousands of steps: interruptions only add. */
static double latency(const struct sp_ceiling_arena *arena, size_t bytes)
{
    double burst[BURSTS];
    int64_t position = 0, lines = (int64_t)(bytes / 64);
    sp_ceiling_chase_build(arena, bytes, 1);
    sp_ceiling_chase(arena, lines < 20000 ? 2 * lines : 20000, &position);
    for (int k = 0; k < BURSTS; k++)
        burst[k] = sp_ceiling_chase(arena, STEPS, &position);
    return sp_quantile(burst, BURSTS, 0);
}

struct sp_value sp_measure_llc(const struct sp_ceiling_arena *arena, int64_t l2_B, int64_t stated_B,
                               double budget_s, double *lo_s, double *hi_s,
                               const struct sp_progress *progress)
{
    double size[MAX_SIZES], seconds[MAX_SIZES], start = sp_now(), taken = 0;
    int n = 0;
    double l2_s = latency(arena, (size_t)l2_B / 2);
    *lo_s = *hi_s = 0;
    for (double s = 2.0 * (double)l2_B; s <= (double)arena->bytes && n < MAX_SIZES; s *= sqrt(2)) {
        /* The next set costs about sqrt(2) of the last one. */
        if (sp_now() - start + 1.5 * taken > budget_s || sp_progress_interrupted(progress))
            break;
        sp_progress_step(progress, "looking for the last-level cache's capacity", s / (double)arena->bytes);
        double t = sp_now();
        size[n] = s;
        seconds[n] = latency(arena, (size_t)s);
        taken = sp_now() - t;
        n++;
    }
    if (n > 0) {
        *lo_s = seconds[0];
        *hi_s = seconds[n - 1];
    }
    return sp_measure_knee(n, size, seconds, (double)l2_B, (double)stated_B, l2_s);
}

/* ---- data that are gone through again and again ---- */

enum { CYCLE_SIZES = 9, CYCLE_PASSES = 7, CYCLE_IGNORED = 2 };

/* Of a set of size S a share h is found again: in a cache of C = S (1 - h)/-ln h by random
 * replacement, of C = h S by the best (model/cache/capacity.h). Sizes with a share between these
 * say what C is, and the law by which they agree on it is the cache's. */
static const double most_found = 0.95, least_found = 0.15;

static double capacity_by(enum sp_keeping law, double size_B, double found)
{
    return law == SP_KEEPS_A_PART ? found * size_B : size_B * (1 - found) / -log(found);
}

/* Largest over smallest. */
static double disagreement(const double *x, int n)
{
    double lo = INFINITY, hi = 0;
    for (int i = 0; i < n; i++) {
        lo = fmin(lo, x[i]);
        hi = fmax(hi, x[i]);
    }
    return hi / lo;
}

struct sp_value sp_measure_cycle_of(int n, const double *size, const double *seconds, double outer,
                                    double stated_B, enum sp_keeping *law)
{
    *law = SP_KEEPS_BY_CHANCE;
    if (n < 3)
        return sp_value_none("too few sets were walked");
    double by[2][CYCLE_SIZES] = {{0}}, inner = seconds[0], lo = 0, hi = stated_B;
    int n_capacities = 0;
    for (int i = 1; i < n; i++)
        inner = fmin(inner, seconds[i]);
    if (outer < rise_needed * inner)
        return sp_value_none("streams are hardly slower from memory than from the last level");
    for (int i = 0; i < n; i++) {
        const double h = (outer - seconds[i]) / (outer - inner);
        if (h >= most_found)
            lo = fmin(size[i], stated_B);
        else if (h > least_found)
            for (int k = 0; k < 2; k++)
                by[k][n_capacities] = capacity_by((enum sp_keeping)k, size[i], h);
        else
            hi = fmin(hi, size[i]);
        n_capacities += h < most_found && h > least_found;
    }
    if (n_capacities > 1 &&
        disagreement(by[SP_KEEPS_A_PART], n_capacities) < disagreement(by[SP_KEEPS_BY_CHANCE], n_capacities))
        *law = SP_KEEPS_A_PART;
    double *capacity = by[*law];
    for (int i = 0; i < n_capacities; i++)
        capacity[i] = fmin(capacity[i], stated_B);
    if (lo <= 0 || (n_capacities == 0 && seconds[n - 1] <= inner * rise_needed))
        return sp_value_none("no size of the sets walked tells the last level's capacity for streams");
    const double value = n_capacities > 0 ? sp_median(capacity, n_capacities) : sqrt(lo * fmax(hi, lo));
    for (int i = 0; i < n_capacities; i++) {
        lo = fmin(lo, capacity[i]);
        hi = i == 0 ? capacity[i] : fmax(hi, capacity[i]);
    }
    return sp_value_between(value, fmin(lo, value), fmax(hi, value), SP_MEASURED);
}

/* The best but one of a few passes [s a byte]: disturbances only add. */
static double pass_s(const struct sp_ceiling_arena *arena, double bytes, int n_threads, const char *isa)
{
    struct sp_ceiling_run run;
    double s[CYCLE_PASSES];
    if (sp_ceiling_prepare(&run, arena, SP_CEILING_LOAD_MIX, (size_t)bytes, n_threads, 2, isa, NULL) != SP_OK)
        return 0;
    for (int i = 0; i < CYCLE_PASSES; i++) {
        struct sp_ceiling_sample sample;
        sp_ceiling_sample(&run, 1, &sample);
        s[i] = sample.seconds / sample.work;
    }
    return sp_median(s + CYCLE_IGNORED, CYCLE_PASSES - CYCLE_IGNORED);
}

struct sp_value sp_measure_cycle(const struct sp_ceiling_arena *arena, int n_threads, int n_domains,
                                 int64_t l2_B, int64_t stated_B, const char *isa, double budget_s,
                                 const struct sp_progress *progress, enum sp_keeping *law)
{
    double size[CYCLE_SIZES], seconds[CYCLE_SIZES];
    const double domains = n_domains > 0 ? n_domains : 1, start = sp_now(), stated = (double)stated_B;
    int n = 0;
    const double outer = pass_s(arena, (double)arena->bytes, n_threads, isa);
    const double first = fmax(stated / 4, 1.5 * (double)l2_B * n_threads / domains);
    for (double s = first; n < CYCLE_SIZES && s * domains <= 0.75 * (double)arena->bytes;
         s *= pow(3 * stated / first, 1.0 / (CYCLE_SIZES - 1))) {
        if (sp_now() - start > budget_s || sp_progress_interrupted(progress))
            break;
        size[n] = s;
        seconds[n] = pass_s(arena, s * domains, n_threads, isa);
        if (!(seconds[n++] > 0))
            return sp_value_none("a set is too small for a stream of each thread");
    }
    return sp_measure_cycle_of(n, size, seconds, outer, stated, law);
}
