/* spmodel campaign: what has become of its jobs; their summary and page; nodes that stand out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/campaign/campaign_options.h"
#include "cli/core/output.h"
#include "io/files/places.h"
#include "plots/plot.h"
#include "report/html/report_html.h"
#include "track/campaign/campaign_jobs.h"
#include "track/campaign/node_screen.h"

/* What has become of the jobs of a campaign. */

/* The exit code that a failure stands for. */
static int campaign_failure_code(const struct sp_job_failure *f)
{
    if (f->is_of_record)
        return sp_exit_code(SP_INPUT);
    return f->exit_code > 0 ? f->exit_code : sp_exit_code(SP_BUG); /* no record though it said all was well,
                                                                      or a signal */
}

char *sp_campaign_failure_text(const struct sp_job_failure *f, char *text, size_t size)
{
    const char *said = *f->error ? f->error : f->last;
    if (f->is_of_record)
        snprintf(text, size, "its record cannot be read: %s", said);
    else
        snprintf(text, size, "%s %d%s%s", f->signal ? "signal" : "exit code",
                 f->signal ? f->signal : f->exit_code, *said ? ": " : "", said);
    return text;
}

/* What has become of a job, in words: why it failed, who is at it, where its record is. */
static char *campaign_job_text(const struct sp_job_view *view, char *text, size_t size)
{
    const struct sp_claim *c = &view->claim;
    char time[32], failure[600];
    text[0] = '\0';
    if (view->state == SP_JOB_FAILED)
        snprintf(text, size, "%s%s%s%s", *view->failure.host ? "on " : "", view->failure.host,
                 *view->failure.host ? ", " : "",
                 sp_campaign_failure_text(&view->failure, failure, sizeof failure));
    else if (view->state == SP_JOB_CLAIMED)
        snprintf(text, size, "by process %d on %s, last sign of life %s ago", c->owner.pid, c->owner.host,
                 sp_text_seconds(time, sizeof time, c->age_s > 0 ? c->age_s : 0));
    else if (view->state == SP_JOB_WAITING && c->number > 0)
        snprintf(text, size, "process %d on %s %s", c->owner.pid, c->owner.host,
                 c->is_ended ? "has ended" : "gives no sign of life");
    else if (view->state == SP_JOB_DONE)
        snprintf(text, size, "%s", view->record);
    return text;
}

static void print_job(const struct sp_campaign_job *job, const struct sp_job_view *view, bool is_csv,
                      FILE *out)
{
    char text[4200];
    campaign_job_text(view, text, sizeof text);
    if (!is_csv) {
        sp_print(out, "%-8s %s · %s%s%s\n", sp_job_state_name(view->state), job->matrix->text, job->run->name,
                 *text ? "  " : "", text);
        return;
    }
    sp_print(out, "%s,%s,", job->id, sp_job_state_name(view->state));
    sp_csv_text(out, job->matrix->text);
    fputc(',', out);
    sp_csv_text(out, job->run->name);
    fputc(',', out);
    sp_csv_text(out, text);
    fputc('\n', out);
}

static void print_status_json(const struct sp_campaign_job *job, const struct sp_job_view *view, FILE *out)
{
    char text[4200];
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s}", "job", job->id, "state",
                          sp_job_state_name(view->state), "matrix", job->matrix->text, "run", job->run->name,
                          "detail", campaign_job_text(view, text, sizeof text));
    json_dumpf(o, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
    fputc('\n', out);
    json_decref(o);
}

/* Its share of the exit code: 0 done, 5 not yet, that of its failure. */
static int code_of(const struct sp_job_view *view)
{
    return view->state == SP_JOB_FAILED ? campaign_failure_code(&view->failure)
           : view->state == SP_JOB_DONE ? 0
                                        : sp_exit_code(SP_UNDECIDED);
}

