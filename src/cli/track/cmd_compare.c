/* spmodel compare: two records, or two commands run in turn. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/print.h"
#include "base/reading.h"
#include "base/text.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/process.h"
#include "cli/core/terminal.h"
#include "cli/track/judged.h"
#include "io/files/part_file.h"
#include "io/json_text.h"
#include "track/judge/comparable.h"

enum { KEY_AB = SP_KEY_PRIVATE, KEY_ROUNDS, KEY_METRIC, KEY_FLOOR, KEY_DELTA, KEY_MARKDOWN };

enum { DEFAULT_ROUNDS = 10, MOST_ROUNDS = 100 };

struct arguments {
    struct sp_common_options common;
    struct sp_judge_options judge;
    bool ab, delta;
    int rounds; /* 0: not given */
    const char *name[2], *markdown;
};

static const struct argp_option options[] = {
    {"ab", KEY_AB, NULL, 0,
     "A and B are commands: they are run in turn, and their times compared. Where a command writes a record "
     "as JSON to its standard output (spmodel analyze --json), the record's time counts, else that of the "
     "command; several records are refused, and those of a machine too busy for a time do not count",
     1},
    {"rounds", KEY_ROUNDS, "N", 0, "With --ab: runs of each command (default 10)", 1},
    {"metric", KEY_METRIC, "NAME", 0,
     "Decides: time (default), bandwidth, performance, bytes, bandwidth_fraction ...; with --ab other than "
     "time "
     "where both write records",
     1},
    {"floor", KEY_FLOOR, "P", 0, "Least change that counts, in percent (default 3)", 1},
    {"delta", KEY_DELTA, NULL, 0, "Only what differs", 1},
    {"markdown", KEY_MARKDOWN, "FILE", 0, "The verdict as a Markdown table; - is standard output", 2},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case KEY_AB:
        a->ab = true;
        return 0;
    case KEY_ROUNDS:
        a->rounds = (int)sp_take_count(state, "rounds", SP_SHIFT_LEAST_RUNS, MOST_ROUNDS, arg);
        return 0;
    case KEY_METRIC:
        if (sp_tracked_find(arg) < 0)
            sp_usage_error(state, "--metric takes the name of a metric such as time or bytes, not '%s'", arg);
        a->judge.metric = (enum sp_tracked)sp_tracked_find(arg);
        return 0;
    case KEY_FLOOR:
        a->judge.floor = sp_take_percent(state, "floor", 0.001, 99.99, arg);
        return 0;
    case KEY_DELTA:
        a->delta = true;
        return 0;
    case KEY_MARKDOWN:
        a->markdown = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            sp_usage_error(state, "it takes two records, or with --ab two commands; '%s' is one more", arg);
        a->name[state->arg_num] = arg;
        return 0;
    case ARGP_KEY_END:
        if (!a->name[1])
            sp_usage_error(state, "give two records, or with --ab two commands");
        for (int i = 0; i < 2 && a->ab; i++)
            if (a->name[i] && !a->name[i][strspn(a->name[i], " \t\n")])
                sp_usage_error(state, "the command %c is empty", "AB"[i]);
        if (!a->ab && a->rounds > 0)
            sp_usage_error(state, "--rounds goes with --ab");
        if (a->ab && (a->common.json || a->delta))
            sp_usage_error(state, "--json and --delta are for two records, not for --ab");
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
            sp_print(stdout, "%+9.1f %%", 100 * change);
        else
            sp_print(stdout, "%10s", "unknown");
        if (*a->origin[m] && *b->origin[m] && strcmp(a->origin[m], b->origin[m]) != 0)
            sp_print(stdout, "   A %s", a->origin[m]);
        sp_print(stdout, "\n");
    }
}

/* Of a digest its first digits, as in the names of commits; else the value as it is. */
static const char *short_value(const char *value, char *text, size_t size)
{
    enum { DIGEST = 64, SHOWN = 12 };
    const size_t n = strspn(value + (*value == '"'), "0123456789abcdef");
    if (*value != '"' || n != DIGEST)
        return value;
    snprintf(text, size, "\"%.*s\"", SHOWN, value + 1);
    return text;
}

