#include "session/sweep/sweep.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/option/option_words.h"
#include "session/analyze/pcore.h"
#include "session/analyze/plan.h"
#include "session/record/format_model.h"
#include "session/record/parts.h"

/* Ceilings are measured too: a point passes whose bound exceeds the best by no more. */
#define BOUND_SLACK 1.05
/* No row is begun after so many times the budget; a small one has more, for it takes time to set
 * the rows up, too. */
#define MOST_TIMES      3
#define MOST_WALL_S     5
#define MOST_MEASURED_S 0.5

struct walk {
    struct sp_trials trials;
    const struct sp_sweep_options *options;
    struct sp_sweep *sweep;
    double start;
    double given_s;         /* of the budget, to the rows so far */
    double measured_s;      /* that they took */
    int64_t n_rows;         /* at most, of the walk */
    struct sp_variant best; /* so far */
    double best_gain;
    double best_s; /* least time seen for the work of the run [s]; INFINITY: nothing was measured */
};

enum sp_status sp_sweep_axis_parse(const char *typed, const char *list, struct sp_sweep_axis *axis,
                                   struct sp_error *err)
{
    axis->n = 0;
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ",");
        /* "sell:8,64": a number after a value that has a colon and no comma yet. */
        const char *colon = memchr(p, ':', n);
        if (p[n] == ',' && colon && isdigit((unsigned char)p[n + 1]) && axis->option == SP_OPTION_FORMAT) {
            const size_t more = strcspn(p + n + 1, ",");
            n += 1 + more;
        }
        if (n == 0 || n >= sizeof axis->value[0] || axis->n == SP_MAX_AXIS_VALUES)
            return sp_fail(err, SP_USAGE, "values are separated by single commas",
                           "%s takes up to %d values, not '%s'", typed, SP_MAX_AXIS_VALUES, list);
        snprintf(axis->value[axis->n++], sizeof axis->value[0], "%.*s", (int)n, p);
        p += n + (p[n] == ',');
    }
    return axis->n > 0 ? SP_OK : sp_fail(err, SP_USAGE, NULL, "%s names no value", typed);
}

/* Least time of the variant for the work of the run [s]; 0 where the model has none. */
static double bound_of(struct walk *k, const struct sp_variant *v)
{
    const struct sp_analyze_options o = sp_variant_options(v, k->trials.options);
    const struct sp_kernel *kernel;
    struct sp_csr m;
    struct sp_workload w;
    struct sp_value rate;
    if (sp_trials_order(&k->trials, v, &m, NULL) != SP_OK || m.n_nz == 0 || strcmp(o.format, "auto") == 0 ||
        sp_analyze_workload(&m, &o, &w, NULL) != SP_OK)
        return 0;
    const double transfers =
        sp_transfer_bound(&w, k->trials.subject->structure.n_c_used, o.machine, o.state == SP_WARM);
    const struct sp_pcore_options p = sp_pcore_options_for(o.machine, &w, o.plan, SP_SPEND_OTHERS);
    double core = 0;
    if (sp_pcore_choose(&w, o.isa, &p, &kernel, &rate, NULL) == SP_OK && rate.hi > 0)
        core = sp_workload_flops(&w) / (rate.hi * w.n_threads);
    return fmax(core, transfers) / sp_trial_work(&w, &k->trials.base->workload);
}

static enum sp_status new_point(struct sp_sweep *s, struct sp_sweep_point **point, struct sp_error *err)
{
    if (s->n == s->most) {
        const int most = s->most > 0 ? 2 * s->most : 64;
        struct sp_sweep_point *more = realloc(s->point, (size_t)most * sizeof *more);
        if (!more)
            return sp_fail(err, SP_MEMORY, "scan fewer values", "no memory for %d points", most);
        s->point = more;
        s->most = most;
    }
    *point = &s->point[s->n++];
    memset(*point, 0, sizeof **point);
    (*point)->trial.gain = sp_value_none("it was not measured");
    return SP_OK;
}

enum sp_sweep_fate sp_sweep_fate_of(enum sp_status status)
{
    return status == SP_OK                             ? SP_SWEEP_MEASURED
           : status == SP_USAGE || status == SP_ABSENT ? SP_SWEEP_IMPOSSIBLE
                                                       : SP_SWEEP_FAILED;
}

