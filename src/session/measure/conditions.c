#include "session/measure/conditions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "base/reading.h"
#include "kernels/control.h"
#include "session/measure/measure_plan.h"
#include "sys/machine/core_to_core.h"
#include "sys/machine/pages.h"
#include "sys/noise.h"

/* A look at all processes may take so long [s]. */
static const double LOOK_S = 0.05;
/* A sentinel waits for cores of its own at most so long [s], and no longer than twice what all
 * looks may take. */
static const double PATIENCE_S = 0.1;
static const double MOST_DISTURBED = 0.1, LEAST_SHARE = 0.1;

const char *sp_condition_name(enum sp_condition condition)
{
    static const char *const names[SP_N_CONDITIONS] = {"not run", "clean", "busy", "assumed", "unusable"};
    return names[condition];
}

static int64_t samples_of(const struct sp_conditions *c)
{
    return c->n_clean + c->n_disturbed + c->n_crowded;
}

void sp_conditions_set(const struct sp_pairs *pairs, struct sp_conditions *c)
{
    c->n_clean = pairs->n_clean;
    c->n_disturbed = pairs->n_disturbed;
    c->n_crowded = pairs->n_crowded;
    c->crowded = pairs->crowded;
    c->moved = pairs->moved;
    const double n = (double)samples_of(c), n_others = n - (double)c->n_clean;
    c->state = n == 0                                            ? SP_NOT_RUN
               : !pairs->clean                                   ? SP_UNUSABLE
               : pairs->crowded || n_others > MOST_DISTURBED * n ? SP_BUSY
                                                                 : SP_CLEAN;
    if (n > 0 && sp_disturbance_is_ignored())
        c->state = SP_ASSUMED;
}

void sp_bystanders_begin(struct sp_bystanders *watch)
{
    memset(watch, 0, sizeof *watch);
    sp_processes_read("", sp_now() + LOOK_S, &watch->before, NULL);
}

void sp_bystanders_end(struct sp_bystanders *watch, struct sp_conditions *conditions)
{
    struct sp_processes after;
    if (sp_processes_read("", sp_now() + LOOK_S, &after, NULL) == SP_OK) {
        conditions->n_others = sp_processes_busy(&watch->before, &after, getpid(), LEAST_SHARE,
                                                 conditions->other, SP_MOST_OTHERS);
        sp_processes_free(&after);
    }
    sp_processes_free(&watch->before);
}

void sp_conditions_name(struct sp_conditions *c, const int *pid, int n)
{
    struct sp_processes all = {0};
    c->n_on_gpu = n;
    if (n > 0)
        sp_processes_read("", sp_now() + LOOK_S, &all, NULL);
    for (int i = 0; i < n && i < SP_MOST_OTHERS; i++)
        for (int k = 0; k < all.n; k++)
            if (all.process[k].pid == pid[i])
                snprintf(c->on_gpu[i], sizeof c->on_gpu[i], "%s", all.process[k].name);
    sp_processes_free(&all);
}

/* What the samples do not show where it was there throughout. */
static size_t gpu_words(const struct sp_conditions *c, size_t used, char *text, size_t size)
{
    int n_named = 0;
    if (c->n_on_gpu > 0 && used < size)
        used += (size_t)snprintf(text + used, size - used, "; %d other program%s on the GPU", c->n_on_gpu,
                                 c->n_on_gpu == 1 ? "" : "s");
    for (int i = 0; i < c->n_on_gpu && i < SP_MOST_OTHERS && used < size; i++)
        if (c->on_gpu[i][0])
            used += (size_t)snprintf(text + used, size - used, "%s%s", n_named++ ? ", " : ": ", c->on_gpu[i]);
    if (c->held_back && used < size)
        used += (size_t)snprintf(text + used, size - used, "; the GPU's clocks are held back by %s",
                                 c->held_back);
    return used;
}

/* Work that no clock of a thread shows: in the other hardware thread of its core. */
static size_t crowd_words(const struct sp_conditions *c, size_t used, char *text, size_t size)
{
    char when[48] = "throughout";
    if (c->n_clean > 0)
        snprintf(when, sizeof when, "during %lld sample%s", (long long)c->n_crowded,
                 c->n_crowded == 1 ? "" : "s");
    if (c->crowded && used < size)
        used += (size_t)snprintf(text + used, size - used,
                                 "; other work shared these cores %s: alone it runs faster", when);
    else if (c->n_crowded > 0 && used < size)
        used += (size_t)snprintf(text + used, size - used,
                                 "; %lld taken while a core was shared with other work %s left out",
                                 (long long)c->n_crowded, c->n_crowded == 1 ? "was" : "were");
    return used;
}

