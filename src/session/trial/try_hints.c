/* Hints tried with a budget of their own, over several analyses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "io/record/record.h"
#include "session/trial/tries.h"
#include "sparse/structure/structure.h"

enum { MOST_ROUNDS = 3, MOST_CONFIRMED = 3 };
/* Two changes together may be this much slower than the better one alone and still be as
 * predicted. */
#define SLACK 0.03

struct trying {
    struct sp_trials trials;
    struct sp_tries *tries;
    double start;
    double analysis_s; /* that the run's own analysis took: what the next one is expected to take */
    double run_s; /* of the run when it was analysed, which its hints' predictions are made for; 0: unknown */
};

/* 1 - (1 - a)(1 - b): the gain of two changes that leave each other alone. */
static double gain_of_both(double a, double b)
{
    return 1 - (1 - a) * (1 - b);
}

static double spent_s(const struct trying *t)
{
    return sp_now() - t->start;
}

static bool has_time(const struct trying *t)
{
    return sp_tries_has_time(t->tries, spent_s(t), sp_tries_trial_s(t->tries));
}

/* Runs it, unless there is no time for it. */
static enum sp_status try_one(struct trying *t, struct sp_try *one, struct sp_error *err)
{
    if (!has_time(t)) {
        one->trial.status = sp_fail(&one->trial.error, SP_ABSENT, "give it a longer " SP_O_BUDGET,
                                    "the time for trials was spent");
        one->trial.gain = sp_value_none("the time for trials was spent");
        return SP_OK;
    }
    char change[SP_CHANGE_VALUES];
    sp_progress_step(t->trials.progress, sp_change_as_typed(&one->variant.change, change, sizeof change),
                     spent_s(t) / t->tries->budget_s);
    enum sp_status status =
        sp_trials_run(&t->trials, &one->variant, t->tries->budget_s / SP_TRY_PARTS, &one->trial, err);
    one->outcome = sp_try_outcome(one);
    one->variant.kernel = one->trial.status == SP_OK ? sp_kernel_find(one->trial.kernel) : NULL;
    one->variant.prefetch = one->trial.prefetch;
    return status;
}

/* Gains seen under other conditions say little beside those of the rest: they are measured once
 * more, and the measurement that was nearer to what the predictions are made for is kept. */
static enum sp_status repeat_under_other_conditions(struct trying *t, int from, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = from; i < t->tries->n && status == SP_OK; i++) {
        struct sp_try *one = &t->tries->one[i], again = *one;
        if (one->outcome != SP_OTHER_CONDITIONS || !sp_try_is_gain(one) || !has_time(t))
            continue;
        status = try_one(t, &again, err);
        again.trial.cost_s += one->trial.cost_s;
        if (again.trial.status == SP_OK &&
            fabs(log(sp_try_conditions(&again))) < fabs(log(sp_try_conditions(one))))
            *one = again;
    }
    return status;
}

static struct sp_try *new_try(struct sp_tries *tries, int round)
{
    if (tries->n == SP_MAX_TRIES)
        return NULL;
    struct sp_try *one = &tries->one[tries->n++];
    *one = (struct sp_try){.round = round};
    one->trial.time = one->trial.base_time = one->trial.gain = sp_value_none("it was not tried");
    one->trial.status = SP_ABSENT;
    return one;
}

/* Was this variant tried before, or is it the run itself? A hint that comes again is not news. */
static bool is_again(const struct trying *t, const struct sp_variant *v)
{
    const struct sp_analyze_options *run = t->trials.options;
    const struct sp_variant none = {0};
    for (int i = 0; i < t->tries->n; i++)
        if (t->tries->one[i].trial.status == SP_OK && sp_variant_is_same(&t->tries->one[i].variant, v, run))
            return true;
    return sp_variant_is_same(&none, v, run);
}

/* One hint on top of what has won so far (NULL: of the run); for_s: time of the run that it is made
 * for. */