/* How many jobs are in each state, and the exit code that they make, as above. SP_MEMORY. */
static enum sp_status campaign_count(const struct sp_campaign_work *w, int count[SP_N_JOB_STATES], int *code,
                                     struct sp_error *err)
{
    struct sp_campaign_traces traces = {0};
    struct sp_job_view view;
    memset(count, 0, SP_N_JOB_STATES * sizeof *count);
    *code = 0;
    enum sp_status status = sp_campaign_traces_read(&w->store, &traces, err);
    for (int i = 0; i < w->campaign.n_jobs && status == SP_OK; i++) {
        sp_job_look_by(&traces, &w->store, &w->campaign.job[i], &view);
        count[view.state]++;
        *code = sp_worse_exit(*code, code_of(&view));
    }
    sp_campaign_traces_free(&traces);
    return status;
}

static void print_jobs(const struct sp_campaign_work *w, const struct sp_campaign_traces *traces,
                       const struct sp_sinks *to, int count[SP_N_JOB_STATES], int *code)
{
    FILE *csv = to->csv.stream, *json = to->json.stream;
    if (csv)
        fputs("job,state,matrix,run,detail\n", csv);
    for (int i = 0; i < w->campaign.n_jobs; i++) {
        const struct sp_campaign_job *job = &w->campaign.job[i];
        struct sp_job_view view;
        sp_job_look_by(traces, &w->store, job, &view);
        count[view.state]++;
        *code = sp_worse_exit(*code, code_of(&view));
        /* What is done is what one expects: its records are for those who ask. */
        if (!to->on_stdout && (view.state != SP_JOB_DONE || w->options->common.verbosity > 0))
            print_job(job, &view, false, stdout);
        if (csv)
            print_job(job, &view, true, csv);
        if (json)
            print_status_json(job, &view, json);
    }
}

int sp_campaign_print_status(const struct sp_campaign_work *w)
{
    struct sp_campaign_traces traces = {0};
    struct sp_sinks to;
    struct sp_error err;
    int count[SP_N_JOB_STATES] = {0}, code = 0;
    const int n = w->campaign.n_jobs;
    if (sp_campaign_traces_read(&w->store, &traces, &err) != SP_OK ||
        sp_sinks_open(w->options->common.csv, w->options->common.json, &to, &err) != SP_OK) {
        sp_campaign_traces_free(&traces);
        return sp_report_error(&err);
    }
    print_jobs(w, &traces, &to, count, &code);
    sp_campaign_traces_free(&traces);
    if (w->store.claims.by_local_clock && count[SP_JOB_CLAIMED] > 0 && w->options->common.verbosity >= 0)
        fputs("spmodel: remark: the store cannot be written: signs of life are dated by the clock of this "
              "machine\n",
              stderr);
    if (!to.on_stdout)
        sp_print(stdout, "%d job%s: %d done, %d claimed, %d failed, %d waiting\n", n, n == 1 ? "" : "s",
                 count[SP_JOB_DONE], count[SP_JOB_CLAIMED], count[SP_JOB_FAILED], count[SP_JOB_WAITING]);
    return sp_sinks_close(&to, code);
}

/* The page about a campaign: records of what is done, and the jobs that are not. */

/* [{"matrix", "run", "state", "detail"}]; NULL: no memory, or the store cannot be read. */
static json_t *list_open_jobs(const struct sp_campaign_work *w, struct sp_error *err)
{
    struct sp_campaign_traces traces = {0};
    char text[4200];
    if (sp_campaign_traces_read(&w->store, &traces, err) != SP_OK) {
        sp_campaign_traces_free(&traces);
        return NULL;
    }
    json_t *list = json_array();
    for (int i = 0; i < w->campaign.n_jobs; i++) {
        const struct sp_campaign_job *job = &w->campaign.job[i];
        struct sp_job_view view;
        sp_job_look_by(&traces, &w->store, job, &view);
        if (view.state != SP_JOB_DONE)
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "matrix", job->matrix->text, "run",
                                                  job->run->name, "state", sp_job_state_name(view.state),
                                                  "detail", campaign_job_text(&view, text, sizeof text)));
    }
    sp_campaign_traces_free(&traces);
    if (!list)
        sp_fail(err, SP_MEMORY, NULL, "no memory for the page");
    return list;
}

