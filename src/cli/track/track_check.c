#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "base/text.h"
#include "cli/analyze/measure_again.h"
#include "cli/analyze/verdict_print.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "cli/track/track_options.h"
#include "io/files/part_file.h"
#include "io/record/record.h"
#include "track/judge/comparable.h"
#include "track/judge/judge.h"
#include "track/store/index.h"
#include "track/store/pins.h"

/* track check --confirm: measures what the newest record of a series asked for once more. */

struct confirming {
    int rounds; /* at most, a series */
    int verbosity;
    const struct sp_store *store;
    const struct sp_index *index;
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

enum { KEY_METRIC = SP_KEY_PRIVATE, KEY_FLOOR, KEY_BASELINE, KEY_FDR, KEY_JUNIT, KEY_MARKDOWN, KEY_CONFIRM };

struct checking {
    struct sp_track_options options;
    struct sp_judge_options judge;
    int rounds; /* of --confirm; 0: not given */
    struct confirming confirming;
    const char *junit, *markdown;
};

static const struct argp_option options[] = {
    {"metric", KEY_METRIC, "NAME", 0,
     "time (default), bandwidth, performance, bandwidth_fraction, model_fraction; bytes and alpha, which are "
     "compared without statistics where they are simulated, and instructions an entry, counted: gates "
     "without noise",
     1},
    {"floor", KEY_FLOOR, "P", 0, "Least change that counts, in percent (default 3, more in noisy series)", 1},
    {"baseline", KEY_BASELINE, "N", 0, "Look back at N sessions, of bytes at N records (default: all)", 1},
    {"fdr", KEY_FDR, "Q", 0, "Share of checks of unchanged series that may be red (default 0.008)", 1},
    {"confirm", KEY_CONFIRM, "N", OPTION_ARG_OPTIONAL,
     "Measure what regressed or is inconclusive again, here, at most N times (default 2), add that to the "
     "store, and judge both together: regressed is what a second session confirms",
     1},
    {"junit", KEY_JUNIT, "FILE", 0, "Verdicts as JUnit XML; what is undecided is skipped there, never passed",
     2},
    {"markdown", KEY_MARKDOWN, "FILE", 0, "Verdicts as a Markdown table", 2},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct checking *c = state->input;
    int64_t n;
    double x;
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
        if (sp_parse_number(arg, &x) || !(x > 0) || x >= 100)
            sp_usage_error(state, "--floor takes percent between 0 and 100, not '%s'", arg);
        c->judge.floor = x / 100;
        return 0;
    case KEY_BASELINE:
        if (sp_parse_count(arg, &n) || n < 1 || n > 500)
            sp_usage_error(state, "--baseline takes a number from 1 to 500, not '%s'", arg);
        c->judge.n_baseline = (int)n;
        return 0;
    case KEY_FDR:
        if (sp_parse_number(arg, &c->judge.fdr) || !(c->judge.fdr > 0) || c->judge.fdr >= 1)
            sp_usage_error(state, "--fdr takes a rate between 0 and 1, not '%s'", arg);
        return 0;
    case KEY_CONFIRM:
        n = 2;
        if (arg && (sp_parse_count(arg, &n) || n < 1 || n > 10))
            sp_usage_error(state, "--confirm takes a number of rounds from 1 to 10, not '%s'", arg);
        c->rounds = (int)n;
        return 0;
    case KEY_JUNIT:
        c->junit = arg;
        return 0;
    case KEY_MARKDOWN:
        c->markdown = arg;
        return 0;
    case ARGP_KEY_END:
        if (c->options.last > 0)
            sp_usage_error(state,
                           "--last lists records; --baseline says with how many before it one is compared");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The accepted baseline of a series; damaged parts are reported and left out. */
static int find_pins(const struct sp_store *store, const struct sp_entry *newest, enum sp_tracked metric,
                     const struct sp_index *index, const struct sp_entry **pinned, int *code)
{
    struct sp_error err;
    int n = 0;
    if (sp_pins_find(store, newest, metric, index, pinned, &n, &err) != SP_OK)
        *code = sp_worse_exit(*code, sp_report_error(&err));
    return n;
}

/* Adds the fields of the environment in which the two records differ, as far as there is room. */
static void name_fields(const struct sp_index *index, struct sp_judgement *j)
{
    struct sp_record was = {0}, is = {0};
    struct sp_differences d = {0};
    size_t used = strlen(j->why);
    const char *begin = ": ";
    if (sp_record_read(index->path[j->other - index->entry], &was, NULL) == SP_OK &&
        sp_record_read(index->path[j->newest - index->entry], &is, NULL) == SP_OK)
        sp_differences_find(&was, &is, false, &d, NULL);
    for (int i = 0; i < d.n; i++) {
        const struct sp_difference *one = &d.one[i];
        const char *key = sp_difference_within(one, SP_F_ENV_IDENTITY);
        if (!key)
            continue;
        const int n =
            snprintf(j->why + used, sizeof j->why - used, "%s%s was %s, is %s", begin, key, one->a, one->b);
        if (n < 0 || used + (size_t)n >= sizeof j->why) {
            j->why[used] = '\0';
            break;
        }
        used += (size_t)n;
        begin = "; ";
    }
    sp_differences_free(&d);
    sp_record_free(&was);
    sp_record_free(&is);
}

/* The newest records of every series; at most MOST_OF_SERIES environments of each. */
enum { MOST_OF_SERIES = 64 };
struct judged {
    struct sp_newest *newest; /* [n] owned; those of a series side by side, then the context */
    struct sp_judgement *judgement;
    struct sp_judged_series *series;                  /* [n + n_context] */
    const struct sp_entry *(*pinned)[SP_MOST_PINNED]; /* of each */
    int n, n_context;
};

static bool are_of_one_series(const struct judged *all, int i, int k)
{
    return k >= 0 && k < all->n && strcmp(all->newest[i].newest->series, all->newest[k].newest->series) == 0;
}

static bool is_one_of_several(const struct judged *all, int i)
{
    return are_of_one_series(all, i, i - 1) || are_of_one_series(all, i, i + 1);
}

/* Does --machine choose this one among those of its series that are judged? */
static bool machine_tells(const struct judged *all, int i)
{
    const char *machine = all->newest[i].newest->machine;
    int n_alike = 0;
    for (int k = 0; k < all->n; k++)
        n_alike += are_of_one_series(all, i, k) && strcmp(all->newest[k].newest->machine, machine) == 0;
    return is_one_of_several(all, i) && n_alike == 1;
}

/* Says how to confirm what has not been, and only that. Where machines have one name, the others'
 * records cannot be confirmed on the machine on which this one's can. */
static void say_how(const struct checking *c, const struct judged *all, int i)
{
    struct sp_judgement *j = &all->judgement[i];
    char store[160] = "", metric[48] = "", machine[80] = "";
    if (machine_tells(all, i))
        snprintf(machine, sizeof machine, " --machine '%.63s'", j->newest->machine);
    if (c->options.store)
        snprintf(store, sizeof store, " --store '%.140s'", c->options.store);
    if (c->judge.metric != SP_TRACKED_TIME)
        snprintf(metric, sizeof metric, " --metric %s", sp_tracked_metrics[c->judge.metric].name);
    snprintf(j->confirmation, sizeof j->confirmation,
             "not confirmed yet: spmodel track check --confirm --series %.8s%s%s%s", j->newest->series,
             machine, metric, store);
}

static void judged_free(struct judged *all)
{
    for (int i = 0; i < all->n + all->n_context; i++)
        sp_newest_free(&all->newest[i]);
    free(all->newest);
    free(all->judgement);
    free(all->series);
    free(all->pinned);
    *all = (struct judged){0};
}

static bool may_be_judged(const void *context, const struct sp_entry *entry)
{
    return sp_track_is_of_place_and_time(context, entry);
}

static bool any(const void *context, const struct sp_entry *entry)
{
    (void)context;
    return entry != NULL;
}

/* The newest of each series of list[n] behind the *found of before, with a filter. */
static enum sp_status append_newest(const struct checking *c, const struct sp_entry *const *list, int64_t n,
                                    sp_entry_filter *filter, struct sp_newest *newest, int *found,
                                    struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int64_t first = 0, end; first < n && status == SP_OK; first = end) {
        int more;
        end = sp_track_series_end(list, n, first);
        const int most = end - first < MOST_OF_SERIES ? (int)(end - first) : MOST_OF_SERIES;
        status = sp_newest_find(list + first, (int)(end - first), c->judge.metric, filter, &c->options,
                                newest + *found, most, &more, err);
        *found += more;
    }
    return status;
}

static bool is_judged(const struct judged *all, const struct sp_newest *one)
{
    for (int i = 0; i < all->n; i++)
        if (strcmp(all->newest[i].newest->series, one->newest->series) == 0 &&
            strcmp(all->newest[i].newest->env, one->newest->env) == 0)
            return true;
    return false;
}

/* The other series of the machines, which tell of their noise and of what all of them did. */
static enum sp_status add_context(const struct checking *c, const struct sp_index *index, struct judged *all,
                                  struct sp_error *err)
{
    const struct sp_track_options every = {.common = c->options.common};
    const struct sp_entry **list = NULL;
    int64_t n;
    int found = all->n;
    enum sp_status status = sp_track_select(&every, index, &list, &n, err);
    if (status == SP_OK)
        status = append_newest(c, list, n, any, all->newest, &found, err);
    for (int i = all->n; i < found; i++) {
        bool is_beside = false; /* measured on a machine that is judged */
        for (int k = 0; k < all->n && !is_beside; k++)
            is_beside = strcmp(all->newest[k].newest->env, all->newest[i].newest->env) == 0;
        if (status == SP_OK && is_beside && !is_judged(all, &all->newest[i]))
            all->newest[all->n + all->n_context++] = all->newest[i];
        else
            sp_newest_free(&all->newest[i]);
    }
    free(list);
    return status;
}

static enum sp_status find_newest(const struct checking *c, const struct sp_index *index,
                                  const struct sp_entry *const *list, int64_t n, struct judged *all,
                                  struct sp_error *err)
{
    const size_t most = (size_t)n + (size_t)index->n + 1;
    all->newest = calloc(most, sizeof *all->newest);
    all->judgement = calloc(most, sizeof *all->judgement);
    all->series = calloc(most, sizeof *all->series);
    all->pinned = calloc(most, sizeof *all->pinned);
    if (!all->newest || !all->judgement || !all->series || !all->pinned)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the verdicts on %lld records", (long long)n);
    const enum sp_status status = append_newest(c, list, n, may_be_judged, all->newest, &all->n, err);
    return status == SP_OK && all->n > 0 ? add_context(c, index, all, err) : status;
}

/* Judges all; what was said of why one cannot be confirmed stays. */
static enum sp_status judge_now(const struct checking *c, const struct judged *all, struct sp_error *err)
{
    const size_t size = sizeof all->judgement->confirmation;
    char *said = malloc((size_t)all->n * size + 1);
    if (!said)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the verdicts on %d series", all->n);
    for (int i = 0; i < all->n; i++)
        memcpy(said + (size_t)i * size, all->judgement[i].confirmation, size);
    const enum sp_status status =
        sp_judge_all(all->series, all->n + all->n_context, &c->judge, all->judgement, err);
    for (int i = 0; i < all->n && status == SP_OK; i++)
        if (!all->judgement[i].confirmation[0])
            memcpy(all->judgement[i].confirmation, said + (size_t)i * size, size);
    free(said);
    return status;
}

/* The list of one series with another record behind it. */
static enum sp_status append(struct judged *all, int i, const struct sp_entry *entry, struct sp_error *err)
{
    struct sp_newest *one = &all->newest[i];
    const struct sp_entry **more =
        realloc(one->list, ((size_t)one->n + 1) * sizeof(struct sp_entry *));
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
static enum sp_status track_confirm(struct checking *c, struct judged *all, int i, struct sp_error *err)
{
    struct confirming *to = &c->confirming;
    struct sp_judgement *j = &all->judgement[i];
    const struct sp_entry *newest = all->newest[i].newest;
    struct sp_record record = {0};
    struct sp_error why = {0};
    enum sp_status status = sp_record_read(to->index->path[newest - to->index->entry], &record, &why);
    if (status == SP_OK)
        status = sp_can_measure_again(&record, j->is_exact && *sp_words_text(&record, SP_F_REQUEST_MACHINE, ""),
                                      &why);
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
            status = judge_now(c, all, &why);
    }
    sp_record_free(&record);
    status = status == SP_OK ? SP_OK : say_why(status, &why, j);
    if (status != SP_OK && err)
        *err = why;
    return status;
}

/* Another session for every verdict that is not good, or the command that makes one. */
static enum sp_status confirm_all(struct checking *c, struct judged *all, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < all->n && status == SP_OK && c->rounds > 0; i++)
        if (sp_judge_wants_confirmation(&all->judgement[i]))
            status = track_confirm(c, all, i, err);
    return status;
}