static enum sp_status try_hint(struct trying *t, const struct sp_hint *hint, const struct sp_try *won,
                               double for_s, int round, struct sp_error *err)
{
    struct sp_try *one = new_try(t->tries, round);
    if (!one)
        return SP_OK;
    snprintf(one->id, sizeof one->id, "%s", hint->id);
    snprintf(one->ids, sizeof one->ids, "%.63s%s%s", won ? won->ids : "", won ? " " : "", hint->id);
    snprintf(one->confidence, sizeof one->confidence, "%s", sp_confidence_name(hint->confidence));
    one->own = hint->change;
    one->for_s = for_s;
    one->own_lo = hint->gain_lo;
    one->own_hi = hint->gain_hi;
    one->lo = won ? gain_of_both(won->trial.gain.value, hint->gain_lo) : hint->gain_lo;
    one->hi = won ? gain_of_both(won->trial.gain.value, hint->gain_hi) : hint->gain_hi;
    if (won)
        one->variant = won->variant;
    const char *why = "nothing that this program could do by itself";
    if (hint->change.n == 0) {
        one->trial.status =
            sp_fail(&one->trial.error, SP_ABSENT, NULL, "no option of this program does that for this run");
    } else if (sp_variant_add(&one->variant, &hint->change, &one->trial.error) != SP_OK) {
        one->trial.status = SP_ABSENT;
    } else if (is_again(t, &one->variant)) {
        why = "another hint proposes the same";
        one->trial.status = sp_fail(&one->trial.error, SP_ABSENT, NULL, "%s", why);
    } else {
        return try_one(t, one, err);
    }
    one->trial.gain = sp_value_none(why);
    return SP_OK;
}

/* The last of the hints' ids: what it was tried on top of is the winner's as well. */
static const char *id_of(const struct sp_try *one)
{
    const char *blank = strrchr(one->ids, ' ');
    return blank ? blank + 1 : one->ids;
}

/* Adds this round's winners to the best of them, one after the other; keeps what pays. */
static enum sp_status combine(struct trying *t, int from, int to, int round, double from_gain,
                              struct sp_error *err)
{
    struct sp_tries *tries = t->tries;
    bool used[SP_MAX_TRIES] = {false};
    struct sp_variant added = {0}; /* by this round */
    const struct sp_try *won = sp_tries_best(tries), *next;
    if (!won || won - tries->one < from)
        return SP_OK;
    used[won - tries->one] = true;
    enum sp_status status = sp_variant_add(&added, &won->own, err);
    while (status == SP_OK && (next = sp_tries_next(tries, from, to, &added, used))) {
        used[next - tries->one] = true;
        struct sp_try *one = new_try(tries, round);
        if (!one)
            break;
        one->variant = won->variant;
        /* What the second gave by itself is known; beside the first it may also give nothing. */
        const double next_hi = fmax(next->own_hi, sp_try_gain_alone(next, from_gain));
        one->lo = gain_of_both(won->trial.gain.value, -SLACK);
        one->hi = gain_of_both(won->trial.gain.value, next_hi);
        one->for_s = won->trial.base_time.value;
        snprintf(one->ids, sizeof one->ids, "%.39s %.39s", won->ids, id_of(next));
        if (sp_variant_add(&one->variant, &next->own, &one->trial.error) != SP_OK)
            continue;
        if (is_again(t, &one->variant)) {
            tries->n--;
            continue;
        }
        status = try_one(t, one, err);
        if (status == SP_OK && sp_try_is_gain(one) &&
            sp_try_is_worth_adding(one->trial.gain.value, won->trial.gain.value)) {
            won = one;
            status = sp_variant_add(&added, &next->own, err);
        }
    }
    return status;
}

/* Hints of the configuration that has won so far, and its time. */
static enum sp_status hints_of(struct trying *t, const struct sp_try *won, struct sp_hints *hints,
                               double *time_s, struct sp_error *err)
{
    struct sp_analyze_options o = sp_variant_options(&won->variant, t->trials.options);
    struct sp_subject subject = *t->trials.subject;
    struct sp_record record = {0};
    enum sp_status status = SP_OK;
    const char *order = sp_variant_order(&won->variant);
    const bool drops = sp_variant_drops_zeros(&won->variant);
    if (drops)
        subject.facts.n_dropped += subject.structure.n_zeros;
    if (*order)
        snprintf(subject.reorder, sizeof subject.reorder, "%.31s", order);
    if (*order || drops) {
        status = sp_trials_order(&t->trials, &won->variant, &subject.matrix, err);
        if (status == SP_OK)
            status = sp_structure_analyse(&subject.matrix, &subject.structure, err);
    }
    if (status == SP_OK)
        status = sp_analyze_hints(&subject, &o, t->trials.progress, &record, hints, err);
    *time_s = sp_record_value(&record, SP_F_METRICS_TIME).value;
    sp_record_free(&record);
    return status;
}

