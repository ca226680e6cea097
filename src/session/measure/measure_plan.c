#include "session/measure/measure_plan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* All kinds of one level and thread count, of one thread at least what the overlap rule is fitted to
 * (model/ecm.h). NT stores leave the caches: memory only. */
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

/* Of a working set of n_threads threads in cache k what gathers take. Theirs is a whole power of two a
 * thread, `bytes` rounded down; of a shared level rounded up where that would be hardly more than the level
 * inside holds, which the gathers would then hit, and half of the shared one holds it. */
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

/* Jobs of one thread count stand together, because waking threads disturbs; the most important ones first. */
int sp_measure_plan(const struct sp_topology *topology, int n_threads, bool quick, size_t arena_B,
                    struct sp_measure_job *jobs)
{
    int n = 0;
    for (int m = n_threads; m >= 1; m--) {
        if (!wanted_count(m, n_threads, quick))
            continue;
        bool end = m == n_threads || m == 1;
        n = add_level(jobs, n, "MEM", m, arena_B, !quick || m == n_threads);
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
