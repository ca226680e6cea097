#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/core/output.h"
#include "cli/track/track_options.h"
#include "io/files/part_file.h"
#include "io/record/record_request.h"
#include "report/verdict/verdict.h"
#include "track/exchange/exchange.h"
#include "track/store/entry.h"
#include "track/store/index.h"

/* Records of a store in forms of others. */

typedef void entries_printer(const struct sp_entry *const *list, int64_t n, FILE *out);

static const char *origin_of(const struct sp_entry *e, enum sp_tracked metric)
{
    return *e->origin[metric] ? e->origin[metric] : "unknown";
}

/* A test case a record, with its time; one whose time is unknown is skipped. No verdicts. */
static void entries_junit(const struct sp_entry *const *list, int64_t n, FILE *out)
{
    int64_t n_skipped = 0;
    for (int64_t i = 0; i < n; i++)
        n_skipped += isnan(list[i]->metric[SP_TRACKED_TIME]);
    sp_print(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<testsuite name=\"spmodel track export\" tests=\"%lld\" failures=\"0\" errors=\"0\" "
             "skipped=\"%lld\">\n",
             (long long)n, (long long)n_skipped);
    for (int64_t i = 0; i < n; i++) {
        const struct sp_entry *e = list[i];
        const double time = e->metric[SP_TRACKED_TIME];
        sp_print(out, "  <testcase classname=\"");
        sp_xml_text(out, e->matrix);
        sp_print(out, "\" name=\"");
        sp_xml_text(out, e->what);
        sp_print(out, " series %.8s ", e->series);
        sp_xml_text(out, e->start);
        if (isnan(time)) {
            sp_print(out, "\"><skipped message=\"the time is unknown\"/></testcase>\n");
            continue;
        }
        sp_print(out, "\" time=\"%.9g\"><system-out>time %.9g s (", time, time);
        sp_xml_text(out, origin_of(e, SP_TRACKED_TIME));
        fputs("); record ", out);
        sp_xml_text(out, e->id);
        sp_print(out, "</system-out></testcase>\n");
    }
    sp_print(out, "</testsuite>\n");
}

/* figure NULL: it is not known. */
static void put_figure(FILE *out, const char *figure, const char *origin)
{
    sp_print(out, "%s", figure ? figure : "unknown");
    if (!figure)
        return;
    fputs(" (", out);
    sp_markdown_text(out, origin);
    fputc(')', out);
}

/* A row of a table a record. */
static void entries_markdown(const struct sp_entry *const *list, int64_t n, FILE *out)
{
    sp_print(out, "| start | matrix | configuration | series | machine | commit | runs | time | of roof |\n"
                  "|---|---|---|---|---|---|---|---|---|\n");
    for (int64_t i = 0; i < n; i++) {
        const struct sp_entry *e = list[i];
        const double time = e->metric[SP_TRACKED_TIME], share = e->metric[SP_TRACKED_FRACTION];
        const char *const words[] = {e->start, e->matrix, e->what};
        char text[32];
        fputs("| ", out);
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            sp_markdown_text(out, words[k]);
            fputs(" | ", out);
        }
        sp_print(out, "%.8s | ", e->series);
        sp_markdown_text(out, e->machine);
        fputs(" | ", out);
        sp_markdown_text(out, *e->commit ? e->commit : "-");
        sp_print(out, " | %d | ", e->n_runs);
        put_figure(out, isnan(time) ? NULL : sp_text_seconds(text, sizeof text, time),
                   origin_of(e, SP_TRACKED_TIME));
        fputs(" | ", out);
        sp_figure_share(text, sizeof text, share);
        put_figure(out, isnan(share) ? NULL : text, origin_of(e, SP_TRACKED_FRACTION));
        fputs(" |\n", out);
    }
}

/* Records copied out of a store, or from files, as they are or without what says whose they are. */

static enum sp_status read_one(const char *path, bool anonymous, struct sp_record *record,
                               struct sp_error *err)
{
    enum sp_status status = sp_record_read(path, record, err);
    const bool has_verdict = status == SP_OK && sp_record_node(record, SP_F_VERDICT);
    if (status == SP_OK && anonymous)
        status = sp_record_anonymise(record, err);
    if (status == SP_OK && has_verdict)
        sp_verdict_put(record);
    return status;
}