/* What the winner's analysis proposes and nobody has tried on top of it. */
static bool is_new(const struct trying *t, const struct sp_try *won, const struct sp_hint *hint)
{
    struct sp_variant v = won->variant;
    return hint->change.n > 0 && sp_variant_add(&v, &hint->change, NULL) == SP_OK && !is_again(t, &v);
}

/* The round ends where the winner cannot be analysed; what was tried before stands. */
static void note_failure(struct sp_tries *tries, const struct sp_try *won, int round,
                         const struct sp_error *why)
{
    struct sp_try *one = new_try(tries, round);
    if (!one)
        return;
    snprintf(one->ids, sizeof one->ids, "%s", won->ids);
    one->variant = won->variant;
    one->trial.error = *why;
    one->trial.gain = sp_value_none("its analysis failed");
}

/* A change opens the way for others: what the winner's own analysis proposes. */
static enum sp_status next_round(struct trying *t, int round, bool *more, struct sp_error *err)
{
    struct sp_tries *tries = t->tries;
    const struct sp_try *best = sp_tries_best(tries);
    struct sp_hints hints;
    double won_s = 0;
    *more = false;
    const double round_s = t->analysis_s + sp_tries_trial_s(tries);
    if (!best || best->round != round - 1 || !sp_tries_has_time(tries, spent_s(t), round_s))
        return SP_OK;
    const struct sp_try won = *best;
    struct sp_error why;
    enum sp_status status = hints_of(t, &won, &hints, &won_s, &why);
    if (status != SP_OK && status != SP_INTERRUPTED) {
        note_failure(tries, &won, round, &why);
        return SP_OK;
    }
    if (status == SP_INTERRUPTED && err)
        *err = why;
    /* The run beside the winner as it is now, from how the two compared in the winner's trial. */
    const double for_s = won_s * won.trial.base_time.value / won.trial.time.value;
    const int from = tries->n;
    for (int i = 0; status == SP_OK && i < hints.n_hints; i++)
        if (is_new(t, &won, &hints.hint[i])) {
            status = try_hint(t, &hints.hint[i], &won, for_s, round, err);
            *more = true;
        }
    if (status == SP_OK)
        status = repeat_under_other_conditions(t, from, err);
    return status == SP_OK ? combine(t, from, tries->n, round, won.trial.gain.value, err) : status;
}

/* What a careful user runs anyway: no credit for leaving it. Merge shares rows and entries equally
 * by itself. */
static enum sp_status try_honest(struct trying *t, struct sp_error *err)
{
    const struct sp_analyze_options *o = t->trials.options;
    struct sp_try *honest = &t->tries->honest;
    honest->variant = (struct sp_variant){0};
    honest->trial.gain = sp_value_none("the run is so");
    const bool merges = strcmp(o->schedule, "merge") == 0, shares = merges || strcmp(o->schedule, "nnz") == 0;
    snprintf(t->tries->run_is, sizeof t->tries->run_is,
             "the run is pinned, with equal shares of %s, on huge pages",
             merges ? "rows and entries" : "entries");
    if (shares && !o->small_pages && !o->not_pinned)
        return SP_OK;
    struct sp_change *change = &honest->variant.change;
    if (!shares)
        sp_change_add(change, SP_OPTION_SCHEDULE, "nnz");
    if (o->small_pages)
        sp_change_add(change, SP_OPTION_PAGES, "huge");
    if (o->not_pinned)
        sp_change_add(change, SP_OPTION_PIN, "yes");
    return try_one(t, honest, err);
}

static void take_best(struct trying *t, const struct sp_hints *hints, const struct sp_try *best)
{
    struct sp_tries *tries = t->tries;
    tries->best = best ? (int)(best - tries->one) : -1;
    if (best)
        sp_change_command(t->trials.subject->argument, &hints->options, &best->variant.change, tries->command,
                          sizeof tries->command);
}

/* In fresh processes. Where the best keeps less of its gain there than another trial showed, at its
 * lower end, that one is confirmed as well, and the better one taken. */
