#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "base/text.h"
#include "cli/analyze/run_options.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "cli/track/judged.h"
#include "cli/track/track_options.h"
#include "io/files/part_file.h"
#include "io/record/record.h"
#include "track/judge/comparable.h"
#include "track/judge/judge.h"
#include "track/store/index.h"

/* track check --confirm: measures what the newest record of a series asked for once more. */

struct confirming {
    int rounds; /* at most, a series */
    int verbosity;
    const struct sp_store *store;
    const struct sp_store_index *index;
    const struct sp_progress *progress; /* interrupts */
    int n;                              /* of what was measured again */
    struct sp_entry **entry;            /* [n] owned; judgements point to them */
};

static enum sp_status keep(struct confirming *c, const struct sp_entry *entry, struct sp_error *err)
{
    struct sp_entry **more = realloc(c->entry, (size_t)(c->n + 1) * sizeof *more);
    struct sp_entry *copy = malloc(sizeof *copy);
    if (more)
        c->entry = more;
    if (!more || !copy) {
        free(copy);
        return sp_fail(err, SP_MEMORY, NULL, "no memory for another record");
    }
    *copy = *entry;
    c->entry[c->n++] = copy;
    return SP_OK;
}

static void confirming_free(struct confirming *c)
{
    for (int i = 0; i < c->n; i++)
        free(c->entry[i]);
    free(c->entry);
    c->entry = NULL;
    c->n = 0;
}

/* A matrix that has changed under its name makes another series. */
static enum sp_status check_series(const struct sp_entry *was, const struct sp_entry *is,
                                   struct sp_error *err)
{
    if (strcmp(was->series, is->series) == 0)
        return SP_OK;
    return sp_fail(
        err, SP_ABSENT, NULL,
        "what was measured again belongs to another series: the matrix behind its name is another one");
}

/* One more session: measured, put into the store, and its entry kept. */
static enum sp_status measure_round(struct confirming *c, const struct sp_record *record,
                                    const struct sp_entry *newest, struct sp_error *err)
{
    char folder[1024], path[4096] = "", stored[4096];
    struct sp_record again = {0};
    struct sp_entry entry;
    bool added;
    if (sp_scratch_folder("again", folder, sizeof folder, err) != SP_OK)
        return SP_ABSENT; /* err says why */
    enum sp_status status = sp_measure_again(record, folder, c->progress, c->verbosity, &again, path, err);
    if (status == SP_OK) {
        sp_entry_of(&again, &entry);
        status = check_series(newest, &entry, err);
    }
    if (status == SP_OK)
        status = sp_store_add(c->store, path, &added, stored, err);
    if (status == SP_OK)
        status = keep(c, &entry, err);
    sp_record_free(&again);
    sp_part_remove(folder);
    return status;
}

/* Not being able to is no failure of the check: the verdict says so. */
static enum sp_status say_why(enum sp_status status, const struct sp_error *why, struct sp_judgement *j)
{
    if (status != SP_ABSENT && status != SP_INPUT && status != SP_OUTPUT)
        return status;
    if (status == SP_OUTPUT)
        snprintf(j->confirmation, sizeof j->confirmation,
                 "cannot be confirmed here: the store takes no record: %.120s: %.120s", why->path, why->what);
    else
        snprintf(j->confirmation, sizeof j->confirmation, "cannot be confirmed here: %.250s", why->what);
    return SP_OK;
}

/* spmodel track check: has the newest measurement of each series moved? */

enum {
    KEY_METRIC = SP_KEY_PRIVATE,
    KEY_FLOOR,
    KEY_BASELINE,
    KEY_FDR,
    KEY_JUNIT,
    KEY_MARKDOWN,
    KEY_CONFIRM,
    KEY_PATIENCE
};

struct checking {
    struct sp_track_options options;
    struct sp_judge_options judge;
    int rounds;   /* of --confirm; 0: not given */
    int patience; /* 0: not given */
    struct confirming confirming;
    const char *junit, *markdown;
};

