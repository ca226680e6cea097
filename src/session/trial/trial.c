#include "session/trial/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "base/reading.h"
#include "base/text.h"
#include "session/analyze/analysis.h"
#include "session/trial/apart.h"
#include "sparse/csr/csr.h"
#include "sparse/csr/permute.h"
#include "sparse/reorder/reorder.h"
#include "sys/machine/pages.h"

static bool set_count(int32_t *field, const char *value, int64_t least, int64_t most)
{
    int64_t n;
    const bool good = sp_parse_count(value, &n) == 0 && n >= least && n <= most;
    *field = good ? (int32_t)n : *field;
    return good;
}

static bool set_index(enum sp_index *field, int index)
{
    *field = index >= 0 ? (enum sp_index)index : *field;
    return index >= 0;
}

/* False: the option does not take this value; each one of SP_OF_CHANGE takes some. */
static bool set_option(struct sp_analyze_options *o, enum sp_option option, const char *value)
{
    const int word = sp_word_among(sp_run_options[option].words, value);
    switch (option) {
    case SP_OPTION_REORDER:
    case SP_OPTION_DROP_ZEROS: /* of the matrix */
        return true;
    case SP_OPTION_FORMAT:
        o->format = value;
        return true;
    case SP_OPTION_SCHEDULE:
        o->schedule = value;
        return true;
    case SP_OPTION_ISA:
        o->isa = value;
        return true;
    case SP_OPTION_PRECISION:
        return (o->precision = sp_precision_from_name(value)) >= 0;
    case SP_OPTION_INDEX:
        return set_index(&o->index, sp_index_from_name(value));
    case SP_OPTION_PREFETCH:
        o->prefetch_given = true;
        return set_count(&o->prefetch, value, 0, SP_MAX_PREFETCH);
    case SP_OPTION_THREADS:
        return set_count(&o->n_threads, value, 1, SP_MAX_THREADS);
    case SP_OPTION_RHS:
    case SP_OPTION_INNER:
        return set_count(&o->r, value, 1, SP_MAX_WIDTH);
    case SP_OPTION_PAGES:
        o->small_pages = word == 1;
        return word >= 0;
    case SP_OPTION_PIN:
        o->not_pinned = word == 1;
        return word >= 0;
    case SP_OPTION_STORE:
        o->store_nt = (enum sp_wish)word;
        return word > SP_CHOICE_AUTO;
    default:
        return false;
    }
}

enum sp_status sp_variant_add(struct sp_variant *variant, const struct sp_change *change,
                              struct sp_error *err)
{
    struct sp_variant v = *variant;
    struct sp_analyze_options scratch = {0};
    for (int k = 0; k < change->n; k++) {
        const struct sp_run_option *o = &sp_run_options[change->option[k]];
        const char *value = sp_change_value(change, change->option[k]);
        if (!(o->bits & SP_OF_CHANGE) || !set_option(&scratch, change->option[k], value))
            return sp_fail(err, SP_USAGE, "spmodel help analyze says what it takes",
                           "'%s%s%s' cannot be tried", o->typed, *value ? " " : "", value);
    }
    if (!sp_change_add_all(&v.change, change))
        return sp_fail(err, SP_USAGE, NULL, "too many options at once");
    v.kernel = NULL;
    *variant = v;
    return SP_OK;
}

enum sp_status sp_variant_check(const struct sp_change *change, struct sp_error *err)
{
    struct sp_variant v = {0};
    struct sp_workload w = {0};
    const char *format = sp_change_value(change, SP_OPTION_FORMAT),
               *schedule = sp_change_value(change, SP_OPTION_SCHEDULE),
               *order = sp_change_value(change, SP_OPTION_REORDER);
    struct sp_reorder_choice choice;
    enum sp_status status = sp_variant_add(&v, change, err);
    if (status == SP_OK && order && sp_reorder_parse(order, 1, 1, &choice, err) == SP_USAGE)
        status = SP_USAGE; /* of what this build lacks, the trial says so */
    if (status == SP_OK && format)
        status = sp_workload_set_format(&w, format, err);
    if (status == SP_OK && schedule)
        status = sp_workload_set_schedule(&w, schedule, err);
    return status;
}

