/* spmodel track selftest: the gate itself is put to the test. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "cli/track/track_options.h"
#include "track/campaign/rehearsal.h"

enum {
    KEY_INJECT = SP_KEY_PRIVATE,
    KEY_NOISE,
    KEY_SESSION,
    KEY_RUNS,
    KEY_BEFORE,
    KEY_TRIALS,
    KEY_SEED,
    KEY_CONFIRM,
    KEY_SERIES,
    KEY_BESIDE,
    KEY_COMMON,
    KEY_SPIKES,
    KEY_MODES,
    KEY_QUICK,
    KEY_ACCEPTED
};

struct arguments {
    struct sp_common_options common;
    struct sp_rehearsal_options rehearsal;
    bool quick;
};

static const struct argp_option options[] = {
    {"inject", KEY_INJECT, "P", 0, "Slowdown that is put in, in percent (default 5)", 1},
    {"noise", KEY_NOISE, "P", 0, "From run to run, in percent (default 1.5)", 1},
    {"session", KEY_SESSION, "P", 0, "From session to session, in percent (default 0)", 1},
    {"runs", KEY_RUNS, "N", 0, "A session (default 5)", 1},
    {"before", KEY_BEFORE, "N", 0, "Sessions before the one that is judged (default 5)", 1},
    {"trials", KEY_TRIALS, "N", 0, "Drawn checks (default 1000)", 1},
    {"series", KEY_SERIES, "N", 0,
     "Series that a check judges together (default 1); the slowdown is put into one of them", 1},
    {"beside", KEY_BESIDE, "N", 0, "Other series of the machine, which tell of its noise (default 7)", 1},
    {"common", KEY_COMMON, "P", 0, "Noise that all series of a session share, in percent (default 0)", 1},
    {"spikes", KEY_SPIKES, "P", 0, "Share of runs that take longer, by 20 % on average (default 0)", 1},
    {"modes", KEY_MODES, "P", 0, "Runs are in one of two modes that differ by so much (default 0)", 1},
    {"quick", KEY_QUICK, NULL, 0, "Without the rows with less history and fewer confirmations", 1},
    {"confirm", KEY_CONFIRM, "N", 0, "Rounds of track check --confirm=N (default 2; 0: none)", 1},
    {"accepted", KEY_ACCEPTED, NULL, 0, "The first session is the accepted baseline", 1},
    {"seed", KEY_SEED, "N", 0, "Seed of what is drawn (default 1)", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case KEY_INJECT:
        a->rehearsal.change = sp_take_percent(state, "inject", 0, 1000, arg);
        return 0;
    case KEY_NOISE:
        a->rehearsal.noise = sp_take_percent(state, "noise", 0, 1000, arg);
        return 0;
    case KEY_SESSION:
        a->rehearsal.session = sp_take_percent(state, "session", 0, 1000, arg);
        return 0;
    case KEY_RUNS:
        a->rehearsal.n_runs = (int)sp_take_count(state, "runs", 1, 60, arg);
        return 0;
    case KEY_BEFORE:
        a->rehearsal.n_sessions = (int)sp_take_count(state, "before", 1, 30, arg);
        return 0;
    case KEY_TRIALS:
        a->rehearsal.n_trials = (int)sp_take_count(state, "trials", 100, 100000, arg);
        return 0;
    case KEY_CONFIRM:
        a->rehearsal.confirm = (int)sp_take_count(state, "confirm", 0, 10, arg);
        return 0;
    case KEY_SERIES:
        a->rehearsal.n_series = (int)sp_take_count(state, "series", 1, 500, arg);
        return 0;
    case KEY_BESIDE:
        a->rehearsal.n_beside = (int)sp_take_count(state, "beside", 0, 200, arg);
        return 0;
    case KEY_COMMON:
        a->rehearsal.common = sp_take_percent(state, "common", 0, 1000, arg);
        return 0;
    case KEY_SPIKES:
        a->rehearsal.spikes = sp_take_percent(state, "spikes", 0, 1000, arg);
        return 0;
    case KEY_MODES:
        a->rehearsal.modes = sp_take_percent(state, "modes", 0, 1000, arg);
        return 0;
    case KEY_QUICK:
        a->quick = true;
        return 0;
    case KEY_ACCEPTED:
        a->rehearsal.accepted = true;
        return 0;
    case KEY_SEED: {
        int seed;
        seed = (int)sp_take_count(state, "seed", 0, INT32_MAX, arg);
        a->rehearsal.seed = (uint64_t)seed;
        return 0;
    }
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The verdicts on one series, and what was said of the others. */
static void print(const char *label, const struct sp_rehearsal *r, int n_series)
{
    const double n = r->n_trials;
    sp_print(stdout, "  %-22s ok %5.1f %%   regressed %5.1f %%   improved %5.1f %%   inconclusive %5.1f %%\n",
             label, 100 * r->n_ok / n, 100 * r->n_regressed / n, 100 * r->n_improved / n,
             100 * r->n_undecided / n);
    if (n_series > 1)
        sp_print(stdout, "  %-22s a false alarm in %.1f %% of the checks\n", "", 100 * r->n_alarms / n);
}

/* 0: the gate works; 1: it does not. */
static int say(const struct sp_rehearsal *quiet, const struct sp_rehearsal *moved, double change, bool rises)
{
    const double most_alarms = 0.01, least_found = 0.95;
    const bool still = quiet->n_alarms <= most_alarms * quiet->n_trials;
    const bool sees = change <= 0 || moved->n_regressed >= least_found * moved->n_trials;
    const char *text =
        !still   ? "too many false alarms: more than 1 % of the checks"
        : !rises ? "more evidence finds less: the gate is wrong"
        : !sees ? "too many slowdowns are missed: more --runs, sessions before, or rounds of --confirm would "
                  "find them"
        : change <= 0
            ? "the gate keeps still: at most 1 % false alarms; nothing was put in that it could find"
            : "the gate works: at most 1 % false alarms, at least 95 % found";
    sp_print(stdout, "%s\n", text);
    return still && sees && rises ? 0 : 1;
}

