#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/track/track_options.h"
#include "io/files/part_file.h"
#include "io/files/places.h"
#include "plots/plot.h"
#include "track/judge/comparable.h"
#include "track/judge/judge.h"

/* spmodel track locate: where did a series change, and with which commit? */

enum { KEY_FLOOR = SP_KEY_PRIVATE, KEY_METRIC };
enum { MOST_RECORDS = 2000, MOST_CHANGES = 32, LEAST_SESSIONS = 4 };

struct locating {
    struct sp_track_options options;
    enum sp_tracked metric;
    double floor; /* 0: that of track check */
    /* What is located, in the order of the visits, and then the other series of the store. */
    const struct sp_entry **list[2]; /* as selected, and all */
    struct sp_judged_series *series;
    int n, n_located, at;
    struct sp_learned *learned;
};

static const struct argp_option locate_options[] = {
    {"metric", KEY_METRIC, "NAME", 0, "As of track check (default time)", 1},
    {"floor", KEY_FLOOR, "P", 0, "Smaller changes are not shown, in percent (default: as of track check)", 1},
    {0},
};

static error_t locate_parse(int key, char *arg, struct argp_state *state)
{
    struct locating *l = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        sp_track_pass(state, &l->options);
        return 0;
    case KEY_METRIC:
        if (sp_tracked_find(arg) < 0)
            sp_usage_error(state, "--metric takes the name of a metric such as time or bytes, not '%s'", arg);
        l->metric = (enum sp_tracked)sp_tracked_find(arg);
        return 0;
    case KEY_FLOOR:
        l->floor = sp_take_percent(state, "floor", 0.001, 99.99, arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *commit_of(const struct sp_entry *e)
{
    return e->commit[0] ? e->commit : e->tool;
}

static void print_change(const struct sp_located *l, enum sp_tracked metric)
{
    const struct sp_open_change *c = &l->change;
    const bool worse = (c->by > 0) == sp_tracked_metrics[metric].less_is_better;
    sp_print(stdout, "  %s  %s %+.1f %%, %s", c->since->start, sp_tracked_metrics[metric].name, 100 * c->by,
             worse ? "worse" : "better");
    if (c->kind == SP_CHANGE_TREND)
        sp_print(stdout, ": a trend of %+.2f %% a commit", 100 * c->slope);
    else if (c->kind == SP_CHANGE_MODE)
        sp_print(stdout, ": a mode change");
    putchar('\n');
    if (!l->same_source && strcmp(commit_of(c->before), commit_of(c->since)) != 0)
        sp_print(stdout, "    between %.16s and %.16s\n", commit_of(c->before), commit_of(c->since));
    else
        sp_print(stdout, "    within %.16s: both sides have the same source\n", commit_of(c->since));
    if (l->attribution.text[0] && !sp_tracked_is_of_bytes(metric) && metric != SP_TRACKED_INSTRUCTIONS)
        sp_print(stdout, "    %s\n", l->attribution.text);
}

/* Of the latest MOST_RECORDS those with the metric, comparable by it with the newest. */
static enum sp_status gather(void *context, const struct sp_store *store, const struct sp_store_index *index,
                             const struct sp_strand *strand, struct sp_error *err)
{
    struct locating *l = context;
    const int64_t skipped = strand->n > MOST_RECORDS ? strand->n - MOST_RECORDS : 0;
    const bool is_context = l->list[1] != NULL;
    (void)store;
    (void)index;
    (void)err;
    for (int i = 0; i < l->n_located && is_context; i++)
        if (strcmp(l->series[i].list[0]->series, strand->list[0]->series) == 0 &&
            sp_entries_comparable(l->series[i].list[0], strand->list[0], l->metric))
            return SP_OK;
    l->series[l->n++] =
        (struct sp_judged_series){strand->list + skipped, (int)(strand->n - skipped), NULL, 0, is_context};
    return SP_OK;
}

/* What all series of the store tell of the machines. */
static enum sp_status learn(struct locating *l, const struct sp_store *store,
                            const struct sp_store_index *index, const struct sp_judge_options *o,
                            struct sp_error *err)
{
    const struct sp_track_options every = {.common = l->options.common};
    enum sp_status status = SP_OK;
    l->series = calloc(2 * (size_t)index->n + 1, sizeof *l->series);
    if (!l->series)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %lld records", (long long)index->n);
    for (int k = 0; k < 2 && status == SP_OK; k++) {
        int64_t n;
        status = sp_track_select(k == 0 ? &l->options : &every, index, &l->list[k], &n, err);
        if (status == SP_OK)
            status = sp_track_visit_list(l->metric, gather, l, store, index, l->list[k], n, err);
        if (k == 0)
            l->n_located = l->n;
    }
    return status == SP_OK ? sp_learn_all(l->series, l->n, o, &l->learned, err) : status;
}

static enum sp_status locate(void *context, const struct sp_store *store, const struct sp_store_index *index,
                             const struct sp_strand *strand, struct sp_error *err)
{
    struct locating *l = context;
    const struct sp_judge_options o = {.metric = l->metric, .floor = l->floor};
    struct sp_located change[MOST_CHANGES];
    int n_found = 0, n_sessions = 0;
    char title[320], place[120];
    enum sp_status status = l->learned ? SP_OK : learn(l, store, index, &o, err);
    if (status == SP_OK)
        status = sp_judge_locate(l->learned, l->at++, &o, change, MOST_CHANGES, &n_found, &n_sessions, err);
    if (status != SP_OK)
        return status;
    sp_print(stdout, "%s%s  series %.8s, %d session%s\n",
             sp_track_title(strand->list[strand->n - 1], title, sizeof title),
             sp_strand_place(strand, place, sizeof place), strand->list[0]->series, n_sessions,
             n_sessions == 1 ? "" : "s");
    for (int i = 0; i < n_found; i++)
        print_change(&change[i], l->metric);
    if (n_sessions < LEAST_SESSIONS)
        sp_print(stdout,
                 "  too few sessions: with fewer than %d only a large change can be told from chance\n",
                 LEAST_SESSIONS);
    else if (n_found == 0)
        sp_print(stdout, "  no change\n");
    return SP_OK;
}

static const struct argp locate_argp = {locate_options, locate_parse, .args_doc = "",
                                        .doc = "Finds where a series changed its level, in a step or as a "
                                               "trend, and between which commits: the same "
                                               "test as track check, session after session.",
                                        .children = sp_track_list_children};

static int locate_run(int argc, char **argv)
{
    struct locating l = {0};
    sp_parse(&locate_argp, argc, argv, &l);
    const int code = sp_track_visit(&l.options, l.metric, locate, &l);
    sp_learned_free(l.learned);
    free(l.series);
    free(l.list[0]);
    free(l.list[1]);
    return code;
}

static const struct sp_example locate_examples[] = {
    {"spmodel track locate --matrix 'matrix*'",
     "where these series changed their level, and with which commit", NULL},
    {0},
};

const struct sp_verb sp_track_locate = {
    .name = "locate",
    .arguments = "[OPTION...]",
    .summary = "where a series changed, and with which commit",
    .run = locate_run,
    .page = {&locate_argp, locate_examples, NULL, "track-check track-plot"},
};

/* spmodel track plot: the history of each series as a picture. */

enum { MOST_JUDGED = 200 }; /* the last ones; each costs some milliseconds */
enum { KEY_TERM = SP_KEY_PRIVATE };

struct drawing {
    struct sp_track_options options;
    const char *folder;
    int term;
};

static const struct argp_option plot_options[] = {
    {"out", 'o', "DIR", 0, "Directory of the pictures (default: this one)", 1},
    {"term", KEY_TERM, "TERM", 0, "svg (default), pdf, png, txt or gp", 1},
    {0},
};

static error_t plot_parse(int key, char *arg, struct argp_state *state)
{
    struct drawing *d = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        sp_track_pass(state, &d->options);
        return 0;
    case 'o':
        d->folder = sp_pick_folder(state, arg);
        return 0;
    case KEY_TERM:
        d->term = sp_term_from_name(arg);
        if (d->term < 0)
            sp_usage_error(state, "--term takes svg, pdf, png, txt or gp, not '%s'", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *path_of(const struct sp_store_index *index, const struct sp_entry *e)
{
    return index->path[e - index->entry];
}

/* What `track check` said, or would have said, of each record when it was the newest, against those
 * before it; into the records as they are drawn, which are not those of the store. */
static enum sp_status set_verdicts(const struct sp_entry *const *list, struct sp_record *record, int n,
                                   struct sp_error *err)
{
    const struct sp_judge_options how = {.metric = SP_TRACKED_TIME};
    for (int i = n > MOST_JUDGED ? n - MOST_JUDGED : 1; i < n; i++) {
        struct sp_judgement j;
        const enum sp_status status = sp_judge(list, i + 1, NULL, 0, &how, &j, err);
        if (status != SP_OK)
            return status;
        json_object_set_new(record[i].root, "verdict", json_string(sp_track_verdict_name(j.verdict)));
    }
    return SP_OK;
}

/* Where several machines measured the series, each has a picture of its own. */
static void picture_name(const struct drawing *d, const struct sp_strand *strand, char *path, size_t size)
{
    const struct sp_entry *e = strand->list[0];
    char env[9], series[9];
    sp_file_stem(env, sizeof env, *e->env ? e->env : "unknown");
    sp_file_stem(series, sizeof series, e->series);
    snprintf(path, size, "%s/history-%s%s%s.%s", d->folder, series, strand->is_only ? "" : "-",
             strand->is_only ? "" : env, sp_term_name((enum sp_image)d->term));
}

static enum sp_status draw(void *context, const struct sp_store *store, const struct sp_store_index *index,
                           const struct sp_strand *strand, struct sp_error *err)
{
    const struct drawing *d = context;
    const struct sp_entry *const *list = strand->list;
    const int64_t n = strand->n;
    (void)store;
    const struct sp_plot_kind *kind = sp_plot_kind_find("history");
    const int64_t first = n > kind->max_records ? n - kind->max_records : 0;
    struct sp_record *record = calloc((size_t)(n - first), sizeof *record);
    const struct sp_record **pointer = calloc((size_t)(n - first), sizeof *pointer);
    const struct sp_entry **drawn = calloc((size_t)(n - first), sizeof *drawn);
    char path[4096], gnuplot[1024], title[320];
    int n_read = 0;
    enum sp_status status = record && pointer && drawn
                                ? SP_OK
                                : sp_fail(err, SP_MEMORY, NULL, "no memory for %lld records", (long long)n);
    for (int64_t i = first; i < n && status == SP_OK; i++) {
        status = sp_record_read(path_of(index, list[i]), &record[n_read], err);
        if (status != SP_OK)
            break;
        if (kind->lacks(&record[n_read])) {
            sp_record_free(&record[n_read]);
            continue;
        }
        pointer[n_read] = &record[n_read];
        drawn[n_read] = list[i];
        n_read++;
    }
    if (status == SP_OK)
        status = set_verdicts(drawn, record, n_read, err);
    if (status == SP_OK && n_read > 0) {
        picture_name(d, strand, path, sizeof path);
        const struct sp_plot_tool tool = {.gnuplot = sp_find_program("gnuplot", gnuplot, sizeof gnuplot)};
        status = sp_make_folder(d->folder, err);
        if (status == SP_OK)
            status = sp_plot_write(kind, pointer, n_read, (enum sp_image)d->term, &tool, path, err);
        if (status == SP_OK && d->options.common.verbosity >= 0)
            sp_print(stdout, "saved  %s\n", path);
    }
    if (status == SP_OK && n_read == 0 && d->options.common.verbosity >= 0)
        sp_print(stderr,
                 "spmodel: remark: nothing to draw: no record has a time that holds: %s  series %.8s\n",
                 sp_track_title(list[0], title, sizeof title), list[0]->series);
    for (int i = 0; i < n_read; i++)
        sp_record_free(&record[i]);
    free(record);
    free(pointer);
    free(drawn);
    return status;
}

static const struct argp plot_argp = {
    plot_options, plot_parse, .args_doc = "",
    .doc = "Draws each series that is meant into history-KEY.svg, or history-KEY-ENV.svg where several "
           "machines measured it: the time of every process, and bandwidth beside the load-only roof. Dotted "
           "lines: the source or this program changed. Triangles and diamonds: what `track check` would have "
           "said of a record when it was the newest, without accepted baselines; of the last 200 records.",
    .children = sp_track_list_children};

static int plot_run(int argc, char **argv)
{
    struct drawing d = {.folder = ".", .term = SP_TERM_SVG};
    sp_parse(&plot_argp, argc, argv, &d);
    return sp_track_visit(&d.options, SP_TRACKED_TIME, draw, &d);
}

static const struct sp_example plot_examples[] = {
    {"spmodel track plot --term gp --matrix 'matrix*'", "the history of each series, as scripts of gnuplot",
     NULL},
    {0},
};

const struct sp_verb sp_track_plot = {
    .name = "plot",
    .arguments = "[OPTION...]",
    .summary = "draw the history of each series",
    .run = plot_run,
    .page = {&plot_argp, plot_examples, NULL, "track-log plot"},
};