static const struct argp_option options[] = {
    {"metric", KEY_METRIC, "NAME", 0,
     "time (default), bandwidth, roof, performance, bandwidth_fraction, model_fraction; bytes and alpha, "
     "which are compared without statistics where they are simulated, and instructions an entry, counted: "
     "gates "
     "without noise",
     1},
    {"floor", KEY_FLOOR, "P", 0,
     "Least change that counts, in percent (default 3; of what is exact 0.1, of instructions 0.5)", 1},
    {"baseline", KEY_BASELINE, "N", 0,
     "Hold new sessions against the last N of their level, of bytes against N records (default: all); what "
     "is open stays red",
     1},
    {"fdr", KEY_FDR, "Q", 0, "Share of checks of unchanged series that may be red (default 0.01)", 1},
    {"confirm", KEY_CONFIRM, "N", OPTION_ARG_OPTIONAL,
     "Measure what regressed or is inconclusive again, here, at most N times (default 2), add that to the "
     "store, and judge both together: regressed is what a second session confirms",
     1},
    {"patience", KEY_PATIENCE, "N", 0,
     "Red (exit code 1) where N sessions in a row, the newest among them, could not be decided or compared: "
     "a gate that never decides guards nothing (default: never)",
     1},
    {"junit", KEY_JUNIT, "FILE", 0, "Verdicts as JUnit XML; what is undecided is skipped there, never passed",
     2},
    {"markdown", KEY_MARKDOWN, "FILE", 0, "Verdicts as a Markdown table", 2},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct checking *c = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        sp_track_pass(state, &c->options);
        return 0;
    case KEY_METRIC:
        if (sp_tracked_find(arg) < 0)
            sp_usage_error(state,
                           "--metric takes time, bytes, bandwidth, roof, performance, bandwidth_fraction, "
                           "model_fraction, alpha or instructions, not '%s'",
                           arg);
        c->judge.metric = (enum sp_tracked)sp_tracked_find(arg);
        return 0;
    case KEY_FLOOR:
        c->judge.floor = sp_take_percent(state, "floor", 0.001, 99.99, arg);
        return 0;
    case KEY_BASELINE:
        c->judge.n_baseline = (int)sp_take_count(state, "baseline", 1, 500, arg);
        return 0;
    case KEY_FDR:
        if (sp_parse_number(arg, &c->judge.fdr) || !(c->judge.fdr > 0) || c->judge.fdr >= 1)
            sp_usage_error(state, "--fdr takes a rate between 0 and 1, not '%s'", arg);
        return 0;
    case KEY_CONFIRM:
        c->rounds = arg ? (int)sp_take_count(state, "confirm", 1, 10, arg) : 2;
        return 0;
    case KEY_PATIENCE:
        c->patience = (int)sp_take_count(state, "patience", 1, 100, arg);
        return 0;
    case KEY_JUNIT:
        c->junit = arg;
        return 0;
    case KEY_MARKDOWN:
        c->markdown = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static struct sp_judged_options options_of(const struct checking *c)
{
    return (struct sp_judged_options){&c->options, &c->judge, c->patience};
}

/* Says how to confirm what has not been, and only that. Where machines have one name, the others'
 * records cannot be confirmed on the machine on which this one's can. */
static void say_how(const struct checking *c, const struct sp_judged *all, int i)
{
    struct sp_judgement *j = &all->judgement[i];
    char store[160] = "", metric[48] = "", machine[80] = "";
    if (sp_judged_machine_tells(all, i))
        snprintf(machine, sizeof machine, " --machine '%.63s'", j->newest->machine);
    if (c->options.store)
        snprintf(store, sizeof store, " --store '%.140s'", c->options.store);
    if (c->judge.metric != SP_TRACKED_TIME)
        snprintf(metric, sizeof metric, " --metric %s", sp_tracked_metrics[c->judge.metric].name);
    snprintf(j->confirmation, sizeof j->confirmation,
             "not confirmed yet: spmodel track check --confirm --series %.8s%s%s%s", j->newest->series,
             machine, metric, store);
}

/* The list of one series with another record behind it. */
static enum sp_status append(struct sp_judged *all, int i, const struct sp_entry *entry, struct sp_error *err)
{
    struct sp_newest *one = &all->newest[i];
    const struct sp_entry **more = realloc(one->list, ((size_t)one->n + 1) * sizeof(struct sp_entry *));
    if (!more)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for another record");
    one->list = more;
    one->list[one->n++] = entry;
    all->series[i].list = one->list;
    all->series[i].n = one->n;
    return SP_OK;
}

/* Measures again until the verdict is confirmed or good, at most `rounds` times, adds the records
 * to the store, and judges with them. Where that cannot be done, the verdict stays, and
 * confirmation says why. SP_INTERRUPTED, SP_MEMORY. */
static enum sp_status track_confirm(struct checking *c, struct sp_judged *all, int i, struct sp_error *err)
{
    struct confirming *to = &c->confirming;
    const struct sp_judged_options o = options_of(c);
    struct sp_judgement *j = &all->judgement[i];
    const struct sp_entry *newest = all->newest[i].newest;
    struct sp_record record = {0};
    struct sp_error why = {0};
    enum sp_status status = sp_record_read(to->index->path[newest - to->index->entry], &record, &why);
    if (status == SP_OK)
        status = sp_can_measure_again(&record,
                                      j->is_exact && *sp_words_text(&record, SP_F_REQUEST_MACHINE, ""), &why);
    if (status == SP_OK)
        status = sp_store_check_writable(to->store, &why);
    for (int round = 0; status == SP_OK && round < to->rounds && sp_judge_wants_confirmation(j); round++) {
        status = measure_round(to, &record, newest, &why);
        const struct sp_entry *entry = status == SP_OK ? to->entry[to->n - 1] : NULL;
        if (entry && !sp_entries_comparable(entry, newest, c->judge.metric)) {
            snprintf(j->confirmation, sizeof j->confirmation,
                     "cannot be confirmed: what was measured again ran in another environment");
            break;
        }
        if (status == SP_OK)
            status = append(all, i, entry, &why);
        if (status == SP_OK)
            status = sp_judged_again(&o, all, &why);
    }
    sp_record_free(&record);
    status = status == SP_OK ? SP_OK : say_why(status, &why, j);
    if (status != SP_OK && err)
        *err = why;
    return status;
}

/* Another session for every verdict that is not good, or the command that makes one. */
static enum sp_status confirm_all(struct checking *c, struct sp_judged *all, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < all->n && status == SP_OK && c->rounds > 0; i++)
        if (sp_judge_wants_confirmation(&all->judgement[i]))
            status = track_confirm(c, all, i, err);
    return status;
}

