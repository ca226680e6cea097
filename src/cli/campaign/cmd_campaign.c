/* spmodel campaign: many matrices with many configurations into one store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "cli/campaign/campaign_options.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "cli/track/track_options.h"
#include "io/files/part_file.h"

enum { MOST_AT_ONCE = 256, LEAST_STALE_S = 30 };

enum {
    KEY_STATUS = SP_KEY_PRIVATE,
    KEY_SUMMARY,
    KEY_SCREEN,
    KEY_STORE,
    KEY_BUDGET,
    KEY_JOBS,
    KEY_STALE,
    KEY_STOP_AFTER,
    KEY_RETRY,
    KEY_NO_WAIT,
    KEY_PER_NODE,
    KEY_SHARE,
    KEY_ROUND,
    KEY_NO_PLOTS,
    KEY_HTML
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Running:", 1},
    {"stop-after", KEY_STOP_AFTER, "T", 0, "Start no more jobs after this time, for example 30m", 1},
    {"budget", KEY_BUDGET, "T", OPTION_HIDDEN, NULL, 1},
    {"jobs", KEY_JOBS, "N", 0,
     "Jobs at once on this machine, of all processes together (default 1: timed jobs disturb each other)", 1},
    {"retry", KEY_RETRY, NULL, 0, "Run those that failed once more", 1},
    {"round", KEY_ROUND, "NAME", 0, "All jobs again, as new ones of this name", 1},
    {"per-node", KEY_PER_NODE, NULL, 0, "Every machine does all jobs, for --node-screen", 1},
    {"share", KEY_SHARE, "K/N", 0,
     "Only the jobs of process K of N; default: under Slurm those of the task of a job array (all its tasks "
     "with the same command), of srun's processes each its own first",
     1},
    {"no-wait", KEY_NO_WAIT, NULL, 0, "End when nothing is left to start, though others still run jobs", 1},
    {"stale", KEY_STALE, "T", 0,
     "Take over the jobs of another machine's process that gave no sign of life for so long (default 10m)",
     1},
    {NULL, 0, NULL, 0, "Instead of running:", 2},
    {"status", KEY_STATUS, NULL, 0, "What is done, claimed, failed, waiting; -v also names what is done", 2},
    {"summary", KEY_SUMMARY, NULL, 0, "The table and the picture of what is done", 2},
    {"node-screen", KEY_SCREEN, NULL, 0, "Name the nodes that stand out", 2},
    {NULL, 0, NULL, 0, "Where:", 3},
    {"store", KEY_STORE, "DIR", 0, "The store of records (default $SPMODEL_STORE, else spmodel-store)", 3},
    {"out", 'o', "DIR", 0, "Directory of the picture (default: this one)", 3},
    {"html", KEY_HTML, "FILE", 0,
     "Also write the summary as one HTML page that needs no other file; - is standard output", 3},
    {"no-plots", KEY_NO_PLOTS, NULL, 0, "Draw nothing", 3},
    {0},
};

static void set_time(struct argp_state *state, const char *option, const char *arg, double *out)
{
    if (sp_parse_seconds(arg, out) || *out <= 0)
        sp_usage_error(state, "--%s takes a time such as 30m, 2h or 90s, not '%s'", option, arg);
}

static void set_mode(struct argp_state *state, struct sp_campaign_options *o, enum sp_campaign_mode mode)
{
    if (o->mode != SP_CAMPAIGN_RUN && o->mode != mode)
        sp_usage_error(state, "--status, --summary and --node-screen exclude each other");
    o->mode = mode;
}

/* The page is a summary, and standard output has place for one result. */
static void check_html(struct argp_state *state, const struct sp_campaign_options *o)
{
    const bool page_there = sp_sink_is_stdout(o->html);
    const char *others[] = {o->common.json, o->common.csv};
    if (o->html && o->mode != SP_CAMPAIGN_RUN && o->mode != SP_CAMPAIGN_SUMMARY)
        sp_usage_error(state, "--html writes the summary: not with --status or --node-screen");
    for (int i = 0; page_there && i < 2; i++)
        if (sp_sink_is_stdout(others[i]))
            sp_usage_error(state, "--html and %s both go to standard output", i == 0 ? "--json" : "--csv");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct sp_campaign_options *o = state->input;
    struct sp_error err;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        return 0;
    case KEY_STATUS:
        set_mode(state, o, SP_CAMPAIGN_STATUS);
        return 0;
    case KEY_SUMMARY:
        set_mode(state, o, SP_CAMPAIGN_SUMMARY);
        return 0;
    case KEY_SCREEN:
        set_mode(state, o, SP_CAMPAIGN_SCREEN);
        return 0;
    case KEY_STOP_AFTER:
        set_time(state, "stop-after", arg, &o->stop_after_s);
        return 0;
    case KEY_BUDGET: /* everywhere else it is measuring time */
        sp_usage_error(state,
                       "--budget is a job's measuring time and stands in its 'run' line; --stop-after %s "
                       "starts no more jobs after that time",
                       arg);
        return 0;
    case KEY_STALE:
        set_time(state, "stale", arg, &o->stale_s);
        if (o->stale_s < LEAST_STALE_S)
            sp_usage_error(state, "--stale takes at least %d s: claims are touched every few seconds",
                           LEAST_STALE_S);
        return 0;
    case KEY_JOBS:
        o->jobs = (int)sp_take_count(state, "jobs", 1, MOST_AT_ONCE, arg);
        return 0;
    case KEY_RETRY:
        o->retry = true;
        return 0;
    case KEY_SHARE:
        if (sp_campaign_share_parse(arg, &o->share, &err) != SP_OK)
            sp_usage_error(state, "--share takes K/N, for example 2/4, not '%s'", arg);
        return 0;
    case KEY_NO_WAIT:
        o->no_wait = true;
        return 0;
    case KEY_PER_NODE:
        o->per_node = true;
        return 0;
    case KEY_ROUND:
        o->round = arg;
        return 0;
    case KEY_STORE:
        o->store = arg;
        return 0;
    case 'o':
        o->folder = sp_pick_folder(state, arg);
        return 0;
    case KEY_NO_PLOTS:
        o->no_plots = true;
        return 0;
    case KEY_HTML:
        o->html = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            sp_usage_error(state, "one file, please; '%s' is a second one", arg);
        o->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->file)
            sp_usage_error(state, "give the file that names matrices and runs");
        if (o->share.n > 0 && (o->per_node || o->mode != SP_CAMPAIGN_RUN))
            sp_usage_error(state, "--share is for running jobs that all machines have in common");
        check_html(state, o);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* File and store; the store is made where jobs are to be run. */