enum sp_sweep_fate sp_sweep_take(struct sp_trial *trial)
{
    const enum sp_sweep_fate fate = sp_sweep_fate_of(trial->status);
    if (fate != SP_SWEEP_MEASURED || (!trial->disturbed && trial->n_pairs >= SP_FEWEST_PAIRS))
        return fate;
    if (!trial->disturbed || !trial->error.what[0])
        sp_fail(&trial->error, SP_UNDECIDED, "give it a longer " SP_O_BUDGET,
                "%lld of %lld samples can be used", (long long)trial->n_pairs,
                (long long)(trial->n_clean + trial->n_disturbed + trial->n_crowded));
    trial->time = trial->base_time = trial->gain =
        sp_value_none("fewer than three of its samples were undisturbed");
    return SP_SWEEP_DISTURBED;
}

/* Of all values of the axes of one group; -1: of all. */
static int64_t combinations(const struct sp_sweep_options *o, int group)
{
    int64_t n = 1;
    for (int i = 0; i < o->n_axes; i++)
        if (group < 0 || o->axis[i].group == group)
            n *= o->axis[i].n;
    return n;
}

static int last_group(const struct sp_sweep_options *o)
{
    int last = 0;
    for (int i = 0; i < o->n_axes; i++)
        last = o->axis[i].group > last ? o->axis[i].group : last;
    return last;
}

int64_t sp_sweep_rows(const struct sp_sweep_options *o)
{
    int64_t n = 1; /* the run, with which each group begins */
    if (o->exhaustive)
        return combinations(o, -1);
    for (int group = 0; group <= last_group(o); group++)
        n += combinations(o, group) - 1;
    return n;
}

double sp_sweep_share(const struct sp_sweep_options *o, double given_s, int64_t n_left)
{
    const double left_s = fmax(0, o->budget_s - given_s);
    return fmin(o->point_s, left_s / (double)(n_left > 1 ? n_left : 1));
}

/* Of the budget, for the choice of kernels [s]. */
static double chosen_s(const struct walk *k)
{
    const struct sp_plan *plan = k->trials.options->plan;
    return plan->spent_s[SP_SPEND_CHOICE] + plan->spent_s[SP_SPEND_OTHERS];
}

static double most_wall_s(double budget_s)
{
    return fmax(MOST_TIMES * budget_s, MOST_WALL_S);
}

bool sp_sweep_is_over(double budget_s, double measured_s, double wall_s)
{
    return measured_s > fmax(MOST_TIMES * budget_s, MOST_MEASURED_S) || wall_s > most_wall_s(budget_s);
}

/* Until no further row is begun [s]. */
static double left_s(const struct walk *k)
{
    return fmax(0, most_wall_s(k->options->budget_s) - (sp_now() - k->start));
}

static bool is_over(const struct walk *k)
{
    return sp_sweep_is_over(k->options->budget_s, k->measured_s, sp_now() - k->start);
}

static enum sp_status visit(struct walk *k, const struct sp_variant *v, struct sp_error *err)
{
    struct sp_sweep *s = k->sweep;
    const struct sp_sweep_options *o = k->options;
    for (int i = 0; i < s->n; i++)
        if (sp_change_is_same(&s->point[i].variant.change, &v->change))
            return SP_OK;
    struct sp_sweep_point *p = NULL;
    enum sp_status status = new_point(s, &p, err);
    if (status != SP_OK)
        return status;
    p->variant = *v;
    p->fate = SP_SWEEP_BUDGET;
    if (s->n > 1 && !o->exhaustive && is_over(k))
        return SP_OK;
    char change[SP_CHANGE_VALUES] = "the run";
    if (v->change.n > 0)
        sp_change_as_typed(&v->change, change, sizeof change);
    sp_progress_step(k->trials.progress, change, (double)(s->n - 1) / (double)k->n_rows);
    p->bound_s = o->exhaustive ? 0 : bound_of(k, v);
    p->fate = SP_SWEEP_BOUND;
    if (p->bound_s > BOUND_SLACK * k->best_s)
        return SP_OK;
    const double share_s = sp_sweep_share(o, k->given_s + chosen_s(k), k->n_rows - (s->n - 1));
    struct sp_waiting *waiting = &k->trials.options->plan->waiting;
    waiting->quiet_s = fmin(waiting->quiet_s, left_s(k)); /* nobody waits longer than that */
    k->given_s += share_s;
    status = sp_trials_run(&k->trials, v, share_s, &p->trial, err);
    k->measured_s += p->trial.measured_s;
    p->fate = sp_sweep_take(&p->trial);
    if (p->fate != SP_SWEEP_MEASURED)
        return status;
    if (!sp_value_known(s->base_time))
        s->base_time = p->trial.base_time;
    if (p->trial.gain.value > k->best_gain) {
        k->best_gain = p->trial.gain.value;
        k->best = *v;
    }
    k->best_s = fmin(k->best_s, p->trial.base_time.value * (1 - p->trial.gain.value));
    return status;
}

