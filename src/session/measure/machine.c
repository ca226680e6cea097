#include "session/measure/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "base/reading.h"
#include "base/text.h"
#include "model/cache/capacity.h"
#include "model/ecm.h"
#include "session/measure/measure_plan.h"
#include "sys/machine/core_to_core.h"
#include "sys/machine/identity.h"
#include "sys/machine/pages.h"
#include "sys/machine/topology.h"
#include "sys/noise.h"

static const double undisturbed = 0.95, fresh_s = 2e-3, stalled = 0.5;
/* Shares of the budget; nothing is begun after the overdraft. */
static const double touching = 0.3, preparing = 0.6, walking = 0.15, cycling = 0.02, paging = 0.1,
                    rows = 0.25, overdraft = 1.2;
enum { ENOUGH = 3 /* samples of one mode */, QUICK_ROUNDS = 15, FULL_ROUNDS = 40 };

struct measurement {
    const struct sp_measure_options *options;
    const struct sp_progress *progress;
    struct sp_measure_notes notes;
    struct sp_topology topology;
    struct sp_binding binding;
    struct sp_ceiling_arena arena;
    struct sp_core_history history;
    int n_jobs;
    struct sp_measure_job *jobs; /* [SP_MEASURE_MAX_JOBS] */
    double start, budget_s;
    char implausible[2048];
    struct sp_core_look last; /* at the first last_threads threads */
    double last_s;            /* when */
    int last_threads;
};

