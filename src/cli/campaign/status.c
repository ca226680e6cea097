/* What has become of the jobs of a campaign. */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/campaign/campaign_options.h"
#include "cli/core/output.h"
#include "track/campaign/campaign_jobs.h"

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

char *sp_campaign_job_text(const struct sp_job_view *view, char *text, size_t size)
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
    sp_campaign_job_text(view, text, sizeof text);
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

static void print_json(const struct sp_campaign_job *job, const struct sp_job_view *view, FILE *out)
{
    char text[4200];
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s}", "job", job->id, "state",
                          sp_job_state_name(view->state), "matrix", job->matrix->text, "run", job->run->name,
                          "detail", sp_campaign_job_text(view, text, sizeof text));
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

enum sp_status sp_campaign_count(const struct sp_campaign_work *w, int count[SP_N_JOB_STATES], int *code,
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
            print_json(job, &view, json);
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
