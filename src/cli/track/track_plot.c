/* spmodel track plot: the history of each series as a picture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_stem.h"
#include "base/print.h"
#include "cli/core/find_program.h"
#include "cli/track/track_options.h"
#include "plots/plot.h"
#include "track/judge/confirm.h"

enum { MOST_JUDGED = 200 }; /* the last ones; each costs some milliseconds */
enum { KEY_TERM = SP_KEY_PRIVATE };

struct drawing {
    struct sp_track_options options;
    const char *folder;
    int term;
};

static const struct argp_option options[] = {
    {"out", 'o', "DIR", 0, "Directory of the pictures (default: this one)", 1},
    {"term", KEY_TERM, "TERM", 0, "svg (default), pdf, png, txt or gp", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct drawing *d = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        sp_track_pass(state, &d->options);
        return 0;
    case 'o':
        d->folder = arg;
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

static const char *path_of(const struct sp_index *index, const struct sp_entry *e)
{
    return index->path[e - index->entry];
}

/* What `track check` said, or would have said, of each record when it was the newest, against those before
 * it; into the records as they are drawn, which are not those of the store. */
static enum sp_status set_verdicts(const struct sp_entry *const *list, struct sp_record *record, int n,
                                   struct sp_error *err)
{
    const struct sp_judge_options how = {.metric = SP_TRACKED_TIME, .seed = 1};
    for (int i = n > MOST_JUDGED ? n - MOST_JUDGED : 1; i < n; i++) {
        struct sp_judgement j;
        const enum sp_status status = sp_judge_confirmed(list, i + 1, NULL, 0, &how, &j, err);
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
             strand->is_only ? "" : env, sp_term_name((enum sp_term)d->term));
}

static enum sp_status draw(void *context, const struct sp_store *store, const struct sp_index *index,
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
    char path[4096], gnuplot[1024];
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
        status = sp_plot_write(kind, pointer, n_read, (enum sp_term)d->term, &tool, path, err);
        if (status == SP_OK && d->options.common.verbosity >= 0)
            sp_print(stdout, "saved  %s\n", path);
    }
    for (int i = 0; i < n_read; i++)
        sp_record_free(&record[i]);
    free(record);
    free(pointer);
    free(drawn);
    return status;
}

static const struct argp argp = {
    options,
    parse,
    "",
    "Draws each series that is meant into history-KEY.svg, or history-KEY-ENV.svg where several machines "
    "measured it: the time of every process, and "
    "bandwidth beside the load-only roof. Dotted lines: the source or this program changed. Triangles and "
    "diamonds: what `track check` would have said of a record when it was the newest, without accepted "
    "baselines; of the last 200 records.",
    sp_track_children,
    NULL,
    NULL};

static int run(int argc, char **argv)
{
    struct drawing d = {.folder = ".", .term = SP_TERM_SVG};
    sp_parse(&argp, argc, argv, &d);
    return sp_track_visit(&d.options, SP_TRACKED_TIME, draw, &d);
}

static const struct sp_example examples[] = {
    {"spmodel track plot --term gp --matrix 'matrix*'", "the history of each series, as scripts of gnuplot",
     NULL},
    {0},
};

const struct sp_verb sp_track_plot = {
    .name = "plot",
    .arguments = "[OPTION...]",
    .summary = "draw the history of each series",
    .run = run,
    .page = {&argp, examples, NULL, "track-log plot"},
};