/* Writes the record of the file `path` as FOLDER/ID.json; the folder is made. */
static enum sp_status export_record(const char *path, const char *folder, bool anonymous,
                                    struct sp_error *err)
{
    struct sp_record record = {0};
    char name[4400];
    const char *id = "";
    enum sp_status status = read_one(path, anonymous, &record, err);
    if (status == SP_OK && (!sp_record_text(&record, SP_F_ID, &id) || !sp_is_file_stem(id)))
        status = sp_fail_at(err, SP_INPUT, path, 0, 0, NULL, "the record has no usable id");
    if (status == SP_OK)
        status = sp_make_folder(folder, err);
    if (status == SP_OK && snprintf(name, sizeof name, "%s/%s.json", folder, id) >= (int)sizeof name)
        status = sp_fail_at(err, SP_OUTPUT, folder, 0, 0, NULL, "the name is too long");
    if (status == SP_OK)
        status = sp_record_write(&record, name, err);
    sp_record_free(&record);
    return status;
}

/* Entries of the index as those of anonymous records, in place, and ids in place of paths: the n of
 * `list`, which point into it, or all where it is NULL. Those of records that can no longer be read
 * are SP_INPUT. */
static enum sp_status export_anonymous(struct sp_store_index *index, const struct sp_entry *const *list,
                                       int64_t n, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int64_t k = 0; k < (list ? n : index->n) && status == SP_OK; k++) {
        const int64_t i = list ? list[k] - index->entry : k;
        struct sp_record record = {0};
        status = read_one(index->path[i], true, &record, err);
        if (status == SP_OK) {
            sp_entry_of(&record, &index->entry[i]);
            char *id = strdup(index->entry[i].id);
            if (id) {
                free(index->path[i]);
                index->path[i] = id;
            } else {
                status = sp_fail(err, SP_MEMORY, NULL, "no memory for the names of records");
            }
        }
        sp_record_free(&record);
    }
    return status;
}

/* spmodel track log, export: what a store holds. */

enum {
    KEY_SQLITE = SP_KEY_PRIVATE,
    KEY_RECORDS,
    KEY_ANONYMOUS,
    KEY_JUNIT,
    KEY_MARKDOWN,
    KEY_TO,
    KEY_REPOSITORY
};

struct listing {
    struct sp_track_options options;
    const char *sqlite, *records, *junit, *markdown;
    const struct sp_exchange_format *to; /* NULL: none */
    const char *to_where;
    struct sp_exchange_options exchange;
    bool exports, anonymous;
    struct sp_record_paths named; /* in place of the store's */
    int code;                     /* of names that are none */
};

static const struct argp_option export_options[] = {
    {"sqlite", KEY_SQLITE, "FILE", 0, "As a database with the tables record and run", 1},
    {"junit", KEY_JUNIT, "FILE", 0,
     "As test cases of JUnit XML with their times, each passed; verdicts are track check --junit", 1},
    {"markdown", KEY_MARKDOWN, "FILE", 0, "As a Markdown table", 1},
    {"records", KEY_RECORDS, "DIR", 0,
     "The records themselves, as files in DIR: those that are meant, or the RECORDs that are named", 1},
    {"to", KEY_TO, "FORMAT=FILE", 0,
     "For another program: csv, conbench, github-action-benchmark (- is standard output), or asv, a folder; "
     "track import --formats says what their fields mean",
     1},
    {"repository", KEY_REPOSITORY, "URL", 0, "With --to conbench: of the source", 1},
    {"anonymous", KEY_ANONYMOUS, NULL, 0,
     "Without host, paths, names of matrices, branch; commits as hashes. Keys of series and machines stay",
     1},
    {0},
};

/* FORMAT=WHERE. */
static void set_format(struct argp_state *state, struct listing *l, char *arg)
{
    char *where = strchr(arg, '=');
    if (where)
        *where++ = '\0';
    l->to = sp_exchange_find(arg);
    l->to_where = where;
    if (!l->to || (!l->to->write && !l->to->write_folder))
        sp_usage_error(state, "--to takes csv, asv, conbench or github-action-benchmark, not '%s'", arg);
    else if (!where || !*where)
        sp_usage_error(state, "--to %s=%s says where it goes", arg, l->to->write_folder ? "FOLDER" : "FILE");
}