/* All combinations of the values of one group's axes, on top of `from`; group -1: of all axes. */
static enum sp_status cross(struct walk *k, int group, int axis, const struct sp_variant *from,
                            struct sp_error *err)
{
    const struct sp_sweep_options *o = k->options;
    while (axis < o->n_axes && group >= 0 && o->axis[axis].group != group)
        axis++;
    if (axis == o->n_axes)
        return visit(k, from, err);
    enum sp_status status = SP_OK;
    for (int i = 0; i < o->axis[axis].n && status == SP_OK; i++) {
        struct sp_variant v = *from;
        if (i > 0) { /* the first value is the run's */
            const struct sp_change change = sp_change_of(o->axis[axis].option, o->axis[axis].value[i]);
            status = sp_variant_add(&v, &change, err);
        }
        if (status == SP_OK)
            status = cross(k, group, axis + 1, &v, err);
    }
    return status;
}

static enum sp_status walk_groups(struct walk *k, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int group = 0; group <= last_group(k->options) && status == SP_OK; group++) {
        const struct sp_variant from = k->best;
        status = cross(k, group, 0, &from, err);
    }
    return status;
}

static int by_fate_and_gain(const void *a, const void *b)
{
    const struct sp_sweep_point *p = a, *q = b;
    if (p->fate != q->fate)
        return p->fate < q->fate ? -1 : 1;
    if (p->fate == SP_SWEEP_MEASURED)
        return (p->trial.gain.value < q->trial.gain.value) - (p->trial.gain.value > q->trial.gain.value);
    return (p->bound_s > q->bound_s) - (p->bound_s < q->bound_s);
}

void sp_sweep_rank(struct sp_sweep *s)
{
    struct sp_pairs all = {0};
    sp_sort_by(s->point, s->n, sizeof *s->point, by_fate_and_gain);
    s->best = -1;
    for (int i = 0; i < s->n; i++) {
        struct sp_sweep_point *p = &s->point[i];
        all.n_clean += p->trial.n_clean;
        all.n_disturbed += p->trial.n_disturbed;
        all.n_crowded += p->trial.n_crowded;
        all.clean |= p->fate == SP_SWEEP_MEASURED;
        all.crowded |= p->fate == SP_SWEEP_MEASURED && p->trial.crowded;
        p->tied = p->fate == SP_SWEEP_MEASURED && p->trial.gain.hi >= s->point[0].trial.gain.lo;
        if (p->tied && (s->best < 0 || p->variant.change.n == 0))
            s->best = i;
    }
    sp_conditions_set(&all, &s->conditions);
}