/* The judgements of all that is meant. */
static enum sp_status judge_all(struct checking *c, const struct sp_store *store,
                                const struct sp_store_index *index, const struct sp_entry *const *list,
                                int64_t n, struct sp_judged *all, int *code, struct sp_error *err)
{
    struct sp_terminal terminal;
    const struct sp_judged_options o = options_of(c);
    enum sp_status status = sp_judged_begin(&o, store, index, list, n, all, code, err);
    if (status != SP_OK)
        return status;
    const struct sp_progress progress = sp_terminal_open(&terminal, c->options.common.verbosity);
    c->confirming = (struct confirming){.rounds = c->rounds,
                                        .verbosity = c->options.common.verbosity,
                                        .store = store,
                                        .index = index,
                                        .progress = &progress};
    status = confirm_all(c, all, err);
    if (status == SP_OK)
        status = sp_judged_end(&o, index, all, err);
    for (int i = 0; i < all->n; i++) {
        struct sp_judgement *j = &all->judgement[i];
        if (c->rounds == 0 && j->verdict == SP_TRACK_REGRESSED && sp_judge_wants_confirmation(j))
            say_how(c, all, i);
    }
    return status;
}

typedef void print_function(const struct sp_judgement *judgement, int n, FILE *out);

static int print_to(const char *name, print_function *print, const struct sp_judgement *judgement, int n,
                    int code)
{
    struct sp_sink sink;
    struct sp_error err;
    if (sp_sink_open(name, &sink, &err) != SP_OK)
        return sp_worse_exit(code, sp_report_error(&err));
    if (sink.stream)
        print(judgement, n, sink.stream);
    return sp_sink_close(&sink, code);
}