/* One after the other: rows have just been made of them. */
static enum sp_status read_records(const struct sp_campaign_row *row, int n, struct sp_record *record,
                                   const struct sp_record **pointer, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < n && status == SP_OK; i++) {
        status = sp_record_read(row[i].record, &record[i], err);
        pointer[i] = &record[i];
    }
    return status;
}

static enum sp_status campaign_write_html(const struct sp_campaign_work *w, const struct sp_campaign_row *row,
                                          int n, const json_t *unread, struct sp_error *err)
{
    char gnuplot[1024];
    const char *slash = strrchr(w->options->file, '/');
    json_t *jobs = list_open_jobs(w, err);
    if (!jobs)
        return err->status;
    struct sp_record *record = calloc((size_t)n + 1, sizeof *record);
    const struct sp_record **pointer = calloc((size_t)n + 1, sizeof *pointer);
    enum sp_status status = record && pointer ? read_records(row, n, record, pointer, err)
                                              : sp_fail(err, SP_MEMORY, NULL, "no memory for %d records", n);
    if (status == SP_OK) {
        const struct sp_html_options options = {
            .tool = {.gnuplot = sp_find_program("gnuplot", gnuplot, sizeof gnuplot)},
            .no_plots = w->options->no_plots};
        const struct sp_html_campaign campaign = {.name = slash ? slash + 1 : w->options->file,
                                                  .store = w->store.store.path,
                                                  .open_jobs = jobs,
                                                  .unread = unread,
                                                  .n_jobs = w->campaign.n_jobs};
        status = sp_report_html_campaign(&campaign, pointer, n, &options, w->html.stream, err);
    }
    for (int i = 0; record && i < n; i++)
        sp_record_free(&record[i]);
    free(record);
    free(pointer);
    json_decref(jobs);
    return status;
}

/* The summary of a campaign: a table, CSV, JSON, a picture. */

static void print_csv(const struct sp_campaign_row *row, int n, FILE *out)
{
    fputs("matrix,run,n_nz", out);
    for (int c = 0; c < SP_N_COLUMNS; c++)
        sp_print(out, ",%s,%s_origin", sp_field_key(sp_campaign_columns[c]),
                 sp_field_key(sp_campaign_columns[c]));
    fputs(",hints,record,rhs\n", out);
    for (int i = 0; i < n; i++) {
        sp_csv_text(out, row[i].job->matrix->text);
        fputc(',', out);
        sp_csv_text(out, row[i].job->run->name);
        fputc(',', out);
        if (row[i].n_nz >= 0)
            sp_print(out, "%lld", (long long)row[i].n_nz);
        for (int c = 0; c < SP_N_COLUMNS; c++) {
            const struct sp_value v = row[i].value[c];
            if (sp_value_known(v))
                sp_print(out, ",%.9g,%s", v.value, sp_origin_name(v.origin));
            else
                fputs(",,unknown", out);
        }
        fputc(',', out);
        sp_csv_field(out, row[i].hints);
        fputc(',', out);
        sp_csv_text(out, row[i].record);
        fputc(',', out);
        if (row[i].rhs > 0)
            sp_print(out, "%lld", (long long)row[i].rhs);
        fputc('\n', out);
    }
}

static json_t *row_json(const struct sp_campaign_row *row)
{
    json_t *o = json_pack("{s:s, s:s, s:o}", "matrix", row->job->matrix->text, "run", row->job->run->name,
                          "n_nz", row->n_nz >= 0 ? json_integer((json_int_t)row->n_nz) : json_null());
    json_t *metrics = json_object();
    for (int c = 0; c < SP_N_COLUMNS; c++)
        json_object_set_new(
            metrics, sp_field_key(sp_campaign_columns[c]),
            sp_record_value_json(row->value[c], sp_record_fields[sp_campaign_columns[c]].unit));
    json_object_set_new(o, "metrics", metrics);
    json_object_set_new(o, "hints", json_string(row->hints));
    json_object_set_new(o, "record", json_string(row->record));
    json_object_set_new(o, "rhs", row->rhs > 0 ? json_integer((json_int_t)row->rhs) : json_null());
    return o;
}

