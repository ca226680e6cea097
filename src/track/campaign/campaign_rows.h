/* The lines of a campaign's summary: what was measured, and which hints fired. */
#ifndef SP_TRACK_CAMPAIGN_ROWS_H
#define SP_TRACK_CAMPAIGN_ROWS_H

#include "io/record/record.h"
#include "track/campaign/campaign_jobs.h"

enum sp_campaign_column {                        /* metrics of the record */
                          SP_COLUMN_TIME,        /* [s] */
                          SP_COLUMN_PERFORMANCE, /* [flop/s] */
                          SP_COLUMN_FRACTION, /* of the roof, which is the load-only bandwidth measured beside
                                                 the kernel */
                          SP_COLUMN_ALPHA,
                          SP_N_COLUMNS
};

extern const enum sp_record_field sp_campaign_columns[SP_N_COLUMNS];

struct sp_campaign_row {
    const struct sp_campaign_job *job;
    char matrix[128], run[112]; /* run: its name, and the width where it is not 1: "crs r=4" */
    int64_t n_nz;               /* -1: unknown */
    int64_t rhs;                /* vectors at once; -1: unknown */
    struct sp_value value[SP_N_COLUMNS];
    char why[SP_N_COLUMNS][128]; /* where the value is unknown */
    char hints[256];             /* ids of those that fired: "A01 B01"; "" */
    char record[4096];
};

/* A row for each record of the jobs that are done, in the order of the campaign: a job with several
 * --rhs has several. `missed` is told of each record that cannot be read, which has no row. *row is
 * to be freed. SP_MEMORY. */
typedef void sp_missed_record(void *context, const struct sp_error *why);
enum sp_status sp_campaign_rows(const struct sp_campaign_store *store, const struct sp_campaign *campaign,
                                sp_missed_record *missed, void *context, struct sp_campaign_row **row, int *n,
                                struct sp_error *err);

#endif