static void print_differences(const struct sp_differences *d)
{
    enum { FIELD = 38, WIDTH = 80 };
    char was[16], is[16];
    for (int i = 0; i < d->n; i++) {
        const char *a = short_value(d->one[i].a, was, sizeof was),
                   *b = short_value(d->one[i].b, is, sizeof is);
        const bool fits = FIELD + strlen(a) + strlen(" -> ") + strlen(b) <= WIDTH;
        sp_print(stdout, "%-12s %-24s %s", d->one[i].is_identity ? "differs" : "resolved", d->one[i].field,
                 a);
        sp_print(stdout, fits ? "%*s -> %s\n" : "\n%*s -> %s\n", fits ? 0 : FIELD - 4, "", b);
    }
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
            char a[16], b[16];
            snprintf(j->why, sizeof j->why, "%s differs: %s, %s%s", d->one[i].field,
                     short_value(d->one[i].a, a, sizeof a), short_value(d->one[i].b, b, sizeof b),
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

/* The verdict in a form that a file is named for. */
static int print_markdown(const struct sp_judgement *j, const char *name, int code)
{
    struct sp_sink to;
    struct sp_error err;
    if (sp_sink_open(name, &to, &err) != SP_OK)
        return sp_worse_exit(code, sp_report_error(&err));
    if (to.stream)
        sp_verdicts_markdown(j, 1, to.stream);
    return sp_sink_close(&to, code);
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
    if (!sp_sink_is_stdout(a->common.json) && !sp_sink_is_stdout(a->markdown)) {
        print_metrics(before, after, a->delta);
        print_differences(&d);
        sp_verdicts_print(&j, 1, stdout);
    }
    sp_differences_free(&d);
    const int code = print_json(&j, a->common.json, sp_track_exit_code(j.verdict));
    return print_markdown(&j, a->markdown, code);
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
    int n, n_known[2];                       /* rounds, and runs that gave a value */
    double value[2][MOST_ROUNDS], median[2]; /* [n_known], SI units */
    bool of_record; /* those of the records that the commands wrote to standard output */
    char env[2][SP_KEY_TEXT], series[2][SP_KEY_TEXT]; /* of the last records */
};

/* All that a command writes to its standard output; NULL: no memory. The keys of the terminal do
 * not reach its group: Ctrl-C is passed on. */
static char *read_all(int from, pid_t group)
{
    static const int often_ms = 100;
    size_t most = 1 << 16, n = 0;
    char *text = malloc(most + 1);
    while (text) {
        struct pollfd more = {.fd = from, .events = POLLIN};
        if (poll(&more, 1, often_ms) <= 0) {
            if (sp_process_interrupted())
                kill(-group, SIGINT);
            continue;
        }
        const ssize_t got = read(from, text + n, most - n);
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        n += got > 0 ? (size_t)got : 0;
        if (n == most) {
            char *longer = realloc(text, 2 * most + 1);
            if (!longer) {
                free(text);
                return NULL;
            }
            text = longer;
            most *= 2;
        }
    }
    if (text)
        text[n] = '\0';
    return text;
}

/* How many of the JSON values that the text begins with are records; *last: of the last one. */
static int count_records(const char *text, struct sp_entry *last)
{
    json_error_t at;
    int n = 0;
    for (json_t *root; (root = sp_json_parse(text, strlen(text), JSON_DISABLE_EOF_CHECK, &at));
         text += at.position) {
        const struct sp_record record = {.root = root};
        const char *schema = json_string_value(json_object_get(root, "schema"));
        if (schema && strncmp(schema, "spmodel.record/", 15) == 0) {
            n++;
            sp_entry_of(&record, last);
        }
        json_decref(root);
    }
    return n;
}

struct streams {
    int out;
    bool is_quiet; /* nothing of its standard error is shown */
};

/* In the shell of a command, before it begins. */
static void set_streams(void *context)
{
    const struct streams *s = context;
    const int none = s->is_quiet ? open("/dev/null", O_WRONLY) : -1;
    setpgid(0, 0);
    if (dup2(s->out, STDOUT_FILENO) < 0 || (none >= 0 && dup2(none, STDERR_FILENO) < 0))
        _exit(126);
}

/* *text: all that it writes to its standard output, to be freed, NULL: no memory; *state: how it
 * ended [waitpid(2)]. A signal that ends this process ends it with all that it started, so that
 * nothing disturbs what is measured next. */
static enum sp_status run_shell(const char *command, bool is_quiet, char **text, int *state,
                                struct sp_error *err)
{
    char *word[] = {"sh", "-c", (char *)command, NULL};
    int ends[2], ignored;
    pid_t pid;
    sigset_t before;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return sp_fail(err, SP_ABSENT, NULL, "no pipe for '%s': %s", command, strerror(errno));
    struct streams streams = {ends[1], is_quiet};
    sp_part_children_hold(&before);
    const enum sp_status status = sp_program_start(word, set_streams, &streams, &pid, &ignored, err);
    sp_part_child(-pid);
    sp_part_children_release(&before);
    close(ends[1]);
    if (status == SP_OK) {
        *text = read_all(ends[0], pid);
        while (waitpid(pid, state, 0) < 0 && errno == EINTR)
            ;
        sp_part_child_ended(-pid);
    }
    close(ends[0]);
    return status;
}

/* *n_records: 0 or 1 that it wrote. */
static enum sp_status run_once(const char *command, int verbosity, double *wall_s, struct sp_entry *entry,
                               int *n_records, struct sp_error *err)
{
    static const char alone[] = "run it by itself, or add -v to see what it says";
    char *text = NULL;
    int state = -1;
    const double start = sp_now();
    const enum sp_status status = run_shell(command, verbosity <= 0, &text, &state, err);
    if (status != SP_OK)
        return status;
    *wall_s = sp_now() - start;
    *n_records = text ? count_records(text, entry) : 0;
    free(text);
    if (WIFSIGNALED(state))
        return sp_fail(err, SP_INPUT, alone, "the command '%s' was ended by signal %d (%s)", command,
                       WTERMSIG(state), strsignal(WTERMSIG(state)));
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return sp_fail(err, SP_INPUT, alone, "the command '%s' failed (exit code %d)", command,
                       WIFEXITED(state) ? WEXITSTATUS(state) : -1);
    if (*n_records > 1)
        return sp_fail(err, SP_INPUT,
                       "compare one matrix and width at a time, or leave --json out to compare the times of "
                       "the commands",
                       "the command '%s' wrote %d records", command, *n_records);
    return SP_OK;
}

/* Runs each command `rounds` times by /bin/sh, after one run of each that does not count. Standard
 * error of the commands is shown with verbosity > 0. SP_INPUT: a command failed, or writes several
 * records, of which no one time can be compared, or only one of the two writes records;
 * SP_INTERRUPTED. */
static enum sp_status run_in_turn(const struct arguments *a, struct in_turn *out, struct sp_error *err)
{
    const int rounds = a->rounds > 0 ? a->rounds : DEFAULT_ROUNDS, verbosity = a->common.verbosity;
    const enum sp_tracked metric = a->judge.metric;
    double wall[2][MOST_ROUNDS], ignored;
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, verbosity);
    enum sp_status status = SP_OK;
    struct sp_entry entry;
    int n_records, n_wrote = 0;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 2 && status == SP_OK; k++) {
        sp_progress_step(&progress, "a first run of each", k / 2.0);
        status = run_once(a->name[k], verbosity, &ignored, &entry, &n_records, err);
        if (sp_progress_interrupted(&progress)) /* Ctrl-C ends the command too */
            status = sp_fail(err, SP_INTERRUPTED, NULL, "interrupted before anything was compared");
    }
    for (int i = 0; i < 2 * rounds && status == SP_OK; i++) {
        const int round = i / 2, k = (i + round) % 2; /* A B, B A, A B ... */
        sp_progress_step(&progress, "running in turn", (double)i / (2 * rounds));
        status = run_once(a->name[k], verbosity, &wall[k][round], &entry, &n_records, err);
        if (sp_progress_interrupted(&progress))
            status = sp_fail(err, SP_INTERRUPTED, NULL, "interrupted after %d runs", i + 1);
        if (status != SP_OK)
            break;
        n_wrote += n_records;
        if (n_records > 0 && !isnan(entry.metric[metric]))
            out->value[k][out->n_known[k]++] = entry.metric[metric];
        if (n_records > 0) {
            memcpy(out->env[k], entry.env, sizeof entry.env);
            memcpy(out->series[k], entry.series, sizeof entry.series);
        }
    }
    sp_terminal_clear(&terminal);
    out->n = rounds;
    out->of_record = n_wrote > 0;
    for (int k = 0; k < 2 && status == SP_OK && metric != SP_TRACKED_TIME; k++)
        if (out->n_known[k] == 0)
            status = sp_fail(err, SP_INPUT, "spmodel analyze --json writes a record", "no run of %c told %s",
                             "AB"[k], sp_tracked_metrics[metric].name);
    if (status == SP_OK && n_wrote > 0 && n_wrote < 2 * rounds)
        status =
            sp_fail(err, SP_INPUT, "let both write records, or none", "only some of the runs wrote a record");
    for (int k = 0; k < 2 && status == SP_OK; k++) {
        if (!out->of_record) {
            memcpy(out->value[k], wall[k], (size_t)rounds * sizeof(double));
            out->n_known[k] = rounds;
        }
        out->median[k] = out->n_known[k] > 0 ? sp_median(out->value[k], out->n_known[k]) : NAN;
    }
    return status;
}

