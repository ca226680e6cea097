/* spmodel track simulate: histories with given faults, for anybody's own check of a gate. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "cli/track/track_options.h"
#include "io/files/part_file.h"
#include "io/record/record.h"
#include "track/campaign/rehearsal.h"

enum {
    KEY_COMMITS = SP_KEY_PRIVATE,
    KEY_SESSIONS,
    KEY_RUNS,
    KEY_SERIES,
    KEY_NOISE,
    KEY_SESSION,
    KEY_COMMON,
    KEY_SPIKES,
    KEY_MODES,
    KEY_FAULT,
    KEY_SEED
};

enum { MOST_FAULTS = 32 };

struct arguments {
    struct sp_common_options common;
    struct sp_made_options made;
    struct sp_made_fault fault[MOST_FAULTS];
    const char *folder;
};

static const struct argp_option options[] = {
    {"out", 'o', "DIR", 0, "Where the records go (default: simulated)", 1},
    {"fault", KEY_FAULT, "KIND:COMMIT[-UNTIL]:P[:SERIES]", 0,
     "What is put in: from one commit on, to before another one, a step of P percent, a drift of P percent a "
     "commit, "
     "bytes (more traffic), mode (all runs in the other one), machine (sentinels and roofs, too), common "
     "(every "
     "series); series 1, a number, or all. Several times",
     1},
    {"commits", KEY_COMMITS, "N", 0, "A day each (default 60)", 1},
    {"sessions", KEY_SESSIONS, "N", 0, "A commit (default 3)", 1},
    {"runs", KEY_RUNS, "N", 0, "A session (default 5)", 1},
    {"series", KEY_SERIES, "N", 0, "Of the machine (default 1)", 1},
    {"noise", KEY_NOISE, "P", 0, "From run to run, in percent (default 0.5)", 1},
    {"session", KEY_SESSION, "P", 0, "From session to session, in percent (default 1)", 1},
    {"common", KEY_COMMON, "P", 0, "What all series of a session share, in percent (default 0)", 1},
    {"spikes", KEY_SPIKES, "P", 0, "Share of runs that take longer, by 20 % on average (default 0)", 1},
    {"modes", KEY_MODES, "P", 0, "Runs are in one of two modes that differ by so much (default 0)", 1},
    {"seed", KEY_SEED, "N", 0, "Seed of what is drawn (default 1)", 1},
    {0},
};

static void add_fault(struct argp_state *state, struct arguments *a, const char *text)
{
    struct sp_error err;
    if (a->made.n_faults == MOST_FAULTS)
        sp_usage_error(state, "--fault can be given %d times", MOST_FAULTS);
    else if (sp_made_fault_parse(text, &a->fault[a->made.n_faults], &err) != SP_OK)
        sp_usage_error(state, "%s; %s", err.what, err.remedy);
    a->made.n_faults++;
}

/* A fault that nothing would show is a mistake. */
static void check_faults(struct argp_state *state, const struct sp_made_options *m,
                         const struct sp_made_fault *fault)
{
    for (int i = 0; i < m->n_faults; i++) {
        if (fault[i].at >= m->n_commits)
            sp_usage_error(state, "--fault begins at commit %d, but there are %d (--commits)",
                           fault[i].at + 1, m->n_commits);
        if (fault[i].series > m->n_series)
            sp_usage_error(state, "--fault is put into series %d, but there %s %d (--series)",
                           fault[i].series, m->n_series == 1 ? "is" : "are", m->n_series);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    struct sp_made_options *m = &a->made;
    int seed;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case 'o':
        if (!*arg)
            sp_usage_error(state, "--out takes a folder");
        a->folder = arg;
        return 0;
    case KEY_FAULT:
        add_fault(state, a, arg);
        return 0;
    case KEY_COMMITS:
        m->n_commits = (int)sp_take_count(state, "commits", 1, 500, arg);
        return 0;
    case KEY_SESSIONS:
        m->n_sessions = (int)sp_take_count(state, "sessions", 1, 3, arg);
        return 0;
    case KEY_RUNS:
        m->n_runs = (int)sp_take_count(state, "runs", 1, 60, arg);
        return 0;
    case KEY_SERIES:
        m->n_series = (int)sp_take_count(state, "series", 1, 500, arg);
        return 0;
    case KEY_NOISE:
        m->noise = sp_take_percent(state, "noise", 0, 1000, arg);
        return 0;
    case KEY_SESSION:
        m->session = sp_take_percent(state, "session", 0, 1000, arg);
        return 0;
    case KEY_COMMON:
        m->common = sp_take_percent(state, "common", 0, 1000, arg);
        return 0;
    case KEY_SPIKES:
        m->spikes = sp_take_percent(state, "spikes", 0, 1000, arg);
        return 0;
    case KEY_MODES:
        m->modes = sp_take_percent(state, "modes", 0, 1000, arg);
        return 0;
    case KEY_SEED:
        seed = (int)sp_take_count(state, "seed", 0, INT32_MAX, arg);
        m->seed = (uint64_t)seed;
        return 0;
    case ARGP_KEY_END:
        check_faults(state, m, a->fault);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum sp_status write_one(const struct arguments *a, int series, int commit, int session,
                                struct sp_error *err)
{
    struct sp_record record = {0};
    char path[4096];
    const char *id = "";
    enum sp_status status = sp_made_record(&a->made, series, commit, session, &record, err);
    if (status == SP_OK && sp_record_text(&record, SP_F_ID, &id) &&
        snprintf(path, sizeof path, "%s/%s.json", a->folder, id) >= (int)sizeof path)
        status = sp_fail_at(err, SP_OUTPUT, a->folder, 0, 0, NULL, "the name is too long");
    if (status == SP_OK)
        status = sp_record_write(&record, path, err);
    sp_record_free(&record);
    return status;
}

/* Records of an earlier history would become part of this one, unseen. */
static enum sp_status check_folder(const char *folder, struct sp_error *err)
{
    bool is_empty = true;
    DIR *listing = opendir(folder);
    if (!listing)
        return sp_fail_at(err, SP_OUTPUT, folder, 0, 0, NULL, "%s", strerror(errno));
    for (const struct dirent *d; is_empty && (d = readdir(listing));) {
        const char *end = strrchr(d->d_name, '.');
        is_empty = !end || strcmp(end, ".json") != 0;
    }
    closedir(listing);
    return is_empty
               ? SP_OK
               : sp_fail_at(err, SP_OUTPUT, folder, 0, 0, "remove them, or name another folder with --out",
                            "it holds records already");
}

static const struct argp_child children[] = {{&sp_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {options, parse, .args_doc = "",
                                 .doc = "Writes records that nobody measured: series of a machine over "
                                        "commits, with known noise and the faults "
                                        "that you name, for your own check of a gate. Put them into a store "
                                        "of their own (track add), and see what "
                                        "track check, locate and plot say. Every number is drawn with a "
                                        "seed, and its origin is \"constructed\".",
                                 .children = children};

static int run(int argc, char **argv)
{
    struct arguments a = {.folder = "simulated",
                          .made = {.n_commits = 60,
                                   .n_sessions = 3,
                                   .n_runs = 5,
                                   .n_series = 1,
                                   .noise = 0.005,
                                   .session = 0.01,
                                   .seed = 1}};
    struct sp_error err;
    sp_parse(&argp, argc, argv, &a);
    a.made.fault = a.fault;
    enum sp_status status = sp_make_folder(a.folder, &err);
    if (status == SP_OK)
        status = check_folder(a.folder, &err);
    for (int s = 0; s < a.made.n_series; s++)
        for (int c = 0; c < a.made.n_commits; c++)
            for (int k = 0; k < a.made.n_sessions && status == SP_OK; k++)
                status = write_one(&a, s, c, k, &err);
    if (status != SP_OK)
        return sp_report_error(&err);
    if (a.common.verbosity >= 0)
        sp_print(stdout, "%d records written to %s\n", a.made.n_series * a.made.n_commits * a.made.n_sessions,
                 a.folder);
    return 0;
}

static const struct sp_example examples[] = {
    {"spmodel track simulate --commits 20 --fault step:15:8 --out slower",
     "a history of 20 commits, slower by 8 % from the 15th on", NULL},
    {"spmodel track simulate --series 6 --fault drift:10:0.5:2 --out drift",
     "six series, of which the second drifts", NULL},
    {0},
};

const struct sp_verb sp_track_simulate = {
    .name = "simulate",
    .arguments = "[--fault KIND:COMMIT:P]...",
    .summary = "make a history with given faults",
    .run = run,
    .page = {&argp, examples, NULL, "track-selftest track-check track-locate"},
};