const char *sp_variant_order(const struct sp_variant *v)
{
    const char *order = sp_change_value(&v->change, SP_OPTION_REORDER);
    return order ? order : "";
}

bool sp_variant_drops_zeros(const struct sp_variant *v)
{
    return sp_change_value(&v->change, SP_OPTION_DROP_ZEROS) != NULL;
}

bool sp_variant_is_same(const struct sp_variant *a, const struct sp_variant *b,
                        const struct sp_analyze_options *run)
{
    const struct sp_analyze_options p = sp_variant_options(a, run), q = sp_variant_options(b, run);
    const char *isa[2] = {p.isa ? p.isa : "", q.isa ? q.isa : ""};
    return sp_variant_drops_zeros(a) == sp_variant_drops_zeros(b) &&
           strcmp(sp_variant_order(a), sp_variant_order(b)) == 0 && strcmp(p.format, q.format) == 0 &&
           strcmp(p.schedule, q.schedule) == 0 && strcmp(isa[0], isa[1]) == 0 && p.precision == q.precision &&
           p.index == q.index && p.store_nt == q.store_nt && p.small_pages == q.small_pages &&
           p.not_pinned == q.not_pinned && p.prefetch == q.prefetch && p.n_threads == q.n_threads &&
           p.op == q.op && p.r == q.r;
}

struct sp_analyze_options sp_variant_options(const struct sp_variant *v, const struct sp_analyze_options *run)
{
    struct sp_analyze_options o = *run;
    for (int k = 0; k < v->change.n; k++)
        set_option(&o, v->change.option[k], sp_change_value(&v->change, v->change.option[k]));
    if (!o.prefetch_given &&
        (o.index != run->index || (o.format && run->format && strcmp(o.format, run->format) != 0)))
        o.prefetch = 0; /* the distance that was chosen is that of the run's storage */
    return o;
}

enum { LEAST_PAIRS = 7, MOST_PAIRS = 40 };
/* How long a trial waits for quiet moments [s]. */
#define PATIENCE_S 1

static struct sp_setup_options setup_options(const struct sp_analyze_options *o)
{
    struct sp_meminfo memory; /* what is left now */
    const bool known = sp_meminfo_read("", &memory, NULL) == SP_OK;
    return (struct sp_setup_options){.isa = o->isa,
                                     .plan = o->plan,
                                     .any_format = sp_analyze_tries_formats(o),
                                     .any_prefetch = !o->prefetch_given && o->prefetch == 0,
                                     .store_nt = o->store_nt,
                                     .small_pages = o->small_pages,
                                     .not_pinned = o->not_pinned,
                                     .memory_B = known ? (double)memory.available_B : o->memory_B,
                                     .seed = o->seed,
                                     .machine = o->machine,
                                     .topology = o->topology};
}

/* kernel NULL: the fastest. */
static enum sp_status set_up(const struct sp_csr *matrix, const struct sp_analyze_options *o,
                             const struct sp_kernel *kernel, struct sp_setup *setup, struct sp_error *err)
{
    struct sp_workload workload;
    struct sp_setup_options options = setup_options(o);
    options.kernel = kernel;
    enum sp_status status = sp_analyze_workload(matrix, o, &workload, err);
    return status == SP_OK ? sp_setup_make(&workload, &options, NULL, setup, err) : status;
}

static enum sp_status set_base_up(struct sp_trials *t, struct sp_error *err)
{
    enum sp_status status = set_up(&t->subject->matrix, t->options, t->kernel, &t->own, err);
    if (status == SP_OK) {
        t->base = &t->own;
        t->kernel = t->own.kernel;
    }
    return status;
}

enum sp_status sp_trials_open(const struct sp_subject *subject, const struct sp_analyze_options *options,
                              const struct sp_kernel *kernel, const struct sp_progress *progress,
                              struct sp_trials *t, struct sp_error *err)
{
    memset(t, 0, sizeof *t);
    t->subject = subject;
    t->options = options;
    t->kernel = kernel;
    t->progress = progress;
    return set_base_up(t, err);
}

