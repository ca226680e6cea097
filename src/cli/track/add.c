/* spmodel track add: records into a store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/print.h"
#include "cli/track/track_options.h"
#include "io/files/input_file.h"
#include "io/json_text.h"

struct adding {
    struct sp_track_options options;
    struct sp_record_paths paths;
    int code, n_added, n_there;
};

static error_t parse(int key, char *arg, struct argp_state *state)
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

static const struct argp_child children[] = {
    {&sp_track_store_argp, 0, "The store:", 80}, {&sp_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {
    NULL,
    parse,
    "RECORD...",
    "Adds complete records to a store, which is made where there is none: files of one record, or JSON Lines "
    "with one a line, as analyze --json=FILE writes them. Several programs may do so at once.",
    children,
    NULL,
    NULL};

/* What came of one record. */
static void count(struct adding *a, enum sp_status status, bool added, const char *path,
                  const struct sp_error *err)
{
    if (status != SP_OK) {
        a->code = sp_worse_exit(a->code, sp_report_error(err));
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

/* Is it JSON Lines, as analyze --json=FILE writes of several records: is its first line a whole value, and is
 * there more? A stream can be read but once: it is one record. */
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
    for (size_t at = 0; at < size; at += length + 1, line++) {
        length = line_length(text + at, size - at);
        if (is_blank(text + at, length))
            continue;
        const enum sp_status status =
            sp_store_add_line(store, file, line, text + at, length, &added, path, &err);
        count(a, status, added, path, &err);
    }
    free(text);
}

static int run(int argc, char **argv)
{
    struct adding a = {.code = 0};
    struct sp_store store;
    struct sp_error err;
    sp_parse(&argp, argc, argv, &a);
    if (sp_store_open(sp_track_store_path(&a.options), true, &store, &err) != SP_OK) {
        sp_record_paths_free(&a.paths);
        return sp_report_error(&err);
    }
    for (int i = 0; i < a.paths.n; i++)
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

static const struct sp_example examples[] = {
    {"spmodel track add before.json after.json",
     "two records into the store, which is made where there is none", NULL},
    {"spmodel track add --store history before.json", "into a store of another name", NULL},
    {0},
};

const struct sp_verb sp_track_add = {
    .name = "add",
    .arguments = "RECORD...",
    .summary = "put records into a store",
    .run = run,
    .page = {&argp, examples, NULL, "track-log track-check analyze"},
};