static void remark(struct sp_measure_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void remark(struct sp_measure_notes *notes, const char *format, ...)
{
    size_t used = strlen(notes->remark);
    if (used + 3 >= sizeof notes->remark)
        return;
    if (used > 0)
        used += (size_t)snprintf(notes->remark + used, sizeof notes->remark - used, "; ");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(notes->remark + used, sizeof notes->remark - used, format, arguments);
    va_end(arguments);
}

static enum sp_status stopped(struct sp_error *err)
{
    return sp_fail(err, SP_INTERRUPTED, NULL, "the measurement of the machine was interrupted");
}

static enum sp_status open_arena(struct measurement *m, struct sp_error *err)
{
    const struct sp_topology *t = &m->topology;
    const double unit = 2 << 20, least = 256.0 * (1 << 20);
    double claimed = t->n_caches > 0 ? (double)t->cache[t->n_caches - 1].size_B * t->n_domains : 0;
    double wanted = 4 * claimed > least ? 4 * claimed : least, most = m->options->quick ? least : 8 * least;
    struct sp_meminfo memory;
    if (sp_meminfo_read("", &memory, NULL) == SP_OK && most > 0.25 * (double)memory.available_B)
        most = 0.25 * (double)memory.available_B;
    wanted = m->options->arena_B > 0 ? (double)m->options->arena_B : wanted < most ? wanted : most;
    size_t bytes = wanted > unit ? (size_t)(wanted / unit) * (size_t)unit : (size_t)unit;
    sp_progress_step(m->progress, "touching memory", -1);
    enum sp_status status = sp_ceiling_arena_open(&sp_allocator_huge, bytes, m->binding.n_threads,
                                                  touching * m->budget_s, &m->arena, err);
    if (status != SP_OK)
        return status;
    m->notes.touch_s = m->arena.touch_s;
    m->notes.arena_B = (double)m->arena.bytes;
    struct sp_pages pages;
    sp_pages_read("", m->arena.memory, m->arena.bytes, -1, &pages);
    m->notes.huge_share = sp_value_known(pages.huge_share) ? pages.huge_share.value : -1;
    if (m->notes.huge_share >= 0 && m->notes.huge_share < 0.9)
        remark(&m->notes, "only %.0f %% of the memory is in huge pages", 100 * m->notes.huge_share);
    if (m->arena.bytes < bytes)
        remark(&m->notes,
               "touching memory took %.1f s/GiB, so the memory level was measured on %.0f MiB only",
               m->arena.touch_s * (1 << 30) / m->notes.arena_B, m->notes.arena_B / (1 << 20));
    return sp_progress_interrupted(m->progress) ? stopped(err) : SP_OK;
}

/* The first `n_threads` threads; the latency is of the farthest of a few pairs: neighbours, halves
 * and ends. */
static struct sp_core_look look_at(struct measurement *m, int n_threads)
{
    int other[3] = {1, n_threads / 2, n_threads - 1};
    double farthest = 0;
    for (int i = 0; i < 3 && n_threads > 1; i++) {
        if (other[i] < 1 || (i > 0 && other[i] == other[i - 1]))
            continue;
        const struct sp_core_look look = {.latency_s = sp_core_to_core(m->binding.n_threads, 0, other[i])};
        const double latency = look.latency_s;
        sp_core_history_add(&m->history, &look);
        if (latency == 0) {
            farthest = 0;
            break;
        }
        farthest = latency > farthest ? latency : farthest;
    }
    m->last = (struct sp_core_look){.latency_s = farthest};
    sp_core_crowd(m->binding.n_threads, n_threads, &m->last);
    sp_core_history_add(&m->history, &(struct sp_core_look){.width = m->last.width});
    if (m->binding.uses_smt)
        m->last.share = 0;
    m->last_s = sp_now();
    m->last_threads = n_threads;
    return m->last;
}

/* The look after the sample before serves while it is fresh. Threads that slept meanwhile are woken
 * by a few games and a sample that does not count: a virtual processor that was halted can take
 * milliseconds to return. */
static struct sp_core_look look_before(struct measurement *m, const struct sp_measure_job *job)
{
    if (m->last_threads == job->n_threads && sp_now() - m->last_s < fresh_s)
        return m->last;
    struct sp_core_look look = {0};
    if (job->n_threads == 1) {
        look = look_at(m, 1);
    } else {
        struct sp_ceiling_sample ignored;
        for (int k = 0; k < 4 && look.latency_s == 0; k++)
            look = look_at(m, job->n_threads);
        sp_ceiling_sample(&job->run, job->repetitions, &ignored);
        look = look_at(m, job->n_threads);
    }
    m->last_threads = job->n_threads;
    return look;
}

/* All of a gather's working set visited once: other ceilings have pushed it out of the caches, and
 * a sample is too short to bring it back without that counting. Memory's is not to be in a
 * cache. */
static void warm_gathers(const struct sp_measure_job *job)
{
    struct sp_ceiling_sample ignored;
    if (sp_ceiling_kind_is_gather(job->kind) && strcmp(job->level, "MEM") != 0)
        sp_ceiling_sample(&job->run, sp_ceiling_gather_pass(&job->run), &ignored);
}

static enum sp_status prepare_jobs(struct measurement *m, struct sp_error *err)
{
    const int n_threads = m->binding.n_threads;
    const int n = m->options->loads_only
                      ? sp_measure_plan_loads(&m->topology, n_threads, m->arena.bytes, m->jobs)
                      : sp_measure_plan(&m->topology, n_threads, m->options->quick, m->arena.bytes, m->jobs);
    int kept = 0, left_out = 0;
    for (int i = 0; i < n; i++) {
        struct sp_measure_job *job = &m->jobs[i];
        sp_progress_step(m->progress, "preparing the ceilings", (double)i / n);
        if (sp_now() - m->start > preparing * m->budget_s && strcmp(job->level, "MEM") != 0) {
            left_out++;
            continue;
        }
        struct sp_error reason;
        enum sp_status status = sp_ceiling_prepare(&job->run, &m->arena, job->kind, job->bytes,
                                                   job->n_threads, job->w, m->options->isa, &reason);
        if (status == SP_ABSENT && !m->options->isa)
            continue; /* no fused operations here, say */
        if (status != SP_OK) {
            if (err)
                *err = reason;
            return status;
        }
        warm_gathers(job);
        job->repetitions = job->target_s > 0 ? sp_ceiling_calibrate(&job->run, job->target_s) : 1;
        if (kept != i)
            m->jobs[kept] = *job;
        kept++;
    }
    m->n_jobs = kept;
    if (left_out > 0)
        remark(&m->notes, "%d of %d ceilings were left out for lack of time", left_out, n);
    return SP_OK;
}

static enum sp_status take_samples(struct measurement *m, double until, struct sp_error *err)
{
    int rounds = m->options->quick ? QUICK_ROUNDS : FULL_ROUNDS;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < m->n_jobs; i++) {
            struct sp_measure_job *job = &m->jobs[i];
            if (sp_progress_interrupted(m->progress))
                return stopped(err);
            sp_progress_step(m->progress, "measuring the ceilings", (round + (double)i / m->n_jobs) / rounds);
            if (sp_now() - m->start > (overdraft - walking) * m->budget_s)
                return SP_OK;
            if (job->n_samples == SP_MEASURE_MAX_SAMPLES)
                continue;
            struct sp_measure_sample *s = &job->sample[job->n_samples++];
            struct sp_ceiling_sample sample;
            s->before = look_before(m, job);
            if (job->target_s == 0) /* a pass that brings back what the hypervisor took away meanwhile */
                sp_ceiling_sample(&job->run, job->repetitions, &sample);
            warm_gathers(job);
            sp_ceiling_sample(&job->run, job->repetitions, &sample);
            s->after = look_at(m, job->n_threads);
            s->rate = sample.work / sample.seconds;
            s->disturbed = sample.busy < undisturbed;
        }
        if (round + 1 >= ENOUGH && sp_now() > until)
            break;
    }
    return SP_OK;
}

