/* The page about a campaign: records of what is done, and the jobs that are not. */
#include <stdlib.h>
#include <string.h>

#include "cli/campaign/campaign_options.h"
#include "cli/core/find_program.h"
#include "report/html/report_html.h"
#include "track/campaign/campaign_rows.h"
#include "track/campaign/campaign_traces.h"

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
                                                  "detail", sp_campaign_job_text(&view, text, sizeof text)));
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

enum sp_status sp_campaign_write_html(const struct sp_campaign_work *w, const struct sp_campaign_row *row,
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
