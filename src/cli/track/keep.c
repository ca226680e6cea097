#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/print.h"
#include "base/text.h"
#include "cli/analyze/run_options.h"
#include "cli/track/track_options.h"
#include "io/files/input_file.h"
#include "io/json_text.h"
#include "io/record/record.h"
#include "track/exchange/exchange.h"
#include "track/store/index.h"

/* spmodel track add: records into a store. */

struct adding {
    struct sp_track_options options;
    struct sp_record_paths paths;
    int code, n_added, n_there;
    bool is_shut; /* the store cannot be written: other records would say the same */
};

static error_t add_parse(int key, char *arg, struct argp_state *state)
{
    struct adding *a = state->input;
    struct sp_error err;
    switch (key) {
    case ARGP_KEY_INIT:
        sp_track_pass(state, &a->options);
        return 0;
    case ARGP_KEY_ARG:
        if (sp_record_paths_add(&a->paths, arg, &err) != SP_OK)
            a->code = sp_worse_exit(a->code, sp_report_error(&err));
        return 0;
    case ARGP_KEY_NO_ARGS:
        sp_usage_error(state, "name records, or folders of them");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child add_children[] = {
    {&sp_track_store_argp, 0, "The store:", 80}, {&sp_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp add_argp = {
    NULL, add_parse, .args_doc = "RECORD...",
    .doc =
        "Adds complete records to a store, which is made where there is none: files of one record, or JSON "
        "Lines with one a line, as analyze --json=FILE writes them. Several programs may do so at once.",
    .children = add_children};

/* What came of one record. */
static void count(struct adding *a, enum sp_status status, bool added, const char *path,
                  const struct sp_error *err)
{
    if (status != SP_OK) {
        a->code = sp_worse_exit(a->code, sp_report_error(err));
        a->is_shut = status == SP_OUTPUT;
        return;
    }
    a->n_added += added;
    a->n_there += !added;
    if (a->options.common.verbosity > 0)
        sp_print(stdout, "%s %s\n", added ? "added" : "there already", path);
}

/* The length of the line that begins at text[0]. */
static size_t line_length(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    return end ? (size_t)(end - text) : size;
}

static bool is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr(" \t\r\n", text[i]) || text[i] == '\0')
            return false;
    return true;
}

/* Is it JSON Lines, as analyze --json=FILE writes of several records: is its first line a whole
 * value, and is there more? A stream can be read but once: it is one record. */
static bool read_lines(const char *file, char **text, size_t *size)
{
    struct stat facts;
    *text = NULL;
    if (stat(file, &facts) != 0 || !S_ISREG(facts.st_mode) ||
        sp_input_bytes(file, SP_INPUT_MOST_B, text, size, NULL) != SP_OK)
        return false;
    const size_t first = line_length(*text, *size);
    json_t *value = is_blank(*text + first, *size - first) ? NULL : sp_json_parse(*text, first, 0, NULL);
    const bool is_lines = value != NULL;
    json_decref(value);
    if (!is_lines)
        free(*text), *text = NULL;
    return is_lines;
}

/* A file of one record, or of one a line. */
static void add_file(struct adding *a, const struct sp_store *store, const char *file)
{
    struct sp_error err;
    char path[4096], *text;
    bool added;
    size_t size, length;
    if (!read_lines(file, &text, &size)) {
        const enum sp_status status = sp_store_add(store, file, &added, path, &err);
        count(a, status, added, path, &err);
        return;
    }
    int64_t line = 1;
    for (size_t at = 0; at < size && !a->is_shut; at += length + 1, line++) {
        length = line_length(text + at, size - at);
        if (is_blank(text + at, length))
            continue;
        const enum sp_status status =
            sp_store_add_line(store, file, line, text + at, length, &added, path, &err);
        count(a, status, added, path, &err);
    }
    free(text);
}

static int add_run(int argc, char **argv)
{
    struct adding a = {.code = 0};
    struct sp_store store;
    struct sp_error err;
    sp_parse(&add_argp, argc, argv, &a);
    if (a.paths.n == 0) /* none is there, as was said: no store is made */
        return a.code;
    if (sp_store_open(sp_track_store_path(&a.options), true, &store, &err) != SP_OK) {
        sp_record_paths_free(&a.paths);
        return sp_report_error(&err);
    }
    for (int i = 0; i < a.paths.n && !a.is_shut; i++)
        add_file(&a, &store, a.paths.path[i]);
    if (a.options.common.verbosity >= 0) {
        sp_print(stdout, "%d record%s added to %s", a.n_added, a.n_added == 1 ? "" : "s", store.path);
        if (a.n_there > 0)
            sp_print(stdout, ", %d there already", a.n_there);
        sp_print(stdout, "\n");
    }
    sp_record_paths_free(&a.paths);
    return a.code;
}

static const struct sp_example add_examples[] = {
    {"spmodel track add before.json after.json",
     "two records into the store, which is made where there is none", NULL},
    {"spmodel track add --store history before.json", "into a store of another name", NULL},
    {0},
};

const struct sp_verb sp_track_add = {
    .name = "add",
    .arguments = "RECORD...",
    .summary = "put records into a store",
    .run = add_run,
    .page = {&add_argp, add_examples, NULL, "track-log track-check analyze"},
};

/* spmodel track accept: what a series is now is what it may be. */

enum { KEY_WHY = SP_KEY_PRIVATE, KEY_RECORDS, KEY_ALL, KEY_DROP, KEY_FLAGGED };

struct accepting {
    struct sp_track_options options;
    const char *why;
    int64_t n_records; /* 0: not given */
    bool all, drop, flagged;
    int code; /* of what could not be accepted */
};

static const struct argp_option accept_options[] = {
    {"records", KEY_RECORDS, "N", 0, "Of each series its last N records in each environment (default 1)", 1},
    {"why", KEY_WHY, "TEXT", 0, "A sentence that is kept with it", 1},
    {"all", KEY_ALL, NULL, 0, "All series of the store", 1},
    {"flagged", KEY_FLAGGED, NULL, 0, "Also records whose flags say that their times are in doubt", 1},
    {"drop", KEY_DROP, NULL, 0, "Forget the accepted baseline instead", 1},
    {0},
};

static bool chooses(const struct sp_track_options *o)
{
    return o->series || o->matrix || o->what || o->commit || o->machine || *o->since;
}

static error_t accept_parse(int key, char *arg, struct argp_state *state)
{
    struct accepting *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        sp_track_pass(state, &a->options);
        return 0;
    case KEY_WHY:
        a->why = arg;
        return 0;
    case KEY_RECORDS:
        a->n_records = sp_take_count(state, "records", 1, SP_MOST_PINNED, arg);
        return 0;
    case KEY_ALL:
        a->all = true;
        return 0;
    case KEY_FLAGGED:
        a->flagged = true;
        return 0;
    case KEY_DROP:
        a->drop = true;
        return 0;
    case ARGP_KEY_END:
        if (!a->all && !chooses(&a->options))
            sp_usage_error(
                state,
                "say which records: --series, --matrix, --what, --commit, --machine, --since, or --all");
        if (a->drop && (a->n_records > 0 || a->why || a->flagged))
            sp_usage_error(state, "--records, --why and --flagged go with what is accepted, not with --drop");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Refuses a record whose flags say that its times are not those of the kernel on this machine. */
static enum sp_status check_flags(const char *path, struct sp_error *err)
{
    static const char *const doubts[] = {"fault", "Q02", "Q04", "Q28"};
    struct sp_record r;
    enum sp_status status = sp_record_read(path, &r, err);
    if (status != SP_OK)
        return status;
    const bool assumed = strcmp(sp_words_text(&r, SP_F_CONDITIONS_STATE, ""), "assumed") == 0;
    const json_t *flags = sp_record_node(&r, SP_F_FLAGS), *flag;
    size_t i;
    json_array_foreach(flags, i, flag)
    {
        const char *code = sp_item_text(flag, "code"), *text = sp_item_text(flag, "text");
        for (size_t k = 0; code && status == SP_OK && k < (assumed ? 1 : sizeof doubts / sizeof *doubts); k++)
            if (strcmp(code, doubts[k]) == 0)
                status = sp_fail(
                    err, SP_UNDECIDED, "measure again, or say --flagged where every record has this flag",
                    "record %s is flagged: %s", sp_words_text(&r, SP_F_ID, "?"), text ? text : code);
    }
    sp_record_free(&r);
    return status;
}

/* Can all of them be a baseline? */
static enum sp_status check_usable(const struct accepting *a, const struct sp_store_index *index,
                                   const struct sp_entry *const *last, int n, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < n && status == SP_OK; i++) {
        if (last[i]->n_runs == 0)
            return sp_fail(err, SP_UNDECIDED, "measure again on a quieter machine (spmodel doctor)",
                           "record %s has no times that a baseline could be made of", last[i]->id);
        if (!a->flagged)
            status = check_flags(index->path[last[i] - index->entry], err);
    }
    return status;
}

static enum sp_status accept(void *context, const struct sp_store *store, const struct sp_store_index *index,
                             const struct sp_strand *strand, struct sp_error *err)
{
    struct accepting *a = context;
    const int64_t wanted = a->n_records > 0 ? a->n_records : 1;
    const int n = (int)(strand->n < wanted ? strand->n : wanted);
    const struct sp_entry *const *last = strand->list + strand->n - n, *newest = last[n - 1];
    char title[320], place[120];
    bool had = false;
    enum sp_status status = a->drop ? SP_OK : check_usable(a, index, last, n, err);
    if (status == SP_UNDECIDED) { /* the others are accepted all the same */
        a->code = sp_worse_exit(a->code, sp_report_error(err));
        return SP_OK;
    }
    if (status == SP_OK)
        status = a->drop ? sp_pins_drop(store, newest, &had, err) : sp_pins_set(store, last, n, a->why, err);
    if (status != SP_OK || a->options.common.verbosity < 0)
        return status;
    sp_print(stdout, "%s %s%s  series %.8s",
             !a->drop ? "accepted     "
             : had    ? "forgotten    "
                      : "none accepted",
             sp_track_title(newest, title, sizeof title),
             sp_track_place(newest, strand->metric, place, sizeof place), newest->series);
    if (!a->drop)
        sp_print(stdout, ": %d record%s %s", n, n == 1 ? " of" : "s up to", newest->start);
    putchar('\n');
    return SP_OK;
}

static const struct argp accept_argp = {
    accept_options, accept_parse, .args_doc = "",
    .doc = "Makes the last records of the series that are meant their accepted baseline, in each environment "
           "that measured them. The series begins anew there: what was measured before is no baseline for "
           "track check any more. New records are held against it too, so that small steps cannot add up. "
           "Simulated bytes are held against what any environment with the same caches accepted of what was "
           "measured last.",
    .children = sp_track_children};

static int accept_run(int argc, char **argv)
{
    struct accepting a = {0};
    sp_parse(&accept_argp, argc, argv, &a);
    const int code = sp_track_visit(&a.options, SP_TRACKED_TIME, accept, &a);
    return sp_worse_exit(code, a.code);
}

static const struct sp_example accept_examples[] = {
    {"spmodel track accept --all --why 'release 1.2'", "what was measured last may be so from now on", NULL},
    {"spmodel track accept --all --drop", "forget what was accepted", NULL},
    {0},
};

const struct sp_verb sp_track_accept = {
    .name = "accept",
    .arguments = "--all|--matrix PATTERN...",
    .summary = "make the last records the accepted baseline",
    .run = accept_run,
    .page = {&accept_argp, accept_examples, NULL, "track-check"},
};

/* spmodel track import: measurements of other programs into a store. */

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
    status = sp_outside_records(&outside, format->name, &records, err);
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