/* A record that is named; log takes none. */
static error_t take_record(struct listing *l, const char *name)
{
    struct sp_error err;
    if (!l->exports)
        return ARGP_ERR_UNKNOWN;
    if (sp_record_paths_add(&l->named, name, &err) != SP_OK)
        l->code = sp_worse_exit(l->code, sp_report_error(&err));
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct listing *l = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        sp_track_pass(state, &l->options);
        return 0;
    case KEY_SQLITE:
        l->sqlite = arg;
        return 0;
    case KEY_JUNIT:
        l->junit = arg;
        return 0;
    case KEY_MARKDOWN:
        l->markdown = arg;
        return 0;
    case KEY_RECORDS:
        l->records = arg;
        return 0;
    case KEY_ANONYMOUS:
        l->anonymous = true;
        return 0;
    case KEY_TO:
        set_format(state, l, arg);
        return 0;
    case KEY_REPOSITORY:
        l->exchange.repository = arg;
        return 0;
    case ARGP_KEY_ARG:
        return take_record(l, arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_csv(const struct sp_entry *const *list, int64_t n, FILE *out)
{
    sp_print(out, "start,series,env,matrix,configuration,machine,commit,branch,tool,runs");
    for (int m = 0; m < SP_N_TRACKED; m++)
        sp_print(out, ",%s", sp_tracked_metrics[m].name);
    sp_print(out, ",bytes_origin,id\n");
    for (int64_t i = 0; i < n; i++) {
        const struct sp_entry *e = list[i];
        const char *const words[] = {e->matrix, e->what, e->machine, e->commit, e->branch, e->tool};
        sp_csv_field(out, e->start);
        fputc(',', out);
        sp_csv_field(out, e->series);
        fputc(',', out);
        sp_csv_field(out, e->env);
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            fputc(',', out);
            sp_csv_text(out, words[k]);
        }
        sp_print(out, ",%d", e->n_runs);
        for (int m = 0; m < SP_N_TRACKED; m++) {
            fputc(',', out);
            if (!isnan(e->metric[m]))
                sp_print(out, "%.9g", e->metric[m]);
        }
        fputc(',', out);
        sp_csv_field(out, e->origin[SP_TRACKED_BYTES]);
        fputc(',', out);
        sp_csv_text(out, e->id);
        fputc('\n', out);
    }
}

static json_t *entry_json(const struct sp_entry *e)
{
    json_t *o = json_object(), *runs = json_array(), *metrics = json_object();
    json_object_set_new(o, "id", json_string(e->id));
    json_object_set_new(o, "start", json_string(e->start));
    json_object_set_new(o, "series", json_string(e->series));
    json_object_set_new(o, "env", json_string(e->env));
    json_object_set_new(o, "matrix", json_string(e->matrix));
    json_object_set_new(o, "configuration", json_string(e->what));
    json_object_set_new(o, "machine", json_string(e->machine));
    json_object_set_new(o, "commit", sp_json_text(e->commit));
    json_object_set_new(o, "tool", json_string(e->tool));
    for (int i = 0; i < e->n_runs; i++)
        json_array_append_new(runs, json_real(e->time_s[i]));
    json_object_set_new(o, "run_time_s", runs);
    for (int m = 0; m < SP_N_TRACKED; m++)
        json_object_set_new(metrics, sp_tracked_metrics[m].name,
                            isnan(e->metric[m])
                                ? json_null()
                                : json_pack("{s:f, s:s}", "value", e->metric[m], "origin", e->origin[m]));
    json_object_set_new(o, "metrics", metrics);
    return o;
}

static void print_json(const struct sp_entry *const *list, int64_t n, FILE *out)
{
    for (int64_t i = 0; i < n; i++) {
        json_t *o = entry_json(list[i]);
        json_dumpf(o, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
        fputc('\n', out);
        json_decref(o);
    }
}

static void print_table(const struct sp_entry *const *list, int64_t n)
{
    char title[320], time[32];
    for (int64_t first = 0, end; first < n; first = end) {
        end = sp_track_series_end(list, n, first);
        fputs(first > 0 ? "\n" : "", stdout);
        sp_print(stdout, "%s  series %.8s\n  time %s, bytes %s\n",
                 sp_track_title(list[first], title, sizeof title), list[first]->series,
                 origin_of(list[end - 1], SP_TRACKED_TIME), origin_of(list[end - 1], SP_TRACKED_BYTES));
        for (int64_t i = first; i < end; i++) {
            const struct sp_entry *e = list[i];
            const double t = e->metric[SP_TRACKED_TIME], f = e->metric[SP_TRACKED_FRACTION];
            char share[32];
            sp_print(stdout, "  %-20s  %-10.10s %11s  %3d run%s", e->start, e->commit[0] ? e->commit : "-",
                     isnan(t) ? "unknown" : sp_text_seconds(time, sizeof time, t), e->n_runs,
                     e->n_runs == 1 ? " " : "s");
            if (!isnan(f))
                sp_print(stdout, "  %6s of roof", sp_figure_share(share, sizeof share, f));
            sp_print(stdout, "  %s\n", e->machine);
        }
    }
    if (n == 0)
        sp_print(stdout, "no record fits\n");
}

/* In one form, where a file is named for it. */
static int print_to(const char *name, entries_printer *printer, const struct sp_entry *const *list, int64_t n,
                    int code)
{
    struct sp_sink sink;
    struct sp_error err;
    if (sp_sink_open(name, &sink, &err) != SP_OK)
        return sp_worse_exit(code, sp_report_error(&err));
    if (sink.stream)
        printer(list, n, sink.stream);
    return sp_sink_close(&sink, code);
}

/* For another program. */
static int print_exchange(const struct listing *l, const struct sp_entry *const *list, int64_t n, int code)
{
    struct sp_sink sink;
    struct sp_error err;
    if (!l->to)
        return code;
    if (l->to->write_folder)
        return l->to->write_folder(list, n, &l->exchange, l->to_where, &err) == SP_OK
                   ? code
                   : sp_worse_exit(code, sp_report_error(&err));
    if (sp_sink_open(l->to_where, &sink, &err) != SP_OK)
        return sp_worse_exit(code, sp_report_error(&err));
    if (l->to->write(list, n, &l->exchange, sink.stream, &err) != SP_OK) {
        sp_sink_abort(&sink);
        return sp_worse_exit(code, sp_report_error(&err));
    }
    return sp_sink_close(&sink, code);
}

/* To where it was asked for; on the terminal unless one of the others goes there. */
static int print(const struct listing *l, const struct sp_entry *const *list, int64_t n, bool table, int code)
{
    struct sp_sinks to;
    struct sp_error err;
    if (sp_sinks_open(l->options.common.csv, l->options.common.json, &to, &err) != SP_OK)
        return sp_worse_exit(code, sp_report_error(&err));
    if (table && !to.on_stdout)
        print_table(list, n);
    if (to.csv.stream)
        print_csv(list, n, to.csv.stream);
    if (to.json.stream)
        print_json(list, n, to.json.stream);
    code = sp_sinks_close(&to, code);
    code = print_exchange(l, list, n, code);
    code = print_to(l->junit, entries_junit, list, n, code);
    return print_to(l->markdown, entries_markdown, list, n, code);
}

/* Records as files; several that cannot be read are reported one by one. Where one cannot be
 * written, no other can. */
static int copy_records(const struct listing *l, char *const *path, int64_t n, int code)
{
    struct sp_error err;
    int64_t n_written = 0;
    enum sp_status status = SP_OK;
    for (int64_t i = 0; i < n && status != SP_OUTPUT; i++) {
        status = export_record(path[i], l->records, l->anonymous, &err);
        n_written += status == SP_OK;
        if (status != SP_OK)
            code = sp_worse_exit(code, sp_report_error(&err));
    }
    if (l->options.common.verbosity >= 0)
        sp_print(stderr, "%lld record%s written to %s\n", (long long)n_written, n_written == 1 ? "" : "s",
                 l->records);
    return code;
}

static int copy_selected(const struct listing *l, const struct sp_store_index *index,
                         const struct sp_entry *const *list, int64_t n, int code)
{
    struct sp_error err;
    char **path = calloc((size_t)n + 1, sizeof *path);
    if (!path) {
        sp_fail(&err, SP_MEMORY, NULL, "no memory for the names of %lld records", (long long)n);
        return sp_worse_exit(code, sp_report_error(&err));
    }
    for (int64_t i = 0; i < n; i++)
        path[i] = index->path[list[i] - index->entry];
    code = copy_records(l, path, n, code);
    free(path);
    return code;
}

/* Is any of the forms asked for that are lists of all? */
static bool is_listed(const struct listing *l)
{
    return l->sqlite || l->options.common.csv || l->options.common.json || l->junit || l->markdown || l->to;
}

static int list_store(const struct listing *l)
{
    struct sp_store store;
    struct sp_store_index index;
    struct sp_error err;
    const struct sp_entry **list = NULL;
    int64_t n;
    int code = 0;
    const int failed = sp_track_open(&l->options, &store, &index, &code);
    if (failed)
        return failed;
    enum sp_status status = sp_track_select(&l->options, &index, &list, &n, &err);
    if (status == SP_OK && l->records)
        code = copy_selected(l, &index, list, n, code);
    if (status == SP_OK && l->anonymous && is_listed(l))
        status = export_anonymous(&index, l->sqlite ? NULL : list, n, &err); /* the database has all */
    if (status == SP_OK && l->sqlite)
        status = sp_index_export(&index, l->sqlite, &err);
    code =
        status == SP_OK ? print(l, list, n, !l->exports, code) : sp_worse_exit(code, sp_report_error(&err));
    free(list);
    sp_index_free(&index);
    return code;
}

static const struct argp_child children[] = {
    {&sp_track_list_argp, 0, NULL, 0}, {&sp_common_csv_argp, 0, "Common options:", 90}, {0}};

static const struct argp log_argp = {NULL, parse, .args_doc = "",
                                     .doc = "Lists the records of a store, series by series.",
                                     .children = children};

static int run_log(int argc, char **argv)
{
    struct listing l = {0};
    sp_parse(&log_argp, argc, argv, &l);
    return list_store(&l);
}

/* What to write, and of what. */
static enum sp_status settle(const struct listing *l, struct sp_error *err)
{
    const bool listed = is_listed(l);
    if (!listed && !l->records)
        return sp_fail(err, SP_USAGE, "track check --junit FILE and --markdown FILE write verdicts",
                       "say what to write: --sqlite FILE, --csv[=FILE], --json[=FILE], --junit FILE, "
                       "--markdown FILE, --to FORMAT=FILE or --records DIR");
    if (l->named.n > 0 && (listed || !l->records))
        return sp_fail(err, SP_USAGE, "put them into a store: spmodel track add",
                       "records that are named are written by --records DIR alone");
    return SP_OK;
}

static const struct argp export_argp = {
    export_options, parse, .args_doc = "[RECORD...]",
    .doc = "Writes the records of a store for other programs: a database of all, CSV, JSON Lines, JUnit XML "
           "or a Markdown table of those that are meant, or the records themselves. Times in s, rates in B/s "
           "and flop/s.\v"
           "With RECORDs and --records DIR no store is needed: --anonymous makes them fit for sharing.",
    .children = children};

static int run_export(int argc, char **argv)
{
    struct listing l = {.exports = true};
    struct sp_error err;
    sp_parse(&export_argp, argc, argv, &l);
    int code = l.code;
    if (code == 0 && settle(&l, &err) != SP_OK)
        code = sp_report_error(&err);
    else if (code == 0)
        code = l.named.n > 0 ? copy_records(&l, l.named.path, l.named.n, 0) : list_store(&l);
    sp_record_paths_free(&l.named);
    return code;
}

static const struct sp_example log_examples[] = {
    {"spmodel track log --matrix 'matrix*' --last 3",
     "the last three records of each series of these matrices", NULL},
    {0},
};

const struct sp_verb sp_track_log = {
    .name = "log",
    .arguments = "",
    .summary = "list the records of a store",
    .run = run_log,
    .page = {&log_argp, log_examples, NULL, "track-add track-export"},
};
static const struct sp_example export_examples[] = {
    {"spmodel track export --csv=records.csv", "a table of all records", NULL},
    {"spmodel track export --to github-action-benchmark=benchmarks.json",
     "the newest times for github-action-benchmark", NULL},
    {"spmodel track export --to asv=results", "all results for airspeed velocity", NULL},
    {"spmodel track export --anonymous --records shared before.json", "a record fit for sharing", NULL},
    {0},
};

const struct sp_verb sp_track_export = {
    .name = "export",
    .arguments = "--csv|--json|--sqlite FILE|--junit FILE|--markdown FILE|--to FORMAT=FILE|--records DIR",
    .summary = "write them for other programs",
    .run = run_export,
    .page = {&export_argp, export_examples, NULL, "track-log track-plot"},
};