static const struct argp_child children[] = {
    {&sp_track_select_argp, 0, NULL, 0}, {&sp_common_lines_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {
    options, parse, .args_doc = "",
    .doc = "Compares the newest measurement of each series with those before it and with what was accepted: "
           "ok, regressed, improved, inconclusive, not comparable.\v"
           "The unit is the session: the lower quartile of its processes (analyze --runs 5). A session "
           "counts as "
           "worse where a t test against the level before says so, by more than the floor; it stays red "
           "until it is "
           "mended or accepted. Exit code 1: something regressed; 8: the machine did, not the code; 5: "
           "something "
           "could not be decided; 0: all is well. One session may be unlucky: --confirm measures again.",
    .children = children};

static int run(int argc, char **argv)
{
    struct checking c = {0};
    struct sp_store store;
    struct sp_store_index index;
    struct sp_error err;
    const struct sp_entry **list = NULL;
    struct sp_judged all = {0};
    int64_t n;
    int code = 0;
    sp_parse(&argp, argc, argv, &c);
    c.judge.seed = 1;
    const int failed = sp_track_open(&c.options, &store, &index, &code);
    if (failed)
        return failed;
    struct sp_track_options history = c.options; /* place and time say what is judged, not with what */
    history.commit = history.machine = NULL;
    *history.since = '\0';
    enum sp_status status = sp_track_select(&history, &index, &list, &n, &err);
    if (status == SP_OK)
        status = judge_all(&c, &store, &index, list, n, &all, &code, &err);
    if (status == SP_OK) {
        for (int i = 0; i < all.n; i++)
            code = sp_worse_exit(code, sp_judgement_exit_code(&all.judgement[i]));
        if (all.n == 0)
            code = sp_worse_exit(code, 5);
        const struct sp_common_options *o = &c.options.common;
        if (!sp_sink_is_stdout(o->json) && !sp_sink_is_stdout(o->csv) && !sp_sink_is_stdout(o->lines) &&
            !sp_sink_is_stdout(c.junit) && !sp_sink_is_stdout(c.markdown))
            sp_verdicts_print(all.judgement, all.n, stdout);
        code = print_to(o->csv, sp_verdicts_csv, all.judgement, all.n, code);
        code = print_to(o->json, sp_verdicts_json, all.judgement, all.n, code);
        code = print_to(o->lines, sp_verdicts_lines, all.judgement, all.n, code);
        code = print_to(c.junit, sp_verdicts_junit, all.judgement, all.n, code);
        code = print_to(c.markdown, sp_verdicts_markdown, all.judgement, all.n, code);
    } else {
        code = sp_worse_exit(code, sp_report_error(&err));
    }
    confirming_free(&c.confirming);
    sp_judged_free(&all);
    free(list);
    sp_index_free(&index);
    return code;
}

static const struct sp_example examples[] = {
    {"spmodel track check", "whether the newest record of each series has moved", "0 1 5 8"},
    {"spmodel track check --metric bytes --what crs --junit verdicts.xml",
     "a gate without noise, on simulated bytes, for a CI server", "0 1 5"},
    {0},
};

const struct sp_verb sp_track_check = {
    .name = "check",
    .arguments = "[OPTION...]",
    .summary = "has the newest measurement of a series moved?",
    .run = run,
    .page = {&argp, examples, "1 5 8", "track-add track-accept track-simulate track-selftest compare"},
};