char *sp_conditions_words(const struct sp_conditions *c, char *text, size_t size)
{
    const long long disturbed = (long long)c->n_disturbed, n = (long long)samples_of(c);
    size_t used;
    if (c->state == SP_ASSUMED)
        used = (size_t)snprintf(text, size, "%lld sample%s, taken for undisturbed (SPMODEL_ASSUME)", n,
                                n == 1 ? "" : "s");
    else if (c->state == SP_NOT_RUN)
        used = (size_t)snprintf(text, size, "nothing was run here");
    else if (disturbed == 0)
        used = (size_t)snprintf(text, size, "%lld sample%s, none disturbed", n, n == 1 ? "" : "s");
    else if (c->moved)
        used = (size_t)snprintf(text, size, "the processors moved between caches during all %lld samples", n);
    else if (c->state == SP_UNUSABLE)
        used = (size_t)snprintf(text, size, "%lld of %lld samples were disturbed, too many to replace",
                                disturbed, n);
    else
        used = (size_t)snprintf(text, size, "%lld of %lld samples were disturbed and replaced", disturbed, n);
    used = crowd_words(c, used, text, size);
    if (c->oversubscribed && disturbed > 0 && used < size)
        used +=
            (size_t)snprintf(text + used, size - used, "; more threads than processors disturb each other");
    used = gpu_words(c, used, text, size);
    for (int i = 0; i < c->n_others && disturbed > 0 && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s %.0f %%",
                                 i ? ", " : "; other programs: ", c->other[i].name, 100 * c->other[i].share);
    return text;
}

bool sp_shares_doubt(struct sp_shares *s, char *doubt, size_t size)
{
    const char *why = NULL;
    const bool unusable = s->conditions->state == SP_UNUSABLE, known = sp_value_known(s->of_roof),
               above = known && s->of_roof.value > SP_MOST_OF_ROOF,
               low = known && s->of_remembered < SP_LEAST_OF_REMEMBERED;
    *doubt = '\0';
    if (s->conditions->state == SP_ASSUMED)
        return false;
    if (unusable) {
        why = "other programs disturbed the samples";
        sp_conditions_words(s->conditions, doubt, size);
    } else if (above) {
        why = "it would be more than the roof: the roof is too low, or the bytes are too many";
        snprintf(doubt, size, "its bytes in its time are %.0f %% of %s: %s, or the roof is too low",
                 100 * s->of_roof.value, s->roof, s->fewer_B);
    } else if (low && s->in_memory) {
        why = "the roof is below half of what is remembered for this machine";
        snprintf(
            doubt, size,
            "a load-only run beside it drew %.0f %% of the bandwidth that is remembered for this machine "
            "(spmodel machine measure " SP_O_RENEW ")",
            100 * s->of_remembered);
    } else if (sp_value_known(s->of_model) && s->of_model.value > SP_MOST_OF_ROOF) {
        s->of_model = sp_value_none(s->fast);
    }
    if (why)
        s->of_roof = s->of_model = sp_value_none(why);
    return !unusable && (low || above);
}

enum { SAMPLES = 5, DRAM_SAMPLES = 3, LOOKS = 4 /* that the allowance is shared among */ };
static const double most_s = 0.45;
static const double least_dram_s = 0.1, least_llc_s = 0.02; /* what making their data takes, about */
static const double touching = 0.65;                        /* share of the allowance */
static const double least_drift = 0.1, undisturbed = 0.95;

const char *sp_sentinel_name(enum sp_sentinel_kind kind)
{
    static const char *const names[SP_N_SENTINELS] = {"dram", "llc", "control"};
    return names[kind];
}

bool sp_sentinel_drifted(const struct sp_sentinel *s, double *change)
{
    int first = 0, last = s->n - 1;
    while (first < s->n && s->crowded[first])
        first++;
    while (last > first && s->crowded[last])
        last--;
    if (last <= first || !(s->value[first] > 0))
        return false;
    *change = s->value[last] / s->value[first] - 1;
    return fabs(*change) > fmax(least_drift, 2 * s->spread);
}

static double thread_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of the slowest thread on its own, so that waking threads costs nothing; and the least
 * share of its time that a thread held a processor. */
static struct sp_ceiling_sample control_sample(int n_threads, int64_t steps)
{
    double seconds = 0, most = 0, busy = 1;
#pragma omp parallel num_threads(n_threads) reduction(min : busy) reduction(max : seconds, most)
    {
#pragma omp barrier
        const double cpu = thread_time(), start = sp_now();
        double x = sp_control_chain(steps);
        __asm__ volatile("" : : "m"(x));
        seconds = fmax(sp_now() - start, 1e-9);
        most = thread_time() - cpu;
        busy = fmin(1, most / seconds);
    }
    return (struct sp_ceiling_sample){seconds, (double)steps, busy, most};
}