/* A row with another amount of evidence, and whether it finds as much as the one with less, but for
 * chance (three standard errors of the difference). */
static enum sp_status row(const struct sp_rehearsal_options *o, const char *label, double *found, bool *rises,
                          struct sp_error *err)
{
    struct sp_rehearsal r;
    const enum sp_status status = sp_rehearse(o, &r, err);
    if (status != SP_OK)
        return status;
    const double n = r.n_trials, is = r.n_regressed / n, was = *found;
    sp_print(stdout, "  %-22s %34s regressed %5.1f %%\n", label, "", 100 * is);
    if (was >= 0 && was - is > 3 * sqrt((is * (1 - is) + was * (1 - was) + 1 / n) / n))
        *rises = false;
    *found = is;
    return SP_OK;
}

/* Power has to rise with history, with sessions that confirm, and with runs. */
static enum sp_status compare_evidence(const struct sp_rehearsal_options *o, bool *rises,
                                       struct sp_error *err)
{
    enum { MOST_TRIALS = 400 };
    struct sp_rehearsal_options with = *o;
    enum sp_status status = SP_OK;
    char label[64];
    double found = -1;
    with.n_trials = o->n_trials < MOST_TRIALS ? o->n_trials : MOST_TRIALS;
    const int before[] = {(o->n_sessions + 1) / 2, o->n_sessions,
                          2 * o->n_sessions < 30 ? 2 * o->n_sessions : 30};
    for (int i = 0; i < 3 && status == SP_OK; i++) {
        if (i > 0 && before[i] == before[i - 1])
            continue;
        with.n_sessions = before[i];
        snprintf(label, sizeof label, "%d before", before[i]);
        status = row(&with, label, &found, rises, err);
    }
    with.n_sessions = o->n_sessions;
    found = -1;
    for (int c = 0; c <= o->confirm && o->confirm > 0 && status == SP_OK; c++) {
        with.confirm = c;
        snprintf(label, sizeof label, "%d to confirm", c);
        status = row(&with, label, &found, rises, err);
    }
    return status;
}

static void print_what(const struct sp_rehearsal_options *o)
{
    char beside[48] = "";
    if (o->n_beside > 0)
        snprintf(beside, sizeof beside, " beside %d of the machine", o->n_beside);
    sp_print(stdout,
             "%d checks of %d series%s: %d session%s and one more, %d runs each, %.2g %% from run to run", //
             o->n_trials, o->n_series, beside, o->n_sessions, o->n_sessions == 1 ? "" : "s", o->n_runs,
             100 * o->noise);
    if (o->session > 0)
        sp_print(stdout, " and %.2g %% from session to session", 100 * o->session);
    if (o->common > 0)
        sp_print(stdout, ", %.2g %% common to all", 100 * o->common);
    if (o->spikes > 0)
        sp_print(stdout, ", %.2g %% of the runs disturbed", 100 * o->spikes);
    if (o->modes > 0)
        sp_print(stdout, ", two modes %.2g %% apart", 100 * o->modes);
    sp_print(stdout, ", confirmed by up to %d more%s\n", o->confirm,
             o->accepted ? ", the first one accepted" : "");
}

static const struct argp_child children[] = {{&sp_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {
    options, parse, .args_doc = "",
    .doc =
        "Draws series with known noise, puts a slowdown in, and judges them as track check --confirm=N "
        "does: a gate that cannot fail is no gate. Exit code 1 where an unchanged series seems regressed "
        "in more than 1 % of the checks, less than 95 % of the slowdowns are found, or more history or more "
        "sessions find less.",
    .children = children};

static int run(int argc, char **argv)
{
    struct arguments a = {.rehearsal = {.change = 0.05,
                                        .noise = 0.015,
                                        .n_runs = 5,
                                        .n_sessions = 5,
                                        .n_trials = 1000,
                                        .confirm = 2,
                                        .n_series = 1,
                                        .n_beside = 7,
                                        .seed = 1}};
    char label[64];
    struct sp_rehearsal quiet, moved;
    struct sp_error err;
    sp_parse(&argp, argc, argv, &a);
    struct sp_rehearsal_options still = a.rehearsal;
    still.change = 0;
    if (sp_rehearse(&still, &quiet, &err) != SP_OK || sp_rehearse(&a.rehearsal, &moved, &err) != SP_OK)
        return sp_report_error(&err);
    print_what(&a.rehearsal);
    print("nothing put in", &quiet, a.rehearsal.n_series);
    snprintf(label, sizeof label, "%+.3g %% put in", 100 * a.rehearsal.change);
    if (a.rehearsal.change > 0)
        print(label, &moved, a.rehearsal.n_series);
    bool rises = true;
    if (a.rehearsal.change > 0 && !a.quick && compare_evidence(&a.rehearsal, &rises, &err) != SP_OK)
        return sp_report_error(&err);
    return say(&quiet, &moved, a.rehearsal.change, rises);
}

static const struct sp_example examples[] = {
    {"spmodel track selftest --inject 5 --trials 200",
     "would a slowdown of 5 % be found, and is it quiet where there is none?", "0 1"},
    {0},
};

const struct sp_verb sp_track_selftest = {
    .name = "selftest",
    .arguments = "[--inject P]",
    .summary = "is the gate awake, and does it keep still?",
    .run = run,
    .page = {&argp, examples, "1", "track-check track-simulate"},
};
