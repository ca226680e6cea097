/* spmodel track import: measurements of other programs into a store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "cli/analyze/measure_again.h"
#include "cli/track/track_options.h"
#include "track/exchange/exchange.h"

enum { KEY_FROM = SP_KEY_PRIVATE, KEY_FORMATS, KEY_COMMIT, KEY_BRANCH, KEY_MACHINE, KEY_DATE };

enum { MOST_FILES = 4096 };

struct importing {
    struct sp_track_options options;
    const struct sp_exchange_format *from; /* NULL: whichever a file looks like */
    struct sp_outside_defaults otherwise;
    bool lists;
    const char *file[MOST_FILES];
    int n_files;
    int64_t n_added, n_there;
};

static const struct argp_option options[] = {
    {"from", KEY_FROM, "FORMAT", 0,
     "gbench, reframe, caliper, thicket or csv (default: what the file looks like)", 1},
    {"formats", KEY_FORMATS, NULL, 0, "List the formats, and what their fields mean", 1},
    {"commit", KEY_COMMIT, "COMMIT", 0,
     "Of the source, where the file does not say (default $SPMODEL_COMMIT, or what the CI server sets)", 1},
    {"branch", KEY_BRANCH, "BRANCH", 0, "Likewise", 1},
    {"machine", KEY_MACHINE, "NAME", 0, "Where it was measured, where the file does not say", 1},
    {"date", KEY_DATE, "DATE", 0, "When, where the file does not say: ISO 8601, or seconds since 1970", 1},
    {0},
};

static void set_format(struct argp_state *state, struct importing *a, const char *arg)
{
    a->from = sp_exchange_find(arg);
    if (!a->from || !a->from->read)
        sp_usage_error(state, "--from takes gbench, reframe, caliper, thicket or csv, not '%s'", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct importing *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        sp_track_pass(state, &a->options);
        return 0;
    case KEY_FROM:
        set_format(state, a, arg);
        return 0;
    case KEY_FORMATS:
        a->lists = true;
        return 0;
    case KEY_COMMIT:
        a->otherwise.commit = arg;
        return 0;
    case KEY_BRANCH:
        a->otherwise.branch = arg;
        return 0;
    case KEY_MACHINE:
        a->otherwise.machine = arg;
        return 0;
    case KEY_DATE:
        a->otherwise.start = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (a->n_files == MOST_FILES)
            sp_usage_error(state, "at most %d files at a time", MOST_FILES);
        a->file[a->n_files++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (!a->lists && a->n_files == 0)
            sp_usage_error(state, "name the files");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Text in lines of at most 78 columns, each behind so many blanks. */
static void print_wrapped(const char *text, int indent)
{
    int column = 0;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > 0 && column + 1 + length > 78) {
            putchar('\n');
            column = 0;
        }
        if (column == 0)
            column = indent - 1;
        sp_print(stdout, "%*s%.*s", column == indent - 1 ? indent : 1, "", length, text);
        column += 1 + length;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_formats(void)
{
    for (const struct sp_exchange_format *f = sp_exchange_formats; f->name; f++) {
        sp_print(stdout, "%-14s %s (%s)\n", f->name, f->what,
                 f->read && f->write ? "in and out"
                 : f->read           ? "in"
                                     : "out");
        print_wrapped(f->fields, 15);
    }
    sp_print(
        stdout,
        "units          s, ms, us, ns; B/s, B and flop/s with k, M, G, T; B and B/s with Ki, Mi, Gi, Ti\n");
}

/* The records of one file into the store. */
static enum sp_status add_records(struct importing *a, const struct sp_store *store, const char *file,
                                  const struct sp_outside_records *records, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    char path[4096];
    for (int64_t i = 0; i < records->n && status == SP_OK; i++) {
        bool added = false;
        char *text = records->record[i].failed
                         ? NULL
                         : json_dumps(records->record[i].root, JSON_COMPACT | JSON_PRESERVE_ORDER);
        if (!text)
            return sp_fail(err, SP_MEMORY, NULL, "no memory for a record of %s", file);
        status = sp_store_add_line(store, file, records->line[i], text, strlen(text), &added, path, err);
        a->n_added += status == SP_OK && added;
        a->n_there += status == SP_OK && !added;
        free(text);
    }
    return status;
}

static enum sp_status import_file(struct importing *a, const struct sp_store *store, const char *file,
                                  struct sp_error *err)
{
    const struct sp_exchange_format *format = a->from;
    struct sp_outside outside;
    struct sp_outside_records records;
    enum sp_status status = sp_exchange_read(file, &format, &a->otherwise, &outside, err);
    if (status != SP_OK)
        return status;
    if (outside.n_left_out > 0 && a->options.common.verbosity >= 0)
        sp_print(stderr, "spmodel: remark: %s: %lld value%s left out, such as %s\n", file,
                 (long long)outside.n_left_out, outside.n_left_out == 1 ? "" : "s", outside.left_out);
    status = sp_outside_records(&outside, format, &records, err);
    sp_outside_free(&outside);
    if (status != SP_OK)
        return status;
    status = add_records(a, store, file, &records, err);
    sp_outside_records_free(&records);
    return status;
}

static const struct argp_child children[] = {
    {&sp_track_store_argp, 0, "The store:", 80}, {&sp_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {
    options, parse, .args_doc = "FILE...",
    .doc =
        "Adds what other programs measured to a store, which is made where there is none: a series for each "
        "benchmark, and a record for each time that it was measured. check, locate, report and export take "
        "them as their own. Reading a file again adds nothing. Nothing of a damaged file is added: the error "
        "names the line.",
    .children = children};

static int run(int argc, char **argv)
{
    static struct importing a;
    struct sp_store store;
    struct sp_error err;
    int code = 0;
    memset(&a, 0, sizeof a);
    a.otherwise.commit = sp_commit_of_now();
    sp_parse(&argp, argc, argv, &a);
    if (a.lists) {
        print_formats();
        return 0;
    }
    if (sp_store_open(sp_track_store_path(&a.options), true, &store, &err) != SP_OK)
        return sp_report_error(&err);
    for (int i = 0; i < a.n_files; i++)
        if (import_file(&a, &store, a.file[i], &err) != SP_OK)
            code = sp_worse_exit(code, sp_report_error(&err));
    if (a.options.common.verbosity >= 0) {
        sp_print(stdout, "%lld record%s added to %s", (long long)a.n_added, a.n_added == 1 ? "" : "s",
                 store.path);
        if (a.n_there > 0)
            sp_print(stdout, ", %lld there already", (long long)a.n_there);
        sp_print(stdout, "\n");
    }
    return code;
}

static const struct sp_example examples[] = {
    {"spmodel track import --formats", "the formats, and what their fields mean", NULL},
    {0},
};

const struct sp_verb sp_track_import = {
    .name = "import",
    .arguments = "[--from FORMAT] FILE...",
    .summary = "take in what other programs measured",
    .run = run,
    .page = {&argp, examples, NULL, "track-add track-export track-check"},
};