void sp_trials_borrow(const struct sp_subject *subject, const struct sp_analyze_options *options,
                      const struct sp_setup *run, const struct sp_progress *progress, struct sp_trials *t)
{
    memset(t, 0, sizeof *t);
    t->subject = subject;
    t->options = options;
    t->kernel = run->kernel;
    t->progress = progress;
    t->base = run;
}

void sp_trials_close(struct sp_trials *t)
{
    if (!t)
        return;
    if (t->options && sp_binding_is_held())
        sp_binding_undo(&t->own.binding, t->options->topology);
    sp_setup_free(&t->own);
    sp_csr_free(&t->ordered);
    memset(t, 0, sizeof *t);
}

static bool is_reordered(const struct sp_trials *t, const struct sp_variant *v)
{
    const char *order = sp_variant_order(v);
    return sp_variant_drops_zeros(v) || (*order && strcmp(order, t->subject->reorder) != 0);
}

/* A matrix of the trials' own, in this order (NULL: as it is), timed. As in a command, zeros are
 * left out before the order is looked for. */
static enum sp_status make_ordered(struct sp_trials *t, const struct sp_csr *from, const char *order,
                                   bool drop_zeros, struct sp_error *err)
{
    const struct sp_allocator *allocator = t->options->small_pages ? NULL : &sp_allocator_huge;
    struct sp_csr kept = {0};
    int64_t n_dropped;
    enum sp_status status = SP_OK;
    const double start = sp_now();
    if (drop_zeros) {
        status = sp_csr_permute(from, NULL, NULL, allocator, &kept, err);
        if (status == SP_OK)
            status = sp_csr_drop_zeros(&kept, &n_dropped, err);
        from = &kept;
    }
    if (status == SP_OK && order) {
        status = sp_reorder(order, from, allocator, NULL, &t->ordered, err);
    } else if (status == SP_OK) {
        t->ordered = kept;
        memset(&kept, 0, sizeof kept);
    }
    sp_csr_free(&kept);
    t->reorder_s = sp_now() - start;
    return status;
}

enum sp_status sp_trials_order(struct sp_trials *t, const struct sp_variant *v, struct sp_csr *borrowed,
                               struct sp_error *err)
{
    const struct sp_subject *s = t->subject;
    const char *wanted = sp_variant_order(v);
    const bool other = *wanted && strcmp(wanted, s->reorder) != 0, drop_zeros = sp_variant_drops_zeros(v);
    const struct sp_csr *from = other && s->has_original ? &s->original : &s->matrix;
    const char *order = other && strcmp(wanted, "none") != 0 ? wanted : NULL;
    char made[sizeof t->ordered_by];
    *borrowed = s->matrix;
    if (!is_reordered(t, v))
        return SP_OK;
    if (other && strcmp(s->reorder, "none") != 0 && !s->has_original)
        return sp_fail(err, SP_ABSENT, "leave " SP_O_REORDER " out",
                       "the run itself has been reordered by %s", s->reorder);
    snprintf(made, sizeof made, "%s%s", other ? wanted : s->reorder, drop_zeros ? " without zeros" : "");
    enum sp_status status = SP_OK;
    if (strcmp(t->ordered_by, made) != 0) {
        sp_csr_free(&t->ordered);
        t->ordered_by[0] = '\0';
        t->reorder_s = 0;
        if (order || drop_zeros)
            status = make_ordered(t, from, order, drop_zeros, err);
        if (status == SP_OK)
            snprintf(t->ordered_by, sizeof t->ordered_by, "%s", made);
    }
    *borrowed = order || drop_zeros ? t->ordered : *from;
    return status;
}

double sp_trial_work(const struct sp_workload *variant, const struct sp_workload *run)
{
    struct sp_workload same = *variant;
    same.precision = run->precision;
    return sp_workload_flops(&same) / (double)variant->matrix->n_nz /
           (sp_workload_flops(run) / (double)run->matrix->n_nz);
}

