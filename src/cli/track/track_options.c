#include "cli/track/track_options.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/core/command.h"
#include "cli/core/terminal.h"
#include "io/files/part_file.h"
#include "io/files/places.h"
#include "track/exchange/outside.h"
#include "track/judge/comparable.h"

enum {
    KEY_STORE = SP_KEY_PRIVATE + 0x200, /* apart from those of the verbs */
    KEY_REBUILD,
    KEY_MATRIX,
    KEY_WHAT,
    KEY_SERIES,
    KEY_COMMIT,
    KEY_MACHINE,
    KEY_SINCE,
    KEY_LAST
};

static const struct argp_option store_options[] = {
    {"store", KEY_STORE, "DIR", 0, "The store of records (default $SPMODEL_STORE, else spmodel-store)", 80},
    {"rebuild", KEY_REBUILD, NULL, 0, "Read all records again instead of trusting the index", 80},
    {0},
};

static const struct argp_option select_options[] = {
    {NULL, 0, NULL, 0, "Which records:", 70},
    {"matrix", KEY_MATRIX, "PATTERN", 0, "Of matrices with such a name: 'kkt*'", 70},
    {"what", KEY_WHAT, "TEXT", 0, "Whose configuration has this in it: 'sell', '2 threads'", 70},
    {"series", KEY_SERIES, "KEY", 0, "Of the series whose key begins so", 70},
    {"commit", KEY_COMMIT, "COMMIT", 0, "Of this commit of your source", 70},
    {"machine", KEY_MACHINE, "PATTERN", 0, "Of machines with such a name", 70},
    {"since", KEY_SINCE, "DATE", 0, "Not older, for example 2026-11-01", 70},
    {0},
};