static void print_json(const struct sp_campaign_row *row, int n, FILE *out)
{
    for (int i = 0; i < n; i++) {
        json_t *o = row_json(&row[i]);
        json_dumpf(o, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
        fputc('\n', out);
        json_decref(o);
    }
}

static int longest(const struct sp_campaign_row *row, int n, bool matrix)
{
    size_t most = matrix ? strlen("matrix") : strlen("run");
    for (int i = 0; i < n; i++) {
        const size_t length = strlen(matrix ? row[i].job->matrix->text : row[i].run);
        most = length > most ? length : most;
    }
    return (int)most;
}

static const char *cell(char *text, size_t size, const struct sp_campaign_row *row, int column)
{
    const struct sp_value v = row->value[column];
    if (!sp_value_known(v))
        return "unknown";
    switch (column) {
    case SP_COLUMN_TIME:
        return sp_text_seconds(text, size, v.value);
    case SP_COLUMN_PERFORMANCE:
        return sp_figure(text, size, v.value / 1e9, 3);
    case SP_COLUMN_FRACTION:
        return sp_figure_share(text, size, v.value);
    default:
        return sp_figure(text, size, v.value, 3);
    }
}

/* "alpha simulated", or "alpha measured (3), simulated (5)". */
static void print_origins(const struct sp_campaign_row *row, int n)
{
    static const char *const names[SP_N_COLUMNS] = {"time", "performance", "of roof", "alpha"};
    for (int c = 0; c < SP_N_COLUMNS; c++) {
        int count[SP_N_ORIGINS] = {0}, kinds = 0;
        for (int i = 0; i < n; i++)
            count[row[i].value[c].origin]++;
        for (int o = 1; o < SP_N_ORIGINS; o++)
            kinds += count[o] > 0;
        sp_print(stdout, "%s%s", c > 0 ? "; " : "", names[c]);
        for (int o = 1, shown = 0; o < SP_N_ORIGINS; o++) {
            if (count[o] == 0)
                continue;
            sp_print(stdout, "%s %s", shown++ > 0 ? "," : "", sp_origin_name((enum sp_origin)o));
            if (kinds > 1)
                sp_print(stdout, " (%d)", count[o]);
        }
        if (kinds == 0)
            sp_print(stdout, " unknown");
    }
    sp_print(stdout, "\n");
}

static void print_table(const struct sp_campaign_row *row, int n)
{
    const int wide = longest(row, n, true), run = longest(row, n, false);
    char text[32], entries[32];
    sp_print(stdout, "%-*s  %-*s %13s %8s %7s %7s %6s  %s\n", wide, "matrix", run, "run", "n_nz", "time",
             "Gflop/s", "of roof", "alpha", "hints");
    for (int i = 0; i < n; i++) {
        sp_print(stdout, "%-*s  %-*s %13s", wide, row[i].job->matrix->text, run, row[i].run,
                 row[i].n_nz < 0 ? "unknown" : sp_text_count(entries, sizeof entries, row[i].n_nz));
        sp_print(stdout, " %8s", cell(text, sizeof text, &row[i], SP_COLUMN_TIME));
        sp_print(stdout, " %7s", cell(text, sizeof text, &row[i], SP_COLUMN_PERFORMANCE));
        sp_print(stdout, " %7s", cell(text, sizeof text, &row[i], SP_COLUMN_FRACTION));
        sp_print(stdout, " %6s  %s\n", cell(text, sizeof text, &row[i], SP_COLUMN_ALPHA),
                 row[i].hints[0] ? row[i].hints : "-");
    }
    print_origins(row, n);
}

/* "FOLDER/NAME.svg" of the campaign's file. */
static void picture_name(const struct sp_campaign_options *o, const char *ending, char *path, size_t size)
{
    const char *slash = strrchr(o->file, '/'), *name = slash ? slash + 1 : o->file, *dot = strrchr(name, '.');
    char stem[256];
    sp_file_stem(stem, dot && dot > name && dot - name < 255 ? (size_t)(dot - name) + 1 : sizeof stem, name);
    snprintf(path, size, "%s/%s.%s", o->folder, stem, ending);
}

/* *n_left_out: records for which the picture has no room. */
static enum sp_status draw(const struct sp_campaign_options *o, const struct sp_campaign_row *row, int n,
                           char *path, size_t size, int *n_left_out, struct sp_error *err)
{
    const struct sp_plot_kind *kind = sp_plot_kind_find("campaign");
    struct sp_record *record = calloc((size_t)n, sizeof *record);
    const struct sp_record **pointer = calloc((size_t)n, sizeof *pointer);
    char gnuplot[1024];
    int n_read = 0;
    enum sp_status status =
        record && pointer ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory for %d records", n);
    path[0] = '\0';
    *n_left_out = 0;
    for (int i = 0; i < n && status == SP_OK; i++) {
        if (n_read == kind->max_records) {
            *n_left_out = n - i;
            break;
        }
        status = sp_record_read(row[i].record, &record[n_read], err);
        if (status == SP_OK && kind->lacks(&record[n_read]))
            sp_record_free(&record[n_read]);
        else if (status == SP_OK)
            pointer[n_read] = &record[n_read], n_read++;
    }
    if (status == SP_OK && n_read > 0) {
        const struct sp_plot_tool tool = {.gnuplot = sp_find_program("gnuplot", gnuplot, sizeof gnuplot)};
        picture_name(o, tool.gnuplot ? "svg" : "gp", path, size);
        status =
            sp_plot_write(kind, pointer, n_read, tool.gnuplot ? SP_TERM_SVG : SP_TERM_GP, &tool, path, err);
    }
    for (int i = 0; i < n_read; i++)
        sp_record_free(&record[i]);
    free(record);
    free(pointer);
    return status;
}

/* The page, which appears even where nothing is done yet: it says what waits. */
static int print_html(struct sp_campaign_work *w, const struct sp_campaign_row *row, int n,
                      const json_t *unread, FILE *remarks)
{
    struct sp_error err;
    const bool is_file = w->html.is_file;
    if (!w->html.stream)
        return 0;
    if (campaign_write_html(w, row, n, unread, &err) != SP_OK) {
        sp_sink_abort(&w->html);
        return sp_report_error(&err);
    }
    const int code = sp_sink_close(&w->html, 0);
    if (code == 0 && is_file && w->options->common.verbosity >= 0)
        sp_print(remarks, "saved  %s\n", w->options->html);
    return code;
}

/* To where it was asked for; the table unless one of the others goes to standard output. */
static int print_all(struct sp_campaign_work *w, const struct sp_campaign_row *row, int n,
                     const json_t *unread)
{
    const struct sp_campaign_options *o = w->options;
    struct sp_sinks to;
    struct sp_error err;
    char picture[1200];
    int n_left_out;
    if (sp_sinks_open(o->common.csv, o->common.json, &to, &err) != SP_OK)
        return sp_report_error(&err);
    to.on_stdout = to.on_stdout || w->html.stream == stdout;
    if (!to.on_stdout && n > 0)
        print_table(row, n);
    if (!to.on_stdout && n == 0)
        sp_print(stdout, "nothing is done yet\n");
    if (to.csv.stream)
        print_csv(row, n, to.csv.stream);
    if (to.json.stream)
        print_json(row, n, to.json.stream);
    FILE *remarks = to.on_stdout ? stderr : stdout;
    int code = sp_sinks_close(&to, 0);
    code = sp_worse_exit(code, print_html(w, row, n, unread, remarks));
    if (n > 0 && !o->no_plots) {
        if (draw(o, row, n, picture, sizeof picture, &n_left_out, &err) != SP_OK)
            code = sp_worse_exit(code, sp_report_error(&err));
        else if (*picture && o->common.verbosity >= 0)
            sp_print(remarks, "saved  %s\n", picture);
        if (n_left_out > 0 && o->common.verbosity >= 0)
            sp_print(stderr, "spmodel: remark: the picture has the first %d rows, not the other %d\n",
                     n - n_left_out, n_left_out);
    }
    return code;
}

/* Records that cannot be read: why, and the exit code. */
struct missed {
    int code;
    json_t *why;
};

/* A record that cannot be read costs its row and the exit code. */
static void report_missed(void *context, const struct sp_error *why)
{
    struct missed *missed = context;
    char text[2400];
    sp_error_text(why, text, sizeof text);
    json_array_append_new(missed->why, json_string(text));
    missed->code = sp_worse_exit(missed->code, sp_report_error(why));
}

/* How many jobs the table is about, where that is not all of them; returns their exit code. */
static int tell_missing(const struct sp_campaign_work *w)
{
    static const enum sp_job_state states[] = {SP_JOB_FAILED, SP_JOB_CLAIMED, SP_JOB_WAITING};
    const struct sp_campaign_options *o = w->options;
    const bool on_stdout =
        sp_sink_is_stdout(o->common.csv) || sp_sink_is_stdout(o->common.json) || sp_sink_is_stdout(o->html);
    struct sp_error err;
    int count[SP_N_JOB_STATES], code;
    char text[128] = "";
    if (campaign_count(w, count, &code, &err) != SP_OK)
        return sp_report_error(&err);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        const size_t used = strlen(text);
        if (count[states[i]] > 0)
            snprintf(text + used, sizeof text - used, "%s %d %s", used > 0 ? "," : ";", count[states[i]],
                     sp_job_state_name(states[i]));
    }
    if (*text && !on_stdout)
        sp_print(stdout, "%d of %d jobs%s\n", count[SP_JOB_DONE], w->campaign.n_jobs, text);
    else if (*text && o->common.verbosity >= 0)
        sp_print(stderr, "spmodel: remark: %d of %d jobs%s\n", count[SP_JOB_DONE], w->campaign.n_jobs, text);
    const int n = count[SP_JOB_FAILED];
    if (n > 0 && o->common.verbosity >= 0)
        sp_print(stderr, "spmodel: remark: %d job%s failed: --status says how, --retry runs %s once more\n",
                 n, n == 1 ? "" : "s", n == 1 ? "it" : "them");
    return code;
}

