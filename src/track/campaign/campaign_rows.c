#include "track/campaign/campaign_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/record/record.h"
#include "track/campaign/campaign_jobs.h"

const enum sp_record_field sp_campaign_columns[SP_N_COLUMNS] = {
    [SP_COLUMN_TIME] = SP_F_METRICS_TIME,
    [SP_COLUMN_PERFORMANCE] = SP_F_METRICS_PERFORMANCE,
    [SP_COLUMN_FRACTION] = SP_F_METRICS_BANDWIDTH_FRACTION,
    [SP_COLUMN_ALPHA] = SP_F_METRICS_ALPHA,
};

static void name_hints(const struct sp_record *r, char *text, size_t size)
{
    const json_t *hints = sp_record_node(r, SP_F_HINTS), *hint;
    size_t i;
    text[0] = '\0';
    json_array_foreach(hints, i, hint)
    {
        const char *id = sp_item_text(hint, "id");
        const size_t used = strlen(text);
        if (id)
            snprintf(text + used, size - used, "%s%s", used > 0 ? " " : "", id);
    }
}

/* Widths tell the records of one job apart. */
static void name_run(const struct sp_record *r, struct sp_campaign_row *row)
{
    int64_t inner = 1;
    char of_rhs[24] = "", of_inner[24] = "";
    if (!sp_record_count(r, SP_F_CONFIG_RHS, &row->rhs))
        row->rhs = -1;
    if (row->rhs > 1)
        snprintf(of_rhs, sizeof of_rhs, " r=%lld", (long long)row->rhs);
    if (sp_record_count(r, SP_F_CONFIG_INNER, &inner) && inner > 1)
        snprintf(of_inner, sizeof of_inner, " k=%lld", (long long)inner);
    snprintf(row->run, sizeof row->run, "%s%s%s", row->job->run->name, of_rhs, of_inner);
}

static enum sp_status read_row(const char *path, struct sp_campaign_row *row, struct sp_error *err)
{
    struct sp_record r = {0};
    enum sp_status status = sp_record_read(path, &r, err);
    if (status != SP_OK)
        return status;
    snprintf(row->record, sizeof row->record, "%s", path);
    snprintf(row->matrix, sizeof row->matrix, "%s",
             sp_words_text(&r, SP_F_PROBLEM_NAME, row->job->matrix->text));
    if (!sp_record_count(&r, SP_F_PROBLEM_NNZ, &row->n_nz))
        row->n_nz = -1;
    for (int i = 0; i < SP_N_COLUMNS; i++) {
        row->value[i] = sp_record_value(&r, sp_campaign_columns[i]);
        if (!sp_value_known(row->value[i]))
            snprintf(row->why[i], sizeof row->why[i], "%s", row->value[i].why ? row->value[i].why : "");
    }
    name_run(&r, row);
    name_hints(&r, row->hints, sizeof row->hints);
    sp_record_free(&r);
    return SP_OK;
}

/* What the rows are collected into. */
struct collecting {
    struct sp_campaign_row *row;
    int n, most;
    sp_missed_record *missed;
    void *context;
};

static enum sp_status add_row(struct collecting *c, const struct sp_campaign_job *job, const char *path,
                              struct sp_error *err)
{
    struct sp_error why;
    if (c->n == c->most) {
        const int most = c->most > 0 ? 2 * c->most : 64;
        struct sp_campaign_row *more = realloc(c->row, (size_t)most * sizeof *more);
        if (!more)
            return sp_fail(err, SP_MEMORY, NULL, "no memory for %d rows", most);
        c->row = more;
        c->most = most;
    }
    memset(&c->row[c->n], 0, sizeof *c->row);
    c->row[c->n].job = job;
    if (read_row(path, &c->row[c->n], &why) == SP_OK)
        c->n++;
    else
        c->missed(c->context, &why);
    return SP_OK;
}

static enum sp_status add_rows(struct collecting *c, const struct sp_campaign_store *store,
                               const struct sp_campaign_job *job, struct sp_error *err)
{
    char path[4096];
    enum sp_status status = SP_OK;
    for (int i = 0; status == SP_OK && sp_job_find_record(store, job, i, path, sizeof path); i++)
        status = add_row(c, job, path, err);
    return status;
}

/* Reasons of unknown values went with their records: those that were kept. */
static void point_to_reasons(struct sp_campaign_row *row, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < SP_N_COLUMNS; k++)
            if (!sp_value_known(row[i].value[k]))
                row[i].value[k].why = row[i].why[k];
}

enum sp_status sp_campaign_rows(const struct sp_campaign_store *store, const struct sp_campaign *campaign,
                                sp_missed_record *missed, void *context, struct sp_campaign_row **row, int *n,
                                struct sp_error *err)
{
    struct sp_campaign_traces traces = {0};
    struct collecting c = {.missed = missed, .context = context};
    enum sp_status status = sp_campaign_traces_read(store, &traces, err);
    for (int i = 0; i < campaign->n_jobs && status == SP_OK; i++) {
        if (sp_campaign_traces_have(&traces, &campaign->job[i]))
            status = add_rows(&c, store, &campaign->job[i], err);
    }
    sp_campaign_traces_free(&traces);
    if (status != SP_OK) {
        free(c.row);
        c = (struct collecting){.n = 0};
    }
    point_to_reasons(c.row, c.n);
    *row = c.row;
    *n = c.n;
    return status;
}