/* Pairs of the variant and the run into the trial. */
static enum sp_status measure(const struct sp_trials *t, const struct sp_setup *setup,
                              const struct sp_analyze_options *o, double budget_s, struct sp_trial *trial,
                              struct sp_error *err)
{
    struct sp_sampling_options s = sp_run_sampling(setup, o, t->progress);
    struct sp_pairs pairs;
    s.against = &t->base->job;
    s.against_binding = &t->base->binding;
    s.protocol.budget_s = budget_s;
    s.protocol.min_samples = t->takes_disturbed ? SP_FEWEST_PAIRS : LEAST_PAIRS;
    s.protocol.max_samples = MOST_PAIRS;
    s.patience_s = t->takes_disturbed ? 0 : PATIENCE_S; /* 0: as an analysis has */
    const double start = sp_now();
    enum sp_status status = sp_sample_pairs(&setup->job, &s, &pairs, err);
    trial->measured_s = sp_now() - start;
    trial->n_clean = pairs.n_clean;
    trial->n_disturbed = pairs.n_disturbed;
    trial->n_crowded = pairs.n_crowded;
    trial->crowded = pairs.crowded;
    if (status == SP_OK && !pairs.clean && !t->takes_disturbed)
        status = sp_fail(err, SP_UNDECIDED, "try again on a quieter machine",
                         "other programs disturbed %lld of %lld samples", (long long)pairs.n_disturbed,
                         (long long)(pairs.n_clean + pairs.n_disturbed));
    if (status != SP_OK) {
        sp_pairs_free(&pairs);
        return status;
    }
    /* Time for a useful operation, where the variant does more of them in one execution. */
    const double work = sp_trial_work(&setup->workload, &t->base->workload);
    trial->disturbed = !pairs.clean;
    trial->time = pairs.time;
    trial->base_time =
        sp_value_between(1 / pairs.roof.value, 1 / pairs.roof.hi, 1 / pairs.roof.lo, SP_MEASURED);
    trial->gain = sp_value_between(1 - 1 / (pairs.inverse.value * work), 1 - 1 / (pairs.inverse.lo * work),
                                   1 - 1 / (pairs.inverse.hi * work), SP_MEASURED);
    trial->n_pairs = pairs.n;
    sp_pairs_free(&pairs);
    return SP_OK;
}

/* A variant that is not pinned begins with threads that may run anywhere. */
static void let_go(const struct sp_trials *t, const struct sp_analyze_options *o)
{
    struct sp_binding team = t->base->binding;
    if (o->not_pinned && team.pinned)
        sp_binding_undo(&team, o->topology);
}

static enum sp_status run_variant(struct sp_trials *t, const struct sp_variant *v, double budget_s,
                                  struct sp_trial *trial, struct sp_error *err)
{
    struct sp_analyze_options o = sp_variant_options(v, t->options);
    struct sp_csr matrix;
    struct sp_setup setup = {0};
    enum sp_status status = t->base ? SP_OK : set_base_up(t, err);
    if (status == SP_OK)
        status = sp_trials_order(t, v, &matrix, err);
    if (status == SP_OK) {
        if (v->kernel && v->prefetch > 0)
            o.prefetch = v->prefetch;
        let_go(t, &o);
        status = set_up(&matrix, &o, v->kernel, &setup, err);
    }
    if (status == SP_OK) {
        trial->reorder_s = is_reordered(t, v) ? t->reorder_s : 0;
        trial->layout_s = setup.layout_s;
        trial->max_error = setup.check.max_error;
        trial->n_processes = 1;
        snprintf(trial->kernel, sizeof trial->kernel, "%s", setup.kernel->name);
        trial->prefetch = setup.workload.prefetch;
        status = measure(t, &setup, &o, budget_s, trial, err);
        if (status == SP_OK && trial->disturbed)
            snprintf(trial->error.what, sizeof trial->error.what, "%s",
                     setup.binding.oversubscribed ? "more threads than processors disturb each other"
                                                  : "other programs computed beside it");
    }
    if (t->base &&
        !sp_binding_is_same(&setup.binding, &t->base->binding)) /* the next set-up is none of this one's */
        sp_binding_restore(&t->base->binding, o.topology, NULL);
    sp_setup_free(&setup);
    return status;
}