int sp_campaign_print_summary(struct sp_campaign_work *work)
{
    struct sp_campaign_row *row;
    struct sp_error err;
    struct missed missed = {0, json_array()};
    int n, code;
    if (sp_campaign_rows(&work->store, &work->campaign, report_missed, &missed, &row, &n, &err) != SP_OK) {
        code = sp_report_error(&err);
    } else {
        code = sp_worse_exit(missed.code, print_all(work, row, n, missed.why));
        code = sp_worse_exit(code, tell_missing(work));
        free(row);
    }
    json_decref(missed.why);
    return code;
}

/* spmodel campaign --node-screen: which nodes stand out. */

/* What is judged: slower means a longer time, or less bandwidth of the load-only roof. */
static const enum sp_tracked judged[] = {SP_TRACKED_TIME, SP_TRACKED_ROOF};
enum { N_JUDGED = sizeof judged / sizeof *judged };

static bool is_slower(enum sp_tracked metric, const struct sp_node_value *node)
{
    return node->is_outlier && (node->change > 0) == sp_tracked_metrics[metric].less_is_better;
}

/* In how many jobs a node was slower. */
struct tally {
    char host[65];
    const struct sp_campaign_job *last;
    int n_jobs;
};

struct verdicts {
    struct sp_sinks to;
    int n_told, n_untold;
    struct tally *tally; /* [n_hosts] */
    int n_hosts;
    const struct sp_campaign_job *last; /* that was judged; groups are sorted by job */
    int n_jobs;
};

