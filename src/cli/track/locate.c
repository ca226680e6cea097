/* spmodel track locate: where did a series change, and with which commit? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "cli/track/track_options.h"
#include "track/judge/change_points.h"

enum { KEY_FLOOR = SP_KEY_PRIVATE, KEY_METRIC };
enum { MOST_RECORDS = 2000, MOST_CHANGES = 32 };

struct locating {
    struct sp_track_options options;
    enum sp_tracked metric;
    double floor;
};

static const struct argp_option options[] = {
    {"metric", KEY_METRIC, "NAME", 0, "As of track check (default time)", 1},
    {"floor", KEY_FLOOR, "P", 0, "Smaller changes are not shown, in percent (default 2)", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct locating *l = state->input;
    double x;
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
        if (sp_parse_number(arg, &x) || x < 0 || x >= 100)
            sp_usage_error(state, "--floor takes percent from 0 to 100, not '%s'", arg);
        l->floor = log1p(x / 100);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *commit_of(const struct sp_entry *e)
{
    return e->commit[0] ? e->commit : e->tool;
}

static void print_change(const struct sp_entry *const *kept, const struct sp_change_point *c,
                         enum sp_tracked metric)
{
    const struct sp_entry *last = kept[c->at - 1], *first = kept[c->at];
    const double change = c->after / c->before - 1;
    const bool worse = (change > 0) == sp_tracked_metrics[metric].less_is_better;
    sp_print(stdout, "  %s  %s %+.1f %% (p = %.3f), %s\n", first->start, sp_tracked_metrics[metric].name,
             100 * change, c->p, worse ? "worse" : "better");
    if (strcmp(commit_of(last), commit_of(first)) != 0)
        sp_print(stdout, "    between %.16s and %.16s\n", commit_of(last), commit_of(first));
    else
        sp_print(stdout, "    both sides have the same source, %.16s: the machine or its settings\n",
                 commit_of(first));
}

/* Of the latest MOST_RECORDS those that have the metric and can be compared with the newest one by it. */
static enum sp_status locate(void *context, const struct sp_store *store, const struct sp_index *index,
                             const struct sp_strand *strand, struct sp_error *err)
{
    const struct locating *l = context;
    const struct sp_entry *const *list = strand->list;
    const int64_t n = strand->n;
    (void)store;
    (void)index;
    const struct sp_entry **kept = calloc((size_t)n + 1, sizeof *kept);
    double *x = calloc((size_t)n + 1, sizeof *x);
    struct sp_change_point change[MOST_CHANGES];
    int n_kept = 0, n_found = 0;
    char title[320], place[120];
    enum sp_status status =
        kept && x ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory for %lld records", (long long)n);
    for (int64_t i = n > MOST_RECORDS ? n - MOST_RECORDS : 0; i < n && status == SP_OK; i++)
        if (list[i]->metric[l->metric] > 0) {
            x[n_kept] = list[i]->metric[l->metric];
            kept[n_kept++] = list[i];
        }
    const struct sp_change_options o = {.floor = l->floor, .seed = 1};
    if (status == SP_OK)
        status = sp_change_points(x, n_kept, &o, change, MOST_CHANGES, &n_found, err);
    if (status == SP_OK) {
        sp_print(stdout, "%s%s  series %.8s, %d record%s\n", sp_track_title(list[n - 1], title, sizeof title),
                 sp_strand_place(strand, place, sizeof place), list[0]->series, n_kept,
                 n_kept == 1 ? "" : "s");
        for (int i = 0; i < n_found; i++)
            print_change(kept, &change[i], l->metric);
        if (n_kept < sp_change_least_values(0, 0))
            sp_print(stdout,
                     "  too few records: with fewer than %d no change can be told from chance (p <= 0.05)\n",
                     sp_change_least_values(0, 0));
        else if (n_found == 0)
            sp_print(stdout, "  no change\n");
    }
    free(x);
    free(kept);
    return status;
}

static const struct argp argp = {
    options,
    parse,
    "",
    "Finds where a series changed its level, and between which commits: E-divisive with "
    "seeded permutations (all arrangements of up to eight records), at least three records on each side and "
    "eight in all.",
    sp_track_children,
    NULL,
    NULL};

static int run(int argc, char **argv)
{
    struct locating l = {.floor = log1p(0.02)};
    sp_parse(&argp, argc, argv, &l);
    return sp_track_visit(&l.options, l.metric, locate, &l);
}

static const struct sp_example examples[] = {
    {"spmodel track locate --matrix 'matrix*'",
     "where these series changed their level, and with which commit", NULL},
    {0},
};

const struct sp_verb sp_track_locate = {
    .name = "locate",
    .arguments = "[OPTION...]",
    .summary = "where a series changed, and with which commit",
    .run = run,
    .page = {&argp, examples, NULL, "track-check track-plot"},
};