static enum sp_status open_work(const struct sp_campaign_options *o, struct sp_campaign_work *w,
                                struct sp_error *err)
{
    const struct sp_track_options where = {.store = o->store};
    struct sp_claimant self;
    struct sp_store store;
    sp_claimant_self(&self);
    w->options = o;
    enum sp_status status =
        sp_campaign_read(o->file, o->round, o->per_node ? self.host : "", &w->campaign, err);
    if (status == SP_OK)
        status = sp_campaign_check_options(o->file, &w->campaign, err);
    if (status == SP_OK)
        status = sp_store_open(sp_track_store_path(&where), o->mode == SP_CAMPAIGN_RUN, &store, err);
    if (status == SP_OK)
        status = sp_campaign_store_open(&store, o->stale_s, o->mode == SP_CAMPAIGN_RUN, &w->store, err);
    return status;
}

static int run_and_sum_up(struct sp_campaign_work *w)
{
    const struct sp_campaign_options *o = w->options;
    struct sp_error err;
    if (!o->no_plots && sp_make_folder(o->folder, &err) != SP_OK)
        return sp_report_error(&err);
    if (o->jobs > 1 && o->common.verbosity >= 0)
        sp_print(stderr,
                 "spmodel: remark: up to %d jobs run beside one another on this machine: their times disturb "
                 "each other\n",
                 o->jobs);
    int code = sp_campaign_run_jobs(w);
    const int open = code == 0 && o->share.only ? sp_campaign_open_elsewhere(w) : 0;
    if (code != 0 || open == 0)
        return code != 0 ? code : sp_campaign_print_summary(w);
    if (o->common.verbosity >= 0)
        sp_print(stderr, "spmodel: remark: share %d of %d is done; %d jobs are open in others: --summary\n",
                 o->share.k + 1, o->share.n, open);
    return 0;
}