/* The two metrics of a job, and its environments, count once. */
static void note(struct verdicts *v, const struct sp_campaign_job *job, enum sp_tracked metric,
                 const struct sp_node_value *node)
{
    int i = 0;
    while (i < v->n_hosts && strcmp(v->tally[i].host, node->host) != 0)
        i++;
    struct tally *t = &v->tally[i];
    if (i == v->n_hosts)
        memcpy(v->tally[v->n_hosts++].host, node->host, sizeof t->host);
    if (is_slower(metric, node) && t->last != job) {
        t->last = job;
        t->n_jobs++;
    }
}

static const char *word(enum sp_tracked metric, const struct sp_node_value *node)
{
    return !node->is_outlier ? "as the others" : is_slower(metric, node) ? "slower" : "faster";
}

static const char *figure(char *text, size_t size, enum sp_tracked metric, double value)
{
    char number[32];
    if (metric == SP_TRACKED_TIME)
        return sp_text_seconds(text, size, value);
    snprintf(text, size, "%s GB/s", sp_figure(number, sizeof number, value / 1e9, 3));
    return text;
}

static void print_group(const struct sp_observation *first, enum sp_tracked metric,
                        const struct sp_node_value *node, const struct sp_screen *s)
{
    char text[32];
    sp_print(stdout, "%s · %s  environment %.8s  %s (%s): ", first->job->matrix->text, first->job->run->name,
             first->env[0] ? first->env : "unknown", metric == SP_TRACKED_TIME ? "time" : "load-only roof",
             first->origin[metric][0] ? first->origin[metric] : "unknown");
    if (!s->can_tell) {
        sp_print(stdout, "%d node%s: it cannot tell with fewer than %d\n", s->n, s->n == 1 ? "" : "s",
                 SP_SCREEN_LEAST_NODES);
        return;
    }
    sp_print(stdout, "%d nodes, median %s, 1.4826 MAD %.1f %%, limit %.1f %%\n", s->n,
             figure(text, sizeof text, metric, s->median), 100 * s->deviation, 100 * s->limit);
    for (int i = 0; i < s->n; i++)
        if (node[i].is_outlier)
            sp_print(stdout, "  %-8s %s  %+.1f %% (%s)\n", word(metric, &node[i]), node[i].host,
                     100 * node[i].change, figure(text, sizeof text, metric, node[i].value));
}