static void prepare_control(struct sp_sentinel_watch *w)
{
    int64_t n = 1000;
    double t = 0;
    for (;; n *= 2) {
        const struct sp_ceiling_sample s = control_sample(w->seen.n_threads, n);
        t = s.cpu_s;
        if (t >= 0.2 * w->sample_s || n >= (INT64_C(1) << 40))
            break;
        if (s.seconds >= 2 * w->sample_s) { /* long enough by the wall, if the clock of the processor fails */
            t = t > 0 ? t : s.seconds;
            break;
        }
    }
    w->repetitions[SP_SENTINEL_CONTROL] = (int64_t)fmax((double)n * w->sample_s / fmax(t, 1e-9), 1);
}

static const char no_time[] = "the time budget is too short for its data",
                  no_level[] = "no last-level cache is described that holds more than the caches inside it",
                  no_memory[] = "no memory for its data",
                  no_touch[] = "memory is touched too slowly here for data beyond the caches";

/* Data of memory: three times what the caches in use hold. */
static double wanted_bytes(const struct sp_topology *t, int n_domains, double llc_B)
{
    const double claimed =
        t->n_caches > 0 ? (double)t->cache[t->n_caches - 1].size_B * (n_domains > 0 ? n_domains : 1) : 64e6;
    return fmax(fmax(3 * claimed, 3 * llc_B), 64 << 20);
}

static void prepare_loads(struct sp_sentinel_watch *w, const struct sp_topology *t, int n_domains,
                          double memory_B)
{
    struct sp_sentinel *dram = &w->seen.of[SP_SENTINEL_DRAM], *llc = &w->seen.of[SP_SENTINEL_LLC];
    const int n = w->seen.n_threads;
    const double llc_B = t->n_caches > 1 ? (double)sp_measure_working_set(t, t->n_caches - 1, n) : 0;
    const double dram_B = wanted_bytes(t, n_domains, llc_B);
    const bool with_dram = w->allowance_s >= least_dram_s && (memory_B <= 0 || dram_B <= memory_B / 8);
    llc->why = llc_B <= 0 ? no_level : w->allowance_s < least_llc_s ? no_time : NULL;
    dram->why = w->allowance_s < least_dram_s ? no_time : with_dram ? NULL : no_memory;
    if (dram->why && llc->why)
        return;
    const size_t bytes = (size_t)(with_dram ? dram_B : llc_B) + 4096 * (size_t)n;
    if (sp_ceiling_arena_open(&sp_allocator_huge, bytes, n, touching * w->allowance_s, &w->arena, NULL) !=
        SP_OK) {
        dram->why = dram->why ? dram->why : no_memory;
        llc->why = llc->why ? llc->why : no_memory;
        return;
    }
    if (!dram->why && (double)w->arena.bytes < dram_B) /* a part would be another quantity */
        dram->why = no_touch;
    const double size[2] = {dram_B, llc_B};
    for (int i = 0; i < 2; i++) {
        struct sp_sentinel *s = &w->seen.of[i];
        if (!s->why && sp_ceiling_prepare(&w->run[i], &w->arena, SP_CEILING_LOAD, (size_t)size[i], n, 2, NULL,
                                          NULL) != SP_OK)
            s->why = no_memory;
        s->bytes = s->why ? 0 : (double)w->run[i].bytes_used;
    }
    w->repetitions[SP_SENTINEL_DRAM] = 1;
    if (!llc->why)
        w->repetitions[SP_SENTINEL_LLC] = sp_ceiling_calibrate(&w->run[SP_SENTINEL_LLC], w->sample_s);
}

void sp_sentinels_open(struct sp_sentinel_watch *w, const struct sp_topology *topology, int n_threads,
                       int n_domains, double allowance_s, double memory_B, double core_width)
{
    const double start = sp_now();
    memset(w, 0, sizeof *w);
    w->seen.n_threads = n_threads;
    w->core_width = core_width;
    w->allowance_s = fmin(most_s, allowance_s);
    w->sample_s = fmin(1e-3, fmax(2e-4, w->allowance_s / (4.0 * LOOKS * SAMPLES)));
    prepare_control(w);
    prepare_loads(w, topology, n_domains, memory_B);
    w->seen.seconds = sp_now() - start;
}

static struct sp_ceiling_sample take_sample(const struct sp_sentinel_watch *w, int kind)
{
    struct sp_ceiling_sample sample;
    if (kind == SP_SENTINEL_CONTROL)
        return control_sample(w->seen.n_threads, w->repetitions[kind]);
    sp_ceiling_sample(&w->run[kind], w->repetitions[kind], &sample);
    return sample;
}