static char *value_text(enum sp_tracked metric, double x, char *text, size_t size)
{
    struct sp_entry e = {.metric = {[SP_TRACKED_TIME] = 0}};
    e.metric[metric] = x;
    return metric_text(&e, (int)metric, text, size);
}

static bool has_enough(const struct in_turn *t)
{
    return t->n_known[0] >= SP_SHIFT_LEAST_RUNS && t->n_known[1] >= SP_SHIFT_LEAST_RUNS;
}

static const char *change_text(const struct in_turn *t, const struct sp_shift *s, char *text, size_t size)
{
    if (!has_enough(t))
        return "not known";
    snprintf(text, size, "%+.1f %% (%+.1f … %+.1f %%)", 100 * s->change, 100 * s->lo, 100 * s->hi);
    return text;
}

static const char *rounds_text(const struct in_turn *t, char *text, size_t size)
{
    const int n = snprintf(text, size, "%d rounds in turn", t->n);
    if (t->n_known[0] < t->n || t->n_known[1] < t->n)
        snprintf(text + n, size - (size_t)n, ", of which %d of A and %d of B count", t->n_known[0],
                 t->n_known[1]);
    return text;
}

/* Where the runs were compared, for a table in a comment. */
static int print_row(const struct arguments *a, const struct in_turn *t, const struct sp_shift *s,
                     const char *verdict, int code)
{
    const enum sp_tracked metric = a->judge.metric;
    struct sp_sink to;
    struct sp_error err;
    char before[48], after[48], change[80], rounds[80];
    if (sp_sink_open(a->markdown, &to, &err) != SP_OK)
        return sp_worse_exit(code, sp_report_error(&err));
    if (to.stream) {
        sp_print(to.stream, "| verdict | metric | A | B | change | rounds |\n|---|---|---|---|---|---|\n| ");
        sp_markdown_text(to.stream, verdict);
        sp_print(to.stream, " | %s | %s | %s | %s | %s |\n", sp_tracked_metrics[metric].name,
                 value_text(metric, t->median[0], before, sizeof before),
                 value_text(metric, t->median[1], after, sizeof after),
                 change_text(t, s, change, sizeof change), rounds_text(t, rounds, sizeof rounds));
    }
    return sp_sink_close(&to, code);
}