static void write_csv(const struct sp_observation *first, enum sp_tracked metric,
                      const struct sp_node_value *node, const struct sp_screen *s, FILE *out)
{
    for (int i = 0; i < s->n; i++) {
        sp_csv_text(out, first->job->matrix->text);
        fputc(',', out);
        sp_csv_text(out, first->job->run->name);
        fputc(',', out);
        sp_csv_field(out, first->env);
        fputc(',', out);
        sp_csv_field(out, node[i].host);
        sp_print(out, ",%s,%d,%.9g,%.6g,%.6g,", sp_tracked_metrics[metric].name, s->n, node[i].value,
                 node[i].change, s->limit);
        sp_print(out, "%s\n", s->can_tell ? word(metric, &node[i]) : "cannot tell");
    }
}

static void write_json(const struct sp_observation *first, enum sp_tracked metric,
                       const struct sp_node_value *node, const struct sp_screen *s, FILE *out)
{
    json_t *list = json_array();
    for (int i = 0; i < s->n; i++)
        json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:s}", "host", node[i].host, "value",
                                              node[i].value, "change", node[i].change, "verdict",
                                              s->can_tell ? word(metric, &node[i]) : "cannot tell"));
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:o}", "matrix", first->job->matrix->text,
                  "run", first->job->run->name, "env", first->env, "metric", sp_tracked_metrics[metric].name,
                  "unit", sp_tracked_metrics[metric].unit, "n_nodes", s->n, "median", s->median, "deviation",
                  s->deviation, "limit", s->limit, "nodes", list);
    json_dumpf(o, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
    fputc('\n', out);
    json_decref(o);
}

/* Those that may be compared, by one metric. */
static enum sp_status screen(const struct sp_observation *list, int n, enum sp_tracked metric,
                             struct verdicts *v, struct sp_error *err)
{
    struct sp_node_value *node = calloc((size_t)n, sizeof *node);
    struct sp_screen s;
    if (!node)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %d nodes", n);
    const int n_nodes = sp_node_values(list, n, metric, node);
    enum sp_status status = n_nodes > 0 ? sp_screen_nodes(node, n_nodes, &s, err) : SP_OK;
    if (status == SP_OK && n_nodes > 0) {
        v->n_told += s.can_tell;
        v->n_untold += !s.can_tell;
        for (int i = 0; i < n_nodes; i++)
            note(v, list[0].job, metric, &node[i]);
        v->n_jobs += s.can_tell && v->last != list[0].job;
        v->last = s.can_tell ? list[0].job : v->last;
        if (!v->to.on_stdout)
            print_group(list, metric, node, &s);
        if (v->to.csv.stream)
            write_csv(list, metric, node, &s, v->to.csv.stream);
        if (v->to.json.stream)
            write_json(list, metric, node, &s, v->to.json.stream);
    }
    free(node);
    return status;
}