static enum sp_core_mode mode_of(const struct measurement *m, const struct sp_measure_job *job,
                                 const struct sp_measure_sample *s, bool *changed)
{
    *changed = false;
    if (job->n_threads == 1)
        return SP_CORE_SINGLE;
    enum sp_core_mode before = sp_core_classify(&m->history, s->before),
                      after = sp_core_classify(&m->history, s->after);
    *changed = before != after && before != SP_CORE_UNKNOWN && after != SP_CORE_UNKNOWN;
    return before == after ? before : SP_CORE_UNKNOWN;
}

static void describe(const struct measurement *m, const struct sp_measure_job *job, int n_kept, bool fallback,
                     char *how, size_t size)
{
    char bytes[32] = "registers", pages[48] = "";
    if (job->bytes > 0) {
        snprintf(bytes, sizeof bytes, "%.4g MiB", (double)job->run.bytes_used / (1 << 20));
        if (m->notes.huge_share >= 0)
            snprintf(pages, sizeof pages, ", huge pages %.0f %%", 100 * m->notes.huge_share);
    }
    bool store = job->kind >= SP_CEILING_COPY && job->kind <= SP_CEILING_TRIAD_NT;
    snprintf(how, size, "median of %d of %d samples, %s, %s%s%s, monotonic clock%s", n_kept, job->n_samples,
             job->run.isa_name, bytes, pages,
             !store ? ""
             : job->run.kind == SP_CEILING_COPY_NT || job->run.kind == SP_CEILING_TRIAD_NT
                 ? ", no write-allocate"
             : job->w == 2 ? ", write-allocate counted"
                           : "",
             fallback ? ", DISTURBED by other programs" : "");
}

/* Removes samples below half of the best of their mode: a hypervisor that pages or moves memory
 * stalls a thread without taking its processor time. Returns how many stay. */
static int drop_stalled(double *rate, int n)
{
    double best = 0;
    int kept = 0;
    for (int i = 0; i < n; i++)
        best = rate[i] > best ? rate[i] : best; // NOLINT(clang-analyzer-core.*): n rates were stored
    for (int i = 0; i < n; i++)
        if (rate[i] >= stalled * best)
            rate[kept++] = rate[i];
    return kept;
}

/* A known mode with enough samples goes before an unknown one, else the more frequent one. */
static bool precedes(const int n[SP_N_CORE_MODES], int a, int b)
{
    bool known_a = a != SP_CORE_UNKNOWN && n[a] >= ENOUGH, known_b = b != SP_CORE_UNKNOWN && n[b] >= ENOUGH;
    return known_a != known_b ? known_a : n[a] > n[b];
}

/* Other work in the threads' cores is a disturbance, too. */
static bool is_disturbed(const struct measurement *m, const struct sp_measure_sample *s)
{
    return s->disturbed || sp_core_is_crowded(&s->before, m->history.widest) ||
           sp_core_is_crowded(&s->after, m->history.widest);
}

/* Adds one ceiling a mode that has enough samples, the most frequent first. Where too few were
 * undisturbed, all that were not stalled stand in, flagged. */