static const struct argp_option list_options[] = {
    {"last", KEY_LAST, "N", 0, "The last N of each series", 70},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct sp_track_options *o = state->input;
    switch (key) {
    case KEY_STORE:
        o->store = arg;
        return 0;
    case KEY_REBUILD:
        o->rebuild = true;
        return 0;
    case KEY_MATRIX:
        o->matrix = arg;
        return 0;
    case KEY_WHAT:
        o->what = arg;
        return 0;
    case KEY_SERIES:
        o->series = arg;
        return 0;
    case KEY_COMMIT:
        o->commit = arg;
        return 0;
    case KEY_MACHINE:
        o->machine = arg;
        return 0;
    case KEY_SINCE:
        if (!sp_outside_date(arg, o->since, sizeof o->since))
            sp_usage_error(state, "--since takes a date such as 2026-11-01 or 2026-11-01T12:00:00Z, not '%s'",
                           arg);
        return 0;
    case KEY_LAST:
        o->last = sp_take_count(state, "last", 1, INT64_MAX, arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_and_pass(int key, char *arg, struct argp_state *state)
{
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = state->input;
        return 0;
    }
    return parse(key, arg, state);
}

const struct argp sp_track_store_argp = {store_options, parse, NULL, NULL, NULL, NULL, NULL};
static const struct argp_child store_child[] = {{&sp_track_store_argp, 0, "The store:", 80}, {0}};
const struct argp sp_track_select_argp = {select_options, parse_and_pass, .children = store_child};
static const struct argp_child select_child[] = {{&sp_track_select_argp, 0, NULL, 0}, {0}};
const struct argp sp_track_list_argp = {list_options, parse_and_pass, .children = select_child};
const struct argp_child sp_track_children[] = {
    {&sp_track_select_argp, 0, NULL, 0}, {&sp_common_argp, 0, "Common options:", 90}, {0}};
const struct argp_child sp_track_list_children[] = {
    {&sp_track_list_argp, 0, NULL, 0}, {&sp_common_argp, 0, "Common options:", 90}, {0}};

void sp_track_pass(struct argp_state *state, struct sp_track_options *options)
{
    state->child_inputs[0] = options;
    state->child_inputs[1] = &options->common;
}

const char *sp_track_store_path(const struct sp_track_options *o)
{
    const char *named = getenv("SPMODEL_STORE");
    return o->store ? o->store : named && *named ? named : "spmodel-store";
}

/* $XDG_CACHE_HOME/spmodel/index/HASH.sqlite; "" where there is no home. */
static void index_file(const char *store, char *file, size_t size)
{
    struct sp_machine_paths paths;
    char full[4096], folder[1200];
    sp_machine_paths_find(&paths);
    file[0] = '\0';
    if (!paths.cache || !realpath(store, full))
        return;
    snprintf(folder, sizeof folder, "%s/index", paths.cache);
    if (sp_make_directories(folder) == 0)
        snprintf(file, size, "%s/%016llx.sqlite", folder,
                 (unsigned long long)sp_hash64(full, strlen(full), 0));
}

int sp_track_open(const struct sp_track_options *o, struct sp_store *store, struct sp_store_index *index,
                  int *code)
{
    struct sp_error err;
    struct sp_terminal terminal;
    char file[1400];
    const char *path = sp_track_store_path(o);
    memset(index, 0, sizeof *index);
    struct sp_progress progress = sp_terminal_open(&terminal, o->common.verbosity);
    enum sp_status status = sp_store_open(path, false, store, &err);
    if (status == SP_OK) {
        index_file(path, file, sizeof file);
        status = sp_index_open(store, file, o->rebuild, &progress, index, &err);
    }
    sp_terminal_clear(&terminal);
    if (status != SP_OK)
        return sp_report_error(&err);
    for (int i = 0; i < index->n_bad; i++) {
        sp_fail_at(&err, SP_INPUT, index->bad[i].path, 0, 0, "the others are used", "%s", index->bad[i].why);
        *code = sp_worse_exit(*code, sp_report_error(&err));
    }
    if (index->remark[0] && o->common.verbosity >= 0)
        sp_print(stderr, "spmodel: remark: the index is not remembered: %s\n", index->remark);
    return 0;
}

bool sp_track_is_of_place_and_time(const struct sp_track_options *o, const struct sp_entry *e)
{
    return (!o->commit || strncmp(e->commit, o->commit, strlen(o->commit)) == 0) &&
           (!*o->since || strcmp(e->start, o->since) >= 0) &&
           (!o->machine || fnmatch(o->machine, e->machine, 0) == 0);
}

static bool is_meant(const struct sp_track_options *o, const struct sp_entry *e)
{
    return e->series[0] && strcmp(e->status, "complete") == 0 &&
           (!o->matrix || fnmatch(o->matrix, e->matrix, 0) == 0) && (!o->what || strstr(e->what, o->what)) &&
           (!o->series || strncmp(e->series, o->series, strlen(o->series)) == 0) &&
           sp_track_is_of_place_and_time(o, e);
}

static int by_series(const void *a, const void *b)
{
    const struct sp_entry *const *x = a, *const *y = b;
    const int order = strcmp((*x)->series, (*y)->series);
    return order ? order : sp_entry_order(*x, *y);
}

int64_t sp_track_series_end(const struct sp_entry *const *list, int64_t n, int64_t first)
{
    int64_t end = first;
    while (end < n && strcmp(list[end]->series, list[first]->series) == 0)
        end++;
    return end;
}

/* The last `last` of each series, in place; returns how many are left. */
static int64_t keep_last(const struct sp_entry **list, int64_t n, int64_t last)
{
    int64_t kept = 0;
    for (int64_t first = 0, end; first < n; first = end) {
        end = sp_track_series_end(list, n, first);
        for (int64_t i = end - first > last ? end - last : first; i < end; i++)
            list[kept++] = list[i];
    }
    return kept;
}

/* A record, and the last one of its series, whose words name it. */
struct named {
    const struct sp_entry *entry, *last;
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strverscmp(x->last->matrix, y->last->matrix);
    if (order == 0)
        order = strverscmp(x->last->what, y->last->what);
    return order ? order : by_series(&x->entry, &y->entry);
}

/* Series, one after the other in list[n], in the order of their names: 9 before 10. */
static enum sp_status order_by_name(const struct sp_entry **list, int64_t n, struct sp_error *err)
{
    struct named *named = calloc((size_t)n + 1, sizeof *named);
    if (!named)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %lld records", (long long)n);
    for (int64_t first = 0, end; first < n; first = end) {
        end = sp_track_series_end(list, n, first);
        for (int64_t i = first; i < end; i++)
            named[i] = (struct named){list[i], list[end - 1]};
    }
    sp_sort_by(named, n, sizeof *named, by_name);
    for (int64_t i = 0; i < n; i++)
        list[i] = named[i].entry;
    free(named);
    return SP_OK;
}

enum sp_status sp_track_select(const struct sp_track_options *o, const struct sp_store_index *index,
                               const struct sp_entry ***list, int64_t *n, struct sp_error *err)
{
    *n = 0;
    *list = calloc((size_t)index->n + 1, sizeof **list);
    if (!*list)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %lld records", (long long)index->n);
    for (int64_t i = 0; i < index->n; i++)
        if (is_meant(o, &index->entry[i]))
            (*list)[(*n)++] = &index->entry[i];
    sp_sort_by(*list, *n, sizeof **list, by_series);
    if (o->last > 0)
        *n = keep_last(*list, *n, o->last);
    return order_by_name(*list, *n, err);
}

char *sp_track_title(const struct sp_entry *e, char *text, size_t size)
{
    snprintf(text, size, "%s · %s", e->matrix, e->what);
    return text;
}

char *sp_track_place(const struct sp_entry *e, enum sp_tracked metric, char *text, size_t size)
{
    const bool is_simulated = sp_entry_is_simulated(e, metric);
    const char *key = is_simulated ? e->caches : e->env;
    snprintf(text, size, " on %s (%s %.8s)", e->machine, is_simulated ? "simulated caches" : "environment",
             *key ? key : "unknown");
    return text;
}

char *sp_strand_place(const struct sp_strand *strand, char *text, size_t size)
{
    text[0] = '\0';
    return strand->is_only ? text : sp_track_place(strand->list[strand->n - 1], strand->metric, text, size);
}

/* By what can be compared with one of the metrics that each of the functions below stands for. */
static int by_metric(const void *a, const void *b, enum sp_tracked metric)
{
    const struct sp_entry *const *x = a, *const *y = b;
    const int order = sp_entries_order(*x, *y, metric);
    return order ? order : by_series(a, b);
}

static int by_bytes(const void *a, const void *b)
{
    return by_metric(a, b, SP_TRACKED_BYTES);
}

static int by_bandwidth(const void *a, const void *b)
{
    return by_metric(a, b, SP_TRACKED_BANDWIDTH);
}

static int by_time(const void *a, const void *b)
{
    return by_metric(a, b, SP_TRACKED_TIME);
}

/* The strands of list[n], one series, one after the other; the list is sorted for it. */
static enum sp_status visit_series(enum sp_tracked metric, sp_strand_visitor *visit, void *context,
                                   const struct sp_store *store, const struct sp_store_index *index,
                                   const struct sp_entry **list, int64_t n, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    sp_sort_by(list, n, sizeof *list,
               sp_tracked_is_of_bytes(metric)  ? by_bytes
               : sp_tracked_uses_bytes(metric) ? by_bandwidth
                                               : by_time);
    for (int64_t first = 0, end; status == SP_OK && first < n; first = end) {
        for (end = first; end < n && sp_entries_comparable(list[end], list[first], metric);)
            end++;
        const struct sp_strand strand = {list + first, end - first, metric, end - first == n};
        status = visit(context, store, index, &strand, err);
    }
    return status;
}

enum sp_status sp_track_visit_list(enum sp_tracked metric, sp_strand_visitor *visit, void *context,
                                   const struct sp_store *store, const struct sp_store_index *index,
                                   const struct sp_entry **list, int64_t n, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int64_t first = 0, end; status == SP_OK && first < n; first = end) {
        end = sp_track_series_end(list, n, first);
        status = visit_series(metric, visit, context, store, index, list + first, end - first, err);
    }
    return status;
}

int sp_track_visit(const struct sp_track_options *options, enum sp_tracked metric, sp_strand_visitor *visit,
                   void *context)
{
    struct sp_store store;
    struct sp_store_index index;
    struct sp_error err;
    const struct sp_entry **list = NULL;
    int64_t n;
    int code = 0;
    const int failed = sp_track_open(options, &store, &index, &code);
    if (failed)
        return failed;
    enum sp_status status = sp_track_select(options, &index, &list, &n, &err);
    if (status == SP_OK)
        status = sp_track_visit_list(metric, visit, context, &store, &index, list, n, &err);
    if (status == SP_OK && n == 0)
        status = sp_fail(&err, SP_INPUT, "spmodel track log lists what there is", "no record fits");
    if (status != SP_OK)
        code = sp_worse_exit(code, sp_report_error(&err));
    free(list);
    sp_index_free(&index);
    return code;
}
