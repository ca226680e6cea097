/* spmodel compare: two records, or two commands run in turn. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/print.h"
#include "base/samples.h"
#include "base/text.h"
#include "cli/analyze/verdict_print.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "io/json_text.h"
#include "track/judge/comparable.h"

enum { KEY_AB = SP_KEY_PRIVATE, KEY_ROUNDS, KEY_METRIC, KEY_FLOOR, KEY_DELTA };

enum { DEFAULT_ROUNDS = 10, MOST_ROUNDS = 100 };

struct arguments {
    struct sp_common_options common;
    struct sp_judge_options judge;
    bool ab, delta;
    int rounds; /* 0: not given */
    const char *name[2];
};

static const struct argp_option options[] = {
    {"ab", KEY_AB, NULL, 0,
     "A and B are commands: they are run in turn, and their times compared. Where a command writes a record "
     "as JSON to its standard output (spmodel analyze --json), the record's time counts, else that of the "
     "command; several records are refused",
     1},
    {"rounds", KEY_ROUNDS, "N", 0, "With --ab: runs of each command (default 10)", 1},
    {"metric", KEY_METRIC, "NAME", 0, "Decides: time (default), bandwidth, performance, bytes ...", 1},
    {"floor", KEY_FLOOR, "P", 0, "Least change that counts, in percent (default 3)", 1},
    {"delta", KEY_DELTA, NULL, 0, "Only what differs", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    int64_t n;
    double x;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case KEY_AB:
        a->ab = true;
        return 0;
    case KEY_ROUNDS:
        if (sp_parse_count(arg, &n) || n < SP_SHIFT_LEAST_RUNS || n > MOST_ROUNDS)
            sp_usage_error(state, "--rounds takes a number from %d to %d, not '%s'", SP_SHIFT_LEAST_RUNS,
                           MOST_ROUNDS, arg);
        a->rounds = (int)n;
        return 0;
    case KEY_METRIC:
        if (sp_tracked_find(arg) < 0)
            sp_usage_error(state, "--metric takes the name of a metric such as time or bytes, not '%s'", arg);
        a->judge.metric = (enum sp_tracked)sp_tracked_find(arg);
        return 0;
    case KEY_FLOOR:
        if (sp_parse_number(arg, &x) || !(x > 0) || x >= 100)
            sp_usage_error(state, "--floor takes percent between 0 and 100, not '%s'", arg);
        a->judge.floor = x / 100;
        return 0;
    case KEY_DELTA:
        a->delta = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            sp_usage_error(state, "two, please; '%s' is a third one", arg);
        a->name[state->arg_num] = arg;
        return 0;
    case ARGP_KEY_END:
        if (!a->name[1])
            sp_usage_error(state, "give two records, or with --ab two commands");
        if (!a->ab && a->rounds > 0)
            sp_usage_error(state, "--rounds goes with --ab");
        if (a->ab && (a->common.json || a->delta || a->judge.metric != SP_TRACKED_TIME))
            sp_usage_error(state, "--json, --delta and --metric are for two records, not for --ab");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static char *metric_text(const struct sp_entry *e, int metric, char *text, size_t size)
{
    const double x = e->metric[metric];
    const char *unit = sp_tracked_metrics[metric].unit;
    if (isnan(x))
        snprintf(text, size, "unknown");
    else if (strcmp(unit, "s") == 0)
        sp_text_seconds(text, size, x);
    else if (strcmp(unit, "B") == 0)
        sp_text_bytes(text, size, x);
    else if (strcmp(unit, "1") == 0)
        snprintf(text, size, "%.3g", x);
    else
        snprintf(text, size, "%.3g G%s", x / 1e9, unit);
    return text;
}

static void print_metrics(const struct sp_entry *a, const struct sp_entry *b, bool delta)
{
    char before[48], after[48];
    sp_print(stdout, "%-31s %16s %16s %10s\n", "", "A", "B", "B/A - 1");
    for (int m = 0; m < SP_N_TRACKED; m++) {
        const double change = b->metric[m] / a->metric[m] - 1;
        const bool both = isfinite(change);
        if ((isnan(a->metric[m]) && isnan(b->metric[m])) || (delta && both && fabs(change) < 0.001))
            continue;
        sp_print(stdout, "%-20s %-10s %16s %16s ", sp_tracked_metrics[m].name,
                 *b->origin[m] ? b->origin[m] : a->origin[m], metric_text(a, m, before, sizeof before),
                 metric_text(b, m, after, sizeof after));
        if (both)
            sp_print(stdout, "%+9.1f %%\n", 100 * change);
        else
            sp_print(stdout, "%10s\n", "unknown");
    }
}

static void print_differences(const struct sp_differences *d)
{
    for (int i = 0; i < d->n; i++)
        sp_print(stdout, "%-12s %-24s %s -> %s\n", d->one[i].is_identity ? "differs" : "resolved",
                 d->one[i].field, d->one[i].a, d->one[i].b);
}

/* By the rule of track check: of one series, comparable by this metric; else what differs. */
static void judge_identity(const struct sp_entry *before, const struct sp_entry *after,
                           const struct sp_differences *d, struct sp_judgement *j)
{
    const char *was = before->origin[SP_TRACKED_BYTES], *is = after->origin[SP_TRACKED_BYTES];
    if (strcmp(before->series, after->series) == 0 && sp_entries_comparable(before, after, j->metric))
        return;
    j->verdict = SP_TRACK_NOT_COMPARABLE;
    j->attribution.text[0] = j->attribution.also[0] = '\0';
    for (int i = 0; i < d->n; i++)
        if (d->one[i].is_identity) {
            snprintf(j->why, sizeof j->why, "%s differs: %s, %s%s", d->one[i].field, d->one[i].a, d->one[i].b,
                     d->n_identity > 1 ? ", and others" : "");
            return;
        }
    if (strcmp(before->series, after->series) != 0)
        snprintf(j->why, sizeof j->why, "they are of the series %.8s and %.8s", before->series,
                 after->series);
    else if (sp_tracked_is_of_bytes(j->metric) && strcmp(was, is) != 0)
        snprintf(j->why, sizeof j->why, "the bytes of A are %s, those of B %s", *was ? was : "unknown",
                 *is ? is : "unknown");
    else if (sp_tracked_uses_bytes(j->metric) && before->bytes_version != after->bytes_version)
        snprintf(j->why, sizeof j->why, "what simulated bytes are has changed: version %lld in A, %lld in B",
                 (long long)before->bytes_version, (long long)after->bytes_version);
    else
        snprintf(j->why, sizeof j->why, "they were measured in the environments %.8s and %.8s", before->env,
                 after->env);
}

static int print_json(const struct sp_judgement *j, const char *name, int code)
{
    struct sp_sink json;
    struct sp_error err;
    if (sp_sink_open(name, &json, &err) != SP_OK)
        return sp_worse_exit(code, sp_report_error(&err));
    if (json.stream)
        sp_verdicts_json(j, 1, json.stream);
    return sp_sink_close(&json, code);
}

static int compare_read(const struct arguments *a, const struct sp_record *record)
{
    struct sp_entry entry[2];
    struct sp_differences d;
    struct sp_judgement j;
    struct sp_error err;
    for (int i = 0; i < 2; i++)
        sp_entry_of(&record[i], &entry[i]);
    if (sp_differences_find(&record[0], &record[1], sp_entry_is_simulated(&entry[1], a->judge.metric), &d,
                            &err) != SP_OK)
        return sp_report_error(&err);
    const struct sp_entry *before = &entry[0], *after = &entry[1];
    sp_judge_two(&before, 1, &after, 1, &a->judge, &j);
    judge_identity(before, after, &d, &j);
    if (!sp_sink_is_stdout(a->common.json)) {
        print_metrics(before, after, a->delta);
        print_differences(&d);
        sp_verdicts_print(&j, 1, stdout);
    }
    sp_differences_free(&d);
    return print_json(&j, a->common.json, sp_track_exit_code(j.verdict));
}

static int compare_records(const struct arguments *a)
{
    struct sp_record record[2] = {{0}, {0}};
    struct sp_error err;
    int code = 0;
    for (int i = 0; i < 2 && code == 0; i++)
        if (sp_record_read(a->name[i], &record[i], &err) != SP_OK)
            code = sp_report_error(&err);
    if (code == 0)
        code = compare_read(a, record);
    sp_record_free(&record[0]);
    sp_record_free(&record[1]);
    return code;
}

/* Two commands run in turn: A B B A A B ..., so that a machine that drifts slows both. */
struct in_turn {
    int n; /* rounds */
    double time_s[2][MOST_ROUNDS], median_s[2];
    bool of_record; /* times are those of the records that the commands wrote to standard output */
};

/* All that a command writes to its standard output; NULL: no memory. */
static char *read_all(FILE *f)
{
    size_t most = 1 << 16, n = 0;
    char *text = malloc(most + 1);
    for (size_t got; text && (got = fread(text + n, 1, most - n, f)) > 0;) {
        n += got;
        if (n == most) {
            char *more = realloc(text, 2 * most + 1);
            if (!more) {
                free(text);
                return NULL;
            }
            text = more;
            most *= 2;
        }
    }
    if (text)
        text[n] = '\0';
    return text;
}

/* How many of the JSON values that the text begins with are records; *time_s: metrics.time of the
 * last, NAN: none, or not known. */
static int count_records(const char *text, double *time_s)
{
    json_error_t at;
    int n = 0;
    *time_s = NAN;
    for (json_t *root; (root = sp_json_parse(text, strlen(text), JSON_DISABLE_EOF_CHECK, &at));
         text += at.position) {
        const char *schema = json_string_value(json_object_get(root, "schema"));
        const json_t *metric = json_object_get(json_object_get(root, "metrics"), "time"),
                     *time = json_object_get(metric, "value");
        if (schema && strncmp(schema, "spmodel.record/", 15) == 0) {
            n++;
            *time_s = json_is_number(time) ? json_number_value(time) : NAN;
        }
        json_decref(root);
    }
    return n;
}

static enum sp_status run_once(const char *command, int verbosity, double *wall_s, double *record_s,
                               struct sp_error *err)
{
    char line[8192];
    if (snprintf(line, sizeof line, "{ %s\n} %s", command, verbosity > 0 ? "" : "2>/dev/null") >=
        (int)sizeof line)
        return sp_fail(err, SP_USAGE, NULL, "the command is too long");
    const double start = sp_now();
    FILE *f = popen(line, "r");
    if (!f)
        return sp_fail(err, SP_ABSENT, NULL, "no process for '%s': %s", command, strerror(errno));
    char *text = read_all(f);
    const int status = pclose(f);
    *wall_s = sp_now() - start;
    *record_s = NAN;
    const int n_records = text ? count_records(text, record_s) : 0;
    free(text);
    if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return sp_fail(err, SP_INPUT, "run it by itself, or add -v to see what it says",
                       "the command '%s' failed (exit code %d)", command,
                       WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    if (n_records > 1)
        return sp_fail(err, SP_INPUT,
                       "compare one matrix and width at a time, or leave --json out to compare the times of "
                       "the commands",
                       "the command '%s' wrote %d records", command, n_records);
    return SP_OK;
}

/* Runs each command `rounds` times by /bin/sh, after one run of each that does not count. Standard
 * error of the commands is shown with verbosity > 0. SP_INPUT: a command failed, or writes several
 * records, of which no one time can be compared, or only one of the two writes records;
 * SP_INTERRUPTED. */
static enum sp_status run_in_turn(const char *a, const char *b, int rounds, int verbosity,
                                  struct in_turn *out, struct sp_error *err)
{
    const char *const command[2] = {a, b};
    double wall[2][MOST_ROUNDS], record[2][MOST_ROUNDS], ignored[2];
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, verbosity);
    enum sp_status status = SP_OK;
    bool all = true, none = true;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 2 && status == SP_OK; k++) {
        sp_progress_step(&progress, "a first run of each", k / 2.0);
        status = run_once(command[k], verbosity, &ignored[0], &ignored[1], err);
        if (sp_progress_interrupted(&progress)) /* Ctrl-C ends the command too */
            status = sp_fail(err, SP_INTERRUPTED, NULL, "interrupted before anything was compared");
    }
    for (int i = 0; i < 2 * rounds && status == SP_OK; i++) {
        const int round = i / 2, k = (i + round) % 2; /* A B, B A, A B ... */
        sp_progress_step(&progress, "running in turn", (double)i / (2 * rounds));
        status = run_once(command[k], verbosity, &wall[k][round], &record[k][round], err);
        if (sp_progress_interrupted(&progress))
            status = sp_fail(err, SP_INTERRUPTED, NULL, "interrupted after %d runs", i + 1);
        all = all && status == SP_OK && !isnan(record[k][round]);
        none = none && (status != SP_OK || isnan(record[k][round]));
    }
    sp_terminal_clear(&terminal);
    if (status == SP_OK && !all && !none)
        status =
            sp_fail(err, SP_INPUT, "let both write records, or none", "only some of the runs wrote a record");
    if (status != SP_OK)
        return status;
    out->n = rounds;
    out->of_record = all;
    for (int k = 0; k < 2; k++) {
        memcpy(out->time_s[k], all ? record[k] : wall[k], (size_t)rounds * sizeof(double));
        out->median_s[k] = sp_median(out->time_s[k], rounds);
    }
    return SP_OK;
}

static int compare_commands(const struct arguments *a)
{
    struct in_turn times;
    struct sp_error err;
    char before[32], after[32];
    if (run_in_turn(a->name[0], a->name[1], a->rounds > 0 ? a->rounds : DEFAULT_ROUNDS, a->common.verbosity,
                    &times, &err) != SP_OK)
        return sp_report_error(&err);
    const struct sp_shift_options o = {.floor = a->judge.floor, .seed = 1};
    const struct sp_group group[2] = {{times.n, times.time_s[0]}, {times.n, times.time_s[1]}};
    const struct sp_shift s = sp_shift_of(group[0], group[1], &o);
    sp_print(stdout, "A  %s  %s\nB  %s  %s\n", sp_text_seconds(before, sizeof before, times.median_s[0]),
             a->name[0], sp_text_seconds(after, sizeof after, times.median_s[1]), a->name[1]);
    sp_print(stdout, "time %s: B against A %+.1f %% (%+.1f … %+.1f %%), p = %.3f, %d rounds in turn\n",
             times.of_record ? "of the records" : "of the commands", 100 * s.change, 100 * s.lo, 100 * s.hi,
             s.p, times.n);
    static const char *const words[] = {"no change", "B is slower", "B is faster", "undecided"};
    sp_print(stdout, "%s", words[s.move]);
    if (s.move == SP_MOVE_UNDECIDED)
        sp_print(stdout, ": it needs about %d more rounds at this noise (%.1f %%)", s.n_more, 100 * s.noise);
    sp_print(stdout, "\n");
    return s.move == SP_MOVE_UP ? 1 : s.move == SP_MOVE_UNDECIDED ? 5 : 0;
}

static const struct argp_child children[] = {{&sp_common_json_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {
    options, parse, .args_doc = "A B",
    .doc = "Compares two records: their metrics, what they differ in, and whether the time has moved; or, "
           "with --ab, two commands that are run in turn.\v"
           "Exit code 1: B is worse; 5: they cannot be compared, or it could not be decided.",
    .children = children};

static int run(int argc, char **argv)
{
    struct arguments a = {.judge = {.seed = 1}};
    sp_parse(&argp, argc, argv, &a);
    return a.ab ? compare_commands(&a) : compare_records(&a);
}

static const struct sp_example examples[] = {
    {"spmodel compare before.json after.json", "two records: what has moved, and what they differ in",
     "0 1 5"},
    {"spmodel compare --ab --rounds 5 'sort matrix.mtx' 'sort -r matrix.mtx'", "two commands, run in turn",
     "0 1 5"},
    {0},
};

extern const struct sp_command sp_cmd_compare;
const struct sp_command sp_cmd_compare = {
    .name = "compare",
    .arguments = "A B",
    .summary = "two records, or two commands run in turn",
    .run = run,
    .page = {&argp, examples, "1 5", "track-check analyze machine"},
};