/* Of one machine, and of one thing that was asked for; what writes no records is taken at its
 * word. */
static bool can_be_compared(const struct in_turn *t)
{
    return !t->of_record || (strcmp(t->env[0], t->env[1]) == 0 && strcmp(t->series[0], t->series[1]) == 0);
}

static int compare_commands(const struct arguments *a)
{
    static const char *const words[] = {"no change", "B is slower", "B is faster", "undecided"};
    const enum sp_tracked metric = a->judge.metric;
    const bool less = sp_tracked_metrics[metric].less_is_better;
    struct in_turn t;
    struct sp_error err;
    char before[48], after[48], change[80], rounds[80], verdict[200], p[16];
    if (run_in_turn(a, &t, &err) != SP_OK)
        return sp_report_error(&err);
    const struct sp_shift_options o = {.floor = a->judge.floor, .seed = 1};
    const struct sp_group group[2] = {{t.n_known[0], t.value[0]}, {t.n_known[1], t.value[1]}};
    const struct sp_shift s = sp_shift_of(group[0], group[1], &o);
    const bool worse = s.move == (less ? SP_MOVE_UP : SP_MOVE_DOWN);
    int code = worse ? 1 : s.move == SP_MOVE_UNDECIDED ? 5 : 0;
    snprintf(verdict, sizeof verdict, "%s",
             metric == SP_TRACKED_TIME || s.move == SP_MOVE_NONE || s.move == SP_MOVE_UNDECIDED
                 ? words[s.move]
             : worse ? "B is worse"
                     : "B is better");
    if (s.move == SP_MOVE_UNDECIDED)
        snprintf(verdict, sizeof verdict, "undecided: it needs about %d more rounds at this noise (%.1f %%)",
                 s.n_more, 100 * s.noise);
    if (!has_enough(&t))
        snprintf(
            verdict, sizeof verdict, "undecided: %d of %d runs of A and %d of B gave %s, and it takes %d%s",
            t.n_known[0], t.n, t.n_known[1], sp_tracked_metrics[metric].name, SP_SHIFT_LEAST_RUNS,
            metric == SP_TRACKED_TIME ? ": for the others the machine was too busy, or their time is 0" : "");
    if (metric != SP_TRACKED_TIME && !can_be_compared(&t)) {
        snprintf(verdict, sizeof verdict, "not comparable: A and B are of different series or environments");
        code = 5;
    }
    if (!sp_sink_is_stdout(a->markdown)) {
        sp_print(stdout, "A  %s  %s\nB  %s  %s\n", value_text(metric, t.median[0], before, sizeof before),
                 a->name[0], value_text(metric, t.median[1], after, sizeof after), a->name[1]);
        snprintf(p, sizeof p, "= %.3f", s.p);
        if (has_enough(&t))
            sp_print(stdout, "%s %s: B against A %s, p %s, %s\n", sp_tracked_metrics[metric].name,
                     t.of_record ? "of the records" : "of the commands",
                     change_text(&t, &s, change, sizeof change), s.p < 0.001 ? "< 0.001" : p,
                     rounds_text(&t, rounds, sizeof rounds));
        sp_print(stdout, "%s\n", verdict);
    }
    return print_row(a, &t, &s, verdict, code);
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
