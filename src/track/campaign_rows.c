#include "track/campaign_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/record_words.h"

const struct sp_campaign_column_name sp_campaign_columns[SP_N_COLUMNS] = {
    [SP_COLUMN_TIME] = {"time", "s"},
    [SP_COLUMN_PERFORMANCE] = {"performance", "flop/s"},
    [SP_COLUMN_FRACTION] = {"bandwidth_fraction", "1"},
    [SP_COLUMN_ALPHA] = {"alpha", "1"},
};

static void name_hints(const struct sp_record *r, char *text, size_t size)
{
    const json_t *hints = sp_record_node(r, "hints"), *hint;
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

static enum sp_status read_row(const char *path, struct sp_campaign_row *row, struct sp_error *err)
{
    struct sp_record r;
    enum sp_status status = sp_record_read(path, &r, err);
    if (status != SP_OK)
        return status;
    snprintf(row->record, sizeof row->record, "%s", path);
    snprintf(row->matrix, sizeof row->matrix, "%s",
             sp_words_text(&r, "problem.name", row->job->matrix->text));
    if (!sp_record_count(&r, "problem.nnz", &row->n_nz))
        row->n_nz = -1;
    for (int i = 0; i < SP_N_COLUMNS; i++) {
        row->value[i] = sp_record_metric(&r, sp_campaign_columns[i].metric);
        if (sp_value_known(row->value[i]))
            continue;
        snprintf(row->why[i], sizeof row->why[i], "%s", row->value[i].why ? row->value[i].why : "");
        row->value[i].why = row->why[i]; /* the other one goes with the record */
    }
    name_hints(&r, row->hints, sizeof row->hints);
    sp_record_free(&r);
    return SP_OK;
}

enum sp_status sp_campaign_rows(const struct sp_campaign_store *store, const struct sp_campaign *campaign,
                                struct sp_campaign_row **row, int *n, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    *n = 0;
    *row = calloc((size_t)campaign->n_jobs, sizeof **row);
    if (!*row)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %d rows", campaign->n_jobs);
    for (int i = 0; i < campaign->n_jobs && status == SP_OK; i++) {
        struct sp_job_view view;
        sp_job_look(store, &campaign->job[i], &view);
        if (view.state != SP_JOB_DONE)
            continue;
        (*row)[*n].job = &campaign->job[i];
        status = read_row(view.record, &(*row)[(*n)++], err);
    }
    if (status != SP_OK) {
        free(*row);
        *row = NULL;
        *n = 0;
    }
    return status;
}