/* Which nodes were slower in how many jobs; true: some in more than chance brings. */
static bool tell_slower(struct verdicts *v)
{
    const int needed = sp_screen_jobs_needed(v->n_jobs, v->n_hosts);
    bool any = false;
    for (int i = 0; i < v->n_hosts; i++) {
        const struct tally *t = &v->tally[i];
        if (t->n_jobs == 0)
            continue;
        any = any || t->n_jobs >= needed;
        v->n_untold += t->n_jobs < needed;
        if (v->n_jobs > 1 && !v->to.on_stdout)
            sp_print(stdout, "%s: slower in %d of %d jobs", t->host, t->n_jobs, v->n_jobs);
        if (v->n_jobs > 1 && !v->to.on_stdout && t->n_jobs < needed)
            sp_print(stdout, ", which may be chance: %d would do", needed);
        if (v->n_jobs > 1 && !v->to.on_stdout)
            fputs("\n", stdout);
    }
    return any;
}

static int screen_all(const struct sp_observation *list, int n, struct verdicts *v)
{
    struct sp_error err;
    enum sp_status status = SP_OK;
    if (v->to.csv.stream)
        fputs("matrix,run,env,host,metric,n_nodes,value,change,limit,verdict\n", v->to.csv.stream);
    for (int first = 0, end; first < n && status == SP_OK; first = end) {
        end = sp_observations_end(list, n, first);
        for (int m = 0; m < N_JUDGED && status == SP_OK; m++)
            status = screen(list + first, end - first, judged[m], v, &err);
    }
    if (status != SP_OK)
        return sp_report_error(&err);
    if (!v->to.on_stdout)
        sp_print(stdout,
                 "a node stands out beyond %.0f robust deviations (1.4826 MAD) from the median, and beyond "
                 "%.0f %%\n",
                 SP_SCREEN_DEVIATIONS, 100 * SP_SCREEN_FLOOR);
    return tell_slower(v)                      ? sp_exit_code(SP_NO)
           : v->n_told == 0 || v->n_untold > 0 ? sp_exit_code(SP_UNDECIDED)
                                               : 0;
}

int sp_campaign_screen_nodes(const struct sp_campaign_work *w)
{
    const struct sp_common_options *common = &w->options->common;
    struct verdicts v = {0};
    struct sp_observation *list;
    struct sp_error err;
    int n, n_bad;
    enum sp_status status = sp_observations_read(&w->store.store, &w->campaign, &list, &n, &n_bad, &err);
    if (status != SP_OK)
        return sp_report_error(&err);
    if (n_bad > 0)
        sp_print(stderr,
                 "spmodel: remark: %d file%s of the store %s no usable record%s; track log names %s\n", n_bad,
                 n_bad == 1 ? "" : "s", n_bad == 1 ? "is" : "are", n_bad == 1 ? "" : "s",
                 n_bad == 1 ? "it" : "them");
    v.tally = calloc((size_t)n + 1, sizeof *v.tally);
    if (!v.tally)
        status = sp_fail(&err, SP_MEMORY, NULL, "no memory for %d nodes", n);
    else
        status = n > 0 ? sp_sinks_open(common->csv, common->json, &v.to, &err)
                       : sp_fail(&err, SP_UNDECIDED, "run it on every node with --per-node first",
                                 "the store has no record of this campaign");
    const int code = status == SP_OK ? sp_sinks_close(&v.to, screen_all(list, n, &v)) : sp_report_error(&err);
    free(list);
    free(v.tally);
    return n_bad > 0 ? sp_worse_exit(code, sp_exit_code(SP_INPUT)) : code;
}