static const struct argp_child children[] = {{&sp_common_csv_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {
    options, parse, .args_doc = "FILE",
    .doc = "Analyzes every matrix that FILE names with every run that it names, puts the records into a "
           "store, and sums them up. A campaign that was stopped or killed goes on with the same command; "
           "several processes and nodes that see the store share the jobs.\v"
           "FILE has lines such as\n"
           "  matrix suite/*.mtx.gz gen:laplace3d:100\n"
           "  run crs: --threads 8\n"
           "  run sell: --threads 8 --format sell:8,64\n"
           "Names and patterns are relative to its folder, options are those of analyze; quotes keep words "
           "with blanks together, # begins a comment.",
    .children = children};

/* No result may replace a matrix of the campaign. */
static enum sp_status note_matrices(const struct sp_campaign *c, const char ***paths, struct sp_error *err)
{
    *paths = calloc((size_t)c->n_matrices + 1, sizeof **paths);
    if (!*paths)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the names of %d matrices", c->n_matrices);
    for (int i = 0; i < c->n_matrices; i++)
        (*paths)[i] = c->matrix[i].path;
    sp_words_note_files(*paths, c->n_matrices);
    return SP_OK;
}

static const char *variable(const char *name)
{
    return getenv(name);
}

static int run(int argc, char **argv)
{
    const char **paths = NULL;
    struct sp_campaign_options o = {.round = "", .folder = ".", .stale_s = 600, .jobs = 1};
    struct sp_campaign_work work = {0};
    struct sp_error err;
    int code;
    sp_parse(&argp, argc, argv, &o);
    enum sp_status status = SP_OK;
    if (o.mode == SP_CAMPAIGN_RUN && o.share.n == 0 && !o.per_node)
        status = sp_campaign_share_of_slurm(variable, &o.share, &err);
    if (status == SP_OK)
        status = open_work(&o, &work, &err);
    if (status == SP_OK)
        status = note_matrices(&work.campaign, &paths, &err);
    if (status == SP_OK)
        status = sp_sink_open(o.html, &work.html, &err);
    if (status != SP_OK)
        code = sp_report_error(&err);
    else
        code = o.mode == SP_CAMPAIGN_STATUS    ? sp_campaign_print_status(&work)
               : o.mode == SP_CAMPAIGN_SUMMARY ? sp_campaign_print_summary(&work)
               : o.mode == SP_CAMPAIGN_SCREEN  ? sp_campaign_screen_nodes(&work)
                                               : run_and_sum_up(&work);
    sp_sink_abort(&work.html); /* where no summary was reached */
    sp_words_note_files(NULL, 0);
    free(paths);
    sp_campaign_free(&work.campaign);
    return code;
}

static const struct sp_example examples[] = {
    {"spmodel campaign --no-plots suite.txt",
     "all jobs that suite.txt names; the same command goes on after a kill", "0 5"},
    {"spmodel campaign --status suite.txt", "what is done, running, failed, waiting", "0 5"},
    {"spmodel campaign --summary --no-plots --csv=summary.csv suite.txt", "what was measured, as a table",
     "0 5"},
    {0},
};

extern const struct sp_command sp_cmd_campaign;
const struct sp_command sp_cmd_campaign = {
    .name = "campaign",
    .arguments = "FILE",
    .summary = "many matrices with many configurations into one store, resumable",
    .run = run,
    .page = {&argp, examples, "1 5 6", "analyze track track-check"},
    .is_measuring = true,
};