static enum sp_status conclude_job(struct measurement *m, const struct sp_measure_job *job,
                                   struct sp_machine *out, struct sp_error *err)
{
    double rate[SP_N_CORE_MODES][SP_MEASURE_MAX_SAMPLES], all[SP_MEASURE_MAX_SAMPLES];
    int n[SP_N_CORE_MODES] = {0}, order[SP_N_CORE_MODES];
    if (job->n_samples == 0)
        return SP_OK;
    for (int i = 0; i < job->n_samples; i++) {
        const struct sp_measure_sample *s = &job->sample[i];
        bool changed;
        enum sp_core_mode mode = mode_of(m, job, s, &changed);
        all[i] = s->rate;
        m->notes.n_samples++;
        const bool disturbed = is_disturbed(m, s);
        m->notes.n_disturbed += disturbed;
        m->notes.n_mode_changed += !disturbed && changed;
        if (!disturbed && !changed)
            rate[mode][n[mode]++] = s->rate;
    }
    for (int mode = 0; mode < SP_N_CORE_MODES; mode++) {
        order[mode] = mode;
        int kept = drop_stalled(rate[mode], n[mode]);
        m->notes.n_disturbed += n[mode] - kept;
        n[mode] = kept;
    }
    for (int i = 1; i < SP_N_CORE_MODES; i++)
        for (int k = i; k > 0 && precedes(n, order[k], order[k - 1]); k--) {
            int t = order[k];
            order[k] = order[k - 1];
            order[k - 1] = t;
        }
    struct sp_ceiling c = {.n_threads = job->n_threads};
    snprintf(c.name, sizeof c.name, "%s", sp_ceiling_kind_name(job->kind));
    snprintf(c.level, sizeof c.level, "%s", job->level);
    snprintf(c.precision, sizeof c.precision, "%s", sp_ceiling_kind_precision(job->kind));
    sp_measure_now(c.when, sizeof c.when);
    for (int i = 0; i < SP_N_CORE_MODES; i++) {
        int mode = order[i];
        bool fallback = i == 0 && n[mode] < ENOUGH;
        if ((n[mode] < ENOUGH || (i > 0 && mode == SP_CORE_UNKNOWN)) && !fallback)
            continue;
        double floor_rate = fallback ? stalled * sp_quantile(all, job->n_samples, 1) : 0;
        int kept = fallback ? 0 : n[mode];
        for (int k = 0; fallback && k < job->n_samples; k++)
            if (all[k] >= floor_rate)
                rate[mode][kept++] = all[k];
        if (fallback)
            mode = job->n_threads == 1 ? SP_CORE_SINGLE : SP_CORE_UNKNOWN;
        const double *samples = fallback ? rate[order[i]] : rate[mode];
        snprintf(c.mode, sizeof c.mode, "%s", sp_core_mode_name((enum sp_core_mode)mode));
        c.n_domains = mode == SP_CORE_SPLIT && m->binding.n_domains < 2 ? 2 : m->binding.n_domains;
        if (job->n_threads == 1)
            c.n_domains = 1;
        c.value = sp_median_interval(samples, kept, SP_MEASURED);
        c.set_B = (double)job->run.bytes_used;
        c.sample = (double *)samples;
        c.n_samples = kept;
        describe(m, job, kept, fallback, c.how, sizeof c.how);
        enum sp_status status = sp_machine_add_ceiling(out, &c, err);
        if (status != SP_OK)
            return status;
        if (fallback)
            break;
    }
    return SP_OK;
}

static void describe_machine(const struct measurement *m, struct sp_machine *out)
{
    const struct sp_topology *t = &m->topology;
    struct sp_cpuid cpu;
    struct sp_identity identity;
    sp_cpuid_read("", &cpu);
    sp_identity_read("", t, &identity);
    if (m->options->name)
        snprintf(out->name, sizeof out->name, "%s", m->options->name);
    else
        sp_measure_name(cpu.model, t->n_cores, out->name, sizeof out->name);
    snprintf(out->cpu, sizeof out->cpu, "%.100s%s", *cpu.model ? cpu.model : "unknown CPU",
             cpu.hypervisor ? ", virtual machine" : "");
    snprintf(out->source, sizeof out->source,
             "measured by spmodel machine measure%s; caches and topology as %s claims",
             m->options->quick ? " " SP_O_QUICK : "", t->source);
    snprintf(out->env_key, sizeof out->env_key, "%s", identity.env_key);
    out->n_sockets = t->n_packages;
    out->n_numa = t->n_numa;
    out->n_domains = t->n_domains;
    out->n_cores = t->n_cores;
    out->threads_per_core = t->threads_per_core;
    out->frequency_Hz = cpu.frequency_Hz;
    for (int k = 0; k < t->n_caches && k < SP_MAX_CACHES; k++) {
        out->cache[k] = (struct sp_cache){.level = t->cache[k].level,
                                          .size_B = t->cache[k].size_B,
                                          .line_B = t->cache[k].line_B > 0 ? t->cache[k].line_B : 64,
                                          .ways = t->cache[k].ways,
                                          .cores_sharing = t->cache[k].cores_sharing,
                                          .effective_B = sp_value_none("measured for the last level only")};
        out->n_caches++;
    }
}