static enum sp_status confirm(struct trying *t, const struct sp_hints *hints, struct sp_error *err)
{
    struct sp_tries *tries = t->tries;
    bool done[SP_MAX_TRIES] = {false};
    enum sp_status status = SP_OK;
    const struct sp_try *next = tries->best >= 0 ? &tries->one[tries->best] : NULL;
    for (int n = 0; n < MOST_CONFIRMED && next && status == SP_OK; n++) {
        struct sp_trial trial = next->trial;
        const int n_processes = sp_tries_processes(tries, spent_s(t));
        if (n_processes == 0)
            break;
        done[next - tries->one] = true;
        status = sp_trials_confirm(&t->trials, &next->variant, tries->budget_s / SP_TRY_PARTS / 2,
                                   n_processes, &trial, err);
        const bool is_better =
            sp_value_known(trial.gain) && trial.n_processes > 0 &&
            (tries->confirmed.trial.n_processes == 0 || trial.gain.value > tries->confirmed.trial.gain.value);
        if (n == 0 || is_better) {
            take_best(t, hints, next);
            tries->confirmed = *next;
            tries->confirmed.trial = trial;
            tries->confirmed.outcome = sp_try_outcome(&tries->confirmed);
        }
        const double kept =
            tries->confirmed.trial.n_processes > 0 ? tries->confirmed.trial.gain.value : INFINITY;
        next = sp_tries_contender(tries, done, kept);
    }
    return status;
}

static enum sp_status try_all(struct trying *t, const struct sp_hints *hints, struct sp_error *err)
{
    struct sp_tries *tries = t->tries;
    enum sp_status status = try_honest(t, err);
    for (int i = 0; status == SP_OK && i < hints->n_hints; i++)
        status = try_hint(t, &hints->hint[i], NULL, t->run_s, 1, err);
    if (status == SP_OK)
        status = repeat_under_other_conditions(t, 0, err);
    if (status == SP_OK)
        status = combine(t, 0, tries->n, 1, 0, err);
    bool more = true;
    for (int round = 2; status == SP_OK && more && round <= MOST_ROUNDS; round++)
        status = next_round(t, round, &more, err);
    take_best(t, hints, sp_tries_best(tries));
    return status == SP_OK ? confirm(t, hints, err) : status;
}

enum sp_status sp_analyze_and_try(const struct sp_subject *subject, const struct sp_analyze_options *options,
                                  double budget_s, const struct sp_progress *progress,
                                  struct sp_record *record, struct sp_error *err)
{
    struct sp_hints hints;
    struct sp_analyze_options o = *options;
    struct {
        struct sp_tries tries;
        struct sp_plan plan; /* of all rounds, which need not measure P_core again */
    } * own;
    void *memory;
    enum sp_status status = sp_new_array(1, sizeof *own, "the trials", &memory, err);
    if (status != SP_OK)
        return status;
    own = memory;
    o.thorough = true;
    o.plan = options->plan ? options->plan : &own->plan;
    const double start = sp_now();
    status = sp_analyze_hints(subject, &o, progress, record, &hints, err);
    const double analysis_s = sp_now() - start;
    if (status == SP_OK && sp_record_node(record, SP_F_CONDITIONS_DOUBT)) /* no hint was looked for */
        sp_record_append(record, SP_F_REMARKS,
                         json_string("no hint was tried, because no verdict can be given"));
    if (status != SP_OK || sp_record_node(record, SP_F_CONDITIONS_DOUBT)) {
        free(own);
        return status;
    }
    struct trying t = {.tries = &own->tries, .start = sp_now(), .analysis_s = analysis_s};
    t.run_s = sp_record_value(record, SP_F_METRICS_TIME).value;
    t.tries->budget_s = budget_s;
    t.tries->best = -1;
    const char *kernel = "";
    double prefetch = 0;
    sp_record_text(record, SP_F_CONFIG_KERNEL, &kernel);
    if (sp_analyze_tries_formats(&o)) /* the run itself is what was found */
        sp_record_text(record, SP_F_CONFIG_FORMAT_OPTION, &o.format);
    if (sp_record_number(record, SP_F_CONFIG_PREFETCH, &prefetch) && prefetch > 0)
        o.prefetch = (int32_t)prefetch;
    status = sp_trials_open(subject, &o, sp_kernel_find(kernel), progress, &t.trials, err);
    if (status == SP_OK)
        status = try_all(&t, &hints, err);
    t.tries->cost_s = sp_now() - t.start;
    sp_trials_close(&t.trials);
    t.tries->interrupted = status == SP_INTERRUPTED;
    if (status == SP_OK || status == SP_INTERRUPTED)
        sp_record_tries(record, t.tries);
    if (status == SP_INTERRUPTED)
        sp_record_set_text(record, SP_F_STATUS, "interrupted");
    free(own);
    return status;
}
