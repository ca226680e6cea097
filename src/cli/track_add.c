/* spmodel track add: records into a store. */
#include <stdio.h>
#include <string.h>

#include "cli/track_options.h"

struct adding {
    struct sp_track_options options;
    struct sp_record_paths paths;
    int code;
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
        argp_error(state, "name records, or folders of them");
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
    "Adds records to a store, which is made where there is none. Several programs "
    "may do so at once.",
    children,
    NULL,
    NULL};

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
    int n_added = 0, n_there = 0;
    for (int i = 0; i < a.paths.n; i++) {
        bool added;
        char path[4096];
        if (sp_store_add(&store, a.paths.path[i], &added, path, &err) != SP_OK) {
            a.code = sp_worse_exit(a.code, sp_report_error(&err));
            continue;
        }
        n_added += added;
        n_there += !added;
        if (a.options.common.verbosity > 0)
            printf("%s %s\n", added ? "added" : "there already", path);
    }
    if (a.options.common.verbosity >= 0) {
        printf("%d record%s added to %s", n_added, n_added == 1 ? "" : "s", store.path);
        if (n_there > 0)
            printf(", %d there already", n_there);
        printf("\n");
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