/* The judgements of all that is meant. */
static enum sp_status judge_all(struct checking *c, const struct sp_store *store,
                                const struct sp_index *index, const struct sp_entry *const *list, int64_t n,
                                struct judged *all, int *code, struct sp_error *err)
{
    struct sp_terminal terminal;
    enum sp_status status = find_newest(c, index, list, n, all, err);
    for (int i = 0; i < all->n + all->n_context && status == SP_OK; i++) {
        const struct sp_newest *one = &all->newest[i];
        const bool is_context = i >= all->n;
        const int n_pinned =
            is_context ? 0 : find_pins(store, one->newest, c->judge.metric, index, all->pinned[i], code);
        all->series[i] = (struct sp_judged_series){one->list, one->n, all->pinned[i], n_pinned, is_context};
    }
    if (status == SP_OK)
        status = judge_now(c, all, err);
    if (status != SP_OK)
        return status;
    const struct sp_progress progress = sp_terminal_open(&terminal, c->options.common.verbosity);
    c->confirming = (struct confirming){.rounds = c->rounds,
                                        .verbosity = c->options.common.verbosity,
                                        .store = store,
                                        .index = index,
                                        .progress = &progress};
    status = confirm_all(c, all, err);
    for (int i = 0; i < all->n; i++) {
        struct sp_judgement *j = &all->judgement[i];
        j->is_one_of_several = is_one_of_several(all, i);
        if (j->other)
            name_fields(index, j);
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
           "The unit is the session: the lower quartile of its processes (analyze --runs 5). A session counts as "
           "worse where a t test against the level before says so, by more than the floor; it stays red until it is "
           "mended or accepted. Exit code 1: something regressed; 8: the machine did, not the code; 5: something "
           "could not be decided; 0: all is well. One session may be unlucky: --confirm measures again.",
    .children = children};

static int run(int argc, char **argv)
{
    struct checking c = {0};
    struct sp_store store;
    struct sp_index index;
    struct sp_error err;
    const struct sp_entry **list = NULL;
    struct judged all = {0};
    int64_t n;
    int code = 0;
    sp_parse(&argp, argc, argv, &c);
    c.judge.seed = 1;
    const int failed = sp_track_open(&c.options, &store, &index, &code);
    if (failed)
        return failed;
    struct sp_track_options history = c.options; /* place and time say what is judged, not with what */
    history.commit = history.since = history.machine = NULL;
    enum sp_status status = sp_track_select(&history, &index, &list, &n, &err);
    if (status == SP_OK)
        status = judge_all(&c, &store, &index, list, n, &all, &code, &err);
    if (status == SP_OK) {
        for (int i = 0; i < all.n; i++)
            code = sp_worse_exit(code, sp_track_exit_code(all.judgement[i].verdict));
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
    judged_free(&all);
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