static enum sp_status conclude(struct measurement *m, struct sp_machine *out, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    m->notes.n_samples = m->notes.n_disturbed = m->notes.n_mode_changed = 0;
    describe_machine(m, out);
    for (int i = 0; status == SP_OK && i < m->n_jobs; i++)
        status = conclude_job(m, &m->jobs[i], out, err);
    if (status == SP_OK)
        m->notes.n_implausible = sp_machine_drop_implausible(out, m->implausible, sizeof m->implausible);
    return status;
}

static void conclude_llc(struct measurement *m, double budget_s, struct sp_machine *out)
{
    if (out->n_caches < 2)
        return;
    double inner, outer;
    struct sp_cache *llc = &out->cache[out->n_caches - 1];
    int64_t l2 = out->cache[out->n_caches - 2].size_B;
    llc->cycle_B = sp_measure_cycle(&m->arena, m->binding.n_threads, m->binding.n_domains, l2, llc->size_B,
                                    m->options->isa, cycling * m->budget_s, m->progress, &llc->keeping);
    const struct sp_value effective =
        sp_measure_llc(&m->arena, l2, llc->size_B, budget_s, &inner, &outer, m->progress);
    char size[32], when[24];
    sp_measure_now(when, sizeof when);
    sp_capacity_add(llc, effective, when, l2);
    if (!sp_value_known(effective)) {
        llc->effective_B = effective;
        remark(&m->notes, "effective last-level capacity: %s (%.0f to %.0f ns)", effective.why, 1e9 * inner,
               1e9 * outer);
    }
    double believed = (double)sp_cache_believed_B(&out->cache[out->n_caches - 1]);
    if (m->notes.arena_B < 4 * believed * (out->n_domains > 0 ? out->n_domains : 1))
        remark(
            &m->notes,
            "the memory level's %s are less than four last-level caches, part of it may be cache bandwidth",
            sp_text_bytes(size, sizeof size, m->notes.arena_B));
}

/* A corrected copy that is faster than loads alone moved fewer bytes than were counted. */
static void look_for_evasion(struct measurement *m, const struct sp_machine *out)
{
    int n = m->binding.n_threads;
    const struct sp_ceiling *load = sp_machine_ceiling(out, "load", "MEM", "f64", n, NULL, NULL);
    const struct sp_ceiling *copy =
        load ? sp_machine_ceiling(out, "copy", "MEM", "f64", n, load->mode, NULL) : NULL;
    if (copy && copy->value.lo > 1.05 * load->value.hi)
        remark(&m->notes,
               "the write-allocate corrected copy is %.2f times as fast as loads: plain stores seem to evade "
               "the "
               "write-allocate, so w is below 2 here",
               copy->value.value / load->value.value);
}

/* When it was measured, and why its figures are not trusted for long. */
static void judge(const struct measurement *m, struct sp_machine *out)
{
    const struct sp_measure_notes *n = &m->notes;
    const double least_B = 128.0 * (1 << 20);
    struct sp_machine_measured *q = &out->measured;
    *q = (struct sp_machine_measured){.n_times = 1,
                                      .n_samples = n->n_samples,
                                      .n_disturbed = n->n_disturbed,
                                      .core_width = m->history.widest};
    sp_measure_now(q->when, sizeof q->when);
    if (n->n_disturbed * 2 > n->n_samples && !sp_disturbance_is_ignored())
        snprintf(q->doubt, sizeof q->doubt, "%d of %d samples were disturbed by other programs",
                 n->n_disturbed, n->n_samples);
    else if (n->n_implausible > 0)
        snprintf(q->doubt, sizeof q->doubt, "%d figure%s contradicted others and %s left out",
                 n->n_implausible, n->n_implausible == 1 ? "" : "s", n->n_implausible == 1 ? "was" : "were");
    else if (m->options->arena_B == 0 && n->arena_B < least_B)
        snprintf(q->doubt, sizeof q->doubt, "memory was measured on %.0f MB only", n->arena_B / 1e6);
}