enum sp_status sp_sweep_run(const struct sp_subject *subject, const struct sp_analyze_options *options,
                            const struct sp_sweep_options *o, const struct sp_progress *progress,
                            struct sp_sweep *s, struct sp_error *err)
{
    struct walk k = {.options = o,
                     .sweep = s,
                     .start = sp_now(),
                     .n_rows = sp_sweep_rows(o),
                     .best_gain = -INFINITY,
                     .best_s = INFINITY};
    struct sp_plan plan = {0};
    struct sp_bystanders bystanders;
    struct sp_analyze_options shared = *options;
    memset(s, 0, sizeof *s);
    if (!shared.plan) { /* kernels are chosen as for one analysis, and their rates are measured once */
        sp_plan_begin(&plan, fmin(o->budget_s, options->budget_s));
        plan.waiting.quiet_s = fmax(plan.waiting.quiet_s, MOST_TIMES * o->budget_s); /* of all rows */
        plan.waiting.cores_s = fmax(plan.waiting.cores_s, o->budget_s);
        shared.plan = &plan;
    }
    s->base_time = sp_value_none("nothing was measured");
    s->n_combinations = combinations(o, -1);
    const struct sp_variant none = {0};
    k.best = none;
    sp_bystanders_begin(&bystanders);
    enum sp_status status = sp_trials_open(subject, &shared, NULL, progress, &k.trials, err);
    k.trials.takes_disturbed = true;
    if (status == SP_OK) {
        const struct sp_workload *w = &k.trials.base->workload;
        s->run_options = sp_run_change(options, w, subject);
        status = visit(&k, &none, err);
    }
    if (status == SP_OK)
        status = o->exhaustive ? cross(&k, -1, 0, &none, err) : walk_groups(&k, err);
    sp_trials_close(&k.trials);
    s->cost_s = sp_now() - k.start;
    sp_bystanders_end(&bystanders, &s->conditions);
    sp_sweep_rank(s);
    if (status != SP_OK && status != SP_INTERRUPTED)
        sp_sweep_free(s);
    return status;
}

void sp_sweep_free(struct sp_sweep *s)
{
    if (!s)
        return;
    free(s->point);
    memset(s, 0, sizeof *s);
}

/* A sweep as a record: what it ran on, and every point with its fate. */

static json_t *point_json(const struct sp_sweep_point *p)
{
    static const char *const fates[] = {"measured",     "disturbed",  "cannot be faster",
                                        "no time left", "impossible", "failed"};
    json_t *item = json_object();
    sp_json_change(item, &p->variant.change);
    json_object_set_new(item, "fate", json_string(fates[p->fate]));
    json_object_set_new(item, "bound_s", p->bound_s > 0 ? json_real(p->bound_s) : json_null());
    if (p->fate == SP_SWEEP_DISTURBED || p->fate == SP_SWEEP_IMPOSSIBLE || p->fate == SP_SWEEP_FAILED)
        json_object_set_new(item, "why", json_string(p->trial.error.what));
    if (p->fate != SP_SWEEP_MEASURED)
        return item;
    json_object_set_new(item, "gain", sp_record_value_json(p->trial.gain, "1"));
    json_object_set_new(item, "tied", json_boolean(p->tied));
    json_object_set_new(item, "trial", sp_json_trial(&p->variant, &p->trial));
    return item;
}

void sp_record_sweep(struct sp_record *r, const struct sp_subject *subject,
                     const struct sp_analyze_options *o, const struct sp_sweep *sweep, double budget_s)
{
    char command[400];
    sp_record_subject(r, subject);
    sp_record_machine(r, o->machine);
    if (o->command)
        sp_record_set_text(r, SP_F_COMMAND, o->command);
    sp_record_set_count(r, SP_F_SWEEP_COMBINATIONS, sweep->n_combinations);
    sp_record_set_number(r, SP_F_SWEEP_BUDGET_S, budget_s);
    sp_record_set_number(r, SP_F_SWEEP_COST_S, sweep->cost_s);
    sp_record_set_value(r, SP_F_SWEEP_BASE_TIME, sweep->base_time);
    sp_record_set_object(r, SP_F_SWEEP_POINTS, json_array());
    for (int i = 0; i < sweep->n; i++)
        sp_record_append(r, SP_F_SWEEP_POINTS, point_json(&sweep->point[i]));
    sp_record_conditions(r, &sweep->conditions,
                         sweep->conditions.state == SP_UNUSABLE ? "no point has an undisturbed sample" : "");
    if (sweep->best >= 0)
        sp_record_set_text(r, SP_F_SWEEP_BEST_COMMAND,
                           sp_change_command(subject->argument, &sweep->run_options,
                                             &sweep->point[sweep->best].variant.change, command,
                                             sizeof command));
}