enum sp_status sp_trials_run(struct sp_trials *t, const struct sp_variant *v, double budget_s,
                             struct sp_trial *trial, struct sp_error *err)
{
    const double start = sp_now();
    memset(trial, 0, sizeof *trial);
    trial->time = trial->base_time = trial->gain = sp_value_none("it could not be measured");
    trial->status = run_variant(t, v, budget_s, trial, &trial->error);
    trial->cost_s = sp_now() - start;
    if (trial->status != SP_INTERRUPTED)
        return SP_OK;
    if (err)
        *err = trial->error;
    return SP_INTERRUPTED;
}

struct confirmation {
    struct sp_trials *trials;
    const struct sp_variant *variant;
    double budget_s;
    struct sp_trial got;
};

static bool send_trial(void *context, int pipe)
{
    struct confirmation *c = context;
    sp_trials_run(c->trials, c->variant, c->budget_s, &c->got, NULL);
    return sp_apart_send(pipe, &c->got, sizeof c->got);
}

static enum sp_status take_trial(void *context, int pipe, struct sp_error *err)
{
    struct confirmation *c = context;
    if (!sp_apart_receive(pipe, &c->got, sizeof c->got))
        return sp_fail(err, SP_ABSENT, "look at the free memory",
                       "a process for a further run ended before it had measured anything");
    if (c->got.status != SP_OK && err)
        *err = c->got.error;
    return c->got.status;
}

/* Medians over the processes; the gain's interval holds those of all. */
static void pool(const struct sp_trial *one, int n, struct sp_trial *trial)
{
    enum { MOST = 16 };
    double time[MOST], base[MOST], gain[MOST];
    double lo = one[0].gain.lo, hi = one[0].gain.hi;
    *trial = one[0];
    trial->n_pairs = 0;
    for (int i = 0; i < n; i++) {
        time[i] = one[i].time.value;
        base[i] = one[i].base_time.value;
        gain[i] = one[i].gain.value;
        lo = fmin(lo, one[i].gain.lo);
        hi = fmax(hi, one[i].gain.hi);
        trial->n_pairs += one[i].n_pairs;
    }
    trial->time = sp_median_interval(time, n, SP_MEASURED);
    trial->base_time = sp_median_interval(base, n, SP_MEASURED);
    trial->gain = sp_value_between(sp_median(gain, n), lo, hi, SP_MEASURED);
    trial->n_processes = n;
}

enum sp_status sp_trials_confirm(struct sp_trials *t, const struct sp_variant *v, double budget_s,
                                 int n_processes, struct sp_trial *trial, struct sp_error *err)
{
    enum { MOST = 16 };
    struct sp_trial one[MOST];
    struct confirmation c = {t, v, budget_s, {0}};
    struct sp_csr matrix;
    const double start = sp_now();
    int n = 0;
    enum sp_status status = SP_OK;
    struct sp_error why = {0};
    memset(trial, 0, sizeof *trial);
    trial->time = trial->base_time = trial->gain = sp_value_none("it could not be measured");
    sp_trials_order(t, v, &matrix, NULL); /* found once, for all children; what is wrong with it they say */
    sp_setup_free(&t->own);
    t->base = NULL;
    sp_apart_begin();
    while (n < n_processes && n < MOST && status == SP_OK) {
        sp_progress_step(t->progress, "measuring in another process", (double)n / n_processes);
        status = sp_apart(send_trial, take_trial, &c, &why);
        if (status == SP_OK)
            one[n++] = c.got;
    }
    if (n > 0)
        pool(one, n, trial);
    else
        trial->error = why;
    trial->status = n > 0 ? SP_OK : status;
    trial->cost_s = sp_now() - start;
    if (status == SP_INTERRUPTED && err)
        *err = why;
    return status == SP_INTERRUPTED ? status : SP_OK;
}

double sp_trial_setup_executions(const struct sp_trial *t)
{
    return (t->reorder_s + t->layout_s) / t->base_time.value;
}

double sp_trial_pays_after(const struct sp_trial *t)
{
    const double saved_s = t->gain.value * t->base_time.value;
    return saved_s > 0 ? ceil((t->reorder_s + t->layout_s) / saved_s) : INFINITY;
}