static enum sp_status measure(struct measurement *m, struct sp_machine *out, struct sp_error *err)
{
    enum sp_status status = sp_topology_read(&m->topology, err);
    if (status == SP_OK)
        status = sp_binding_plan(&m->topology, m->options->n_threads, SP_COMPACT, &m->binding, err);
    if (status != SP_OK)
        return status;
    struct sp_error reason;
    if (sp_binding_apply(&m->binding, &reason) != SP_OK)
        remark(&m->notes, "%s", reason.what);
    m->notes.pinned = m->binding.pinned;
    status = open_arena(m, err);
    if (status == SP_OK)
        status = sp_new_array(SP_MEASURE_MAX_JOBS, sizeof *m->jobs, "the ceilings", (void **)&m->jobs, err);
    if (status == SP_OK)
        status = prepare_jobs(m, err);
    /* The walk leaves the memory full of pointers, which hurts no later load; it comes last so that
     * a tight budget costs it and not the bandwidths. */
    const double walk_s = walking * m->budget_s;
    if (status == SP_OK)
        status = take_samples(m, m->start + m->budget_s - walk_s, err);
    if (status != SP_OK)
        return status;
    status = conclude(m, out, err);
    if (status == SP_OK && m->notes.n_implausible > 0) { /* once more, as long as the overdraft lasts */
        sp_machine_free(out);
        status = take_samples(m, m->start + overdraft * m->budget_s - walk_s, err);
        if (status == SP_OK)
            status = conclude(m, out, err);
    }
    if (status == SP_OK && !m->options->loads_only) {
        look_for_evasion(m, out);
        sp_measure_pages(&m->arena, &m->topology, m->binding.n_threads, paging * m->budget_s, m->progress,
                         out);
        conclude_llc(m, walk_s, out);
    }
    if (status == SP_OK && !m->options->loads_only) {
        sp_ecm_refit(out);
        status = sp_measure_units(&m->topology, m->binding.n_threads, m->options->isa, rows * m->budget_s,
                                  m->progress, out, err);
    }
    judge(m, out);
    if (sp_progress_interrupted(m->progress))
        status = stopped(err);
    return status;
}

enum sp_status sp_machine_measure(const struct sp_measure_options *options, struct sp_machine *out,
                                  struct sp_measure_notes *notes, const struct sp_progress *progress,
                                  struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    struct measurement m = {.options = options, .progress = progress, .start = sp_now()};
    m.notes.huge_share = -1;
    m.budget_s = options->budget_s > 0 ? options->budget_s : options->quick ? 8 : 90;
    char few[200];
    enum sp_status status = measure(&m, out, err);
    if (m.history.n > 0) {
        m.notes.core_to_core_lo_s = m.history.latency_s[0];
        m.notes.core_to_core_hi_s = m.history.latency_s[m.history.n - 1];
    }
    if (m.notes.n_implausible > 0)
        remark(&m.notes, "left out, because they cannot be: %s",
               sp_text_items(few, sizeof few, m.implausible, m.notes.n_implausible));
    if (m.notes.n_disturbed * 4 > m.notes.n_samples)
        remark(&m.notes, "other programs disturbed %.0f %% of the samples: measure again on a quiet machine",
               100.0 * m.notes.n_disturbed / m.notes.n_samples);
    if (m.binding.pinned)
        sp_binding_undo(&m.binding, &m.topology);
    m.notes.seconds = sp_now() - m.start;
    free(m.jobs);
    sp_ceiling_arena_close(&m.arena);
    sp_binding_free(&m.binding);
    sp_topology_free(&m.topology);
    if (status != SP_OK)
        sp_machine_free(out);
    if (notes)
        *notes = m.notes;
    return status;
}