/* Samples that other programs disturbed are taken again while there is time, and count only where
 * there are too few others. The first sample wakes threads and fills caches; memory needs
 * neither. */
static void look_at(const struct sp_sentinel_watch *w, int kind, struct sp_sentinel *s)
{
    const int wanted = kind == SP_SENTINEL_DRAM ? DRAM_SAMPLES : SAMPLES;
    const double start = sp_now();
    double good[SAMPLES], all[2 * SAMPLES];
    int n_good = 0, n = 0;
    if (s->why || s->n == SP_SENTINEL_LOOKS)
        return;
    if (kind != SP_SENTINEL_DRAM)
        take_sample(w, kind);
    while (n_good < wanted && (n < wanted || (n < 2 * wanted && sp_now() - start < w->allowance_s / 10))) {
        const struct sp_ceiling_sample sample = take_sample(w, kind);
        all[n] = sample.work / sample.seconds;
        if (sample.busy >= undisturbed)
            good[n_good++] = all[n];
        n++;
    }
    const bool enough = n_good >= DRAM_SAMPLES;
    s->value[s->n++] = sp_median(enough ? good : all, enough ? n_good : n);
    s->spread = fmax(s->spread, sp_relative_spread(enough ? good : all, enough ? n_good : n));
}

void sp_sentinels_look(struct sp_sentinel_watch *w, bool optional)
{
    const double start = sp_now();
    if (optional && w->seen.seconds > w->allowance_s)
        return;
    bool crowded =
        !sp_core_await(w->seen.n_threads, w->core_width, optional ? 0 : fmin(PATIENCE_S, 2 * w->allowance_s));
    const double begun = sp_now();
    for (int kind = SP_N_SENTINELS - 1; kind >= 0; kind--) /* memory last: it empties the caches */
        look_at(w, kind, &w->seen.of[kind]);
    crowded |= !sp_core_await(w->seen.n_threads, w->core_width, 0);
    for (int kind = 0; kind < SP_N_SENTINELS; kind++)
        if (w->seen.of[kind].n > 0)
            w->seen.of[kind].crowded[w->seen.of[kind].n - 1] |= crowded;
    w->seen.seconds += sp_now() - (optional ? start : begun); /* what it waited for is no looking */
}

void sp_sentinels_close(struct sp_sentinel_watch *w)
{
    sp_ceiling_arena_close(&w->arena);
}

struct sp_value sp_placement_huge_share(const struct sp_layout *l)
{
    struct sp_pages pages;
    if (l->n_stored == 0 || !l->val)
        return sp_value_none("the matrix has no entries");
    sp_pages_read("", l->val, (size_t)l->n_stored * l->s_a, -1, &pages);
    return pages.huge_share;
}

static int node_of(const struct sp_topology *topology, int os)
{
    for (int i = 0; i < topology->n_cpus; i++)
        if (topology->cpu[i].os == os)
            return topology->cpu[i].numa;
    return -1;
}

struct sp_value sp_placement_local_share(const struct sp_layout *l, const struct sp_binding *binding,
                                         const struct sp_topology *topology)
{
    return sp_placement_domain_share(l, binding, topology, NULL, 0);
}

struct sp_value sp_placement_domain_share(const struct sp_layout *l, const struct sp_binding *binding,
                                          const struct sp_topology *topology, const int *domain_of_thread,
                                          int domain)
{
    if (topology->n_numa < 2)
        return sp_value_none("one NUMA node");
    if (!binding->pinned)
        return sp_value_none("threads are not bound, so no node is theirs");
    if (l->n_stored == 0 || !l->val)
        return sp_value_none("the matrix has no entries");
    if (l->partition.schedule == SP_SCHEDULE_CYCLIC)
        return sp_value_none("blocks are dealt in turn: threads share pages");
    double local = 0, all = 0;
    for (int t = 0; t < l->partition.n_threads; t++) {
        int64_t cursor = 0, first, end;
        if (domain_of_thread && domain_of_thread[t] != domain)
            continue;
        int node = node_of(topology, binding->cpu[t]);
        while (node >= 0 && sp_partition_next(&l->partition, t, &cursor, &first, &end)) {
            struct sp_pages pages;
            int64_t from = sp_layout_ptr(l, first), to = sp_layout_ptr(l, end);
            const char *begin = (const char *)l->val + (size_t)from * l->s_a;
            sp_pages_read("", begin, (size_t)(to - from) * l->s_a, node, &pages);
            if (to == from || pages.remote_share < 0)
                continue;
            local += (1 - pages.remote_share) * (double)(to - from);
            all += (double)(to - from);
        }
    }
    return all > 0 ? sp_value_of(local / all, SP_MEASURED)
                   : sp_value_none("the system does not tell where pages lie");
}
