/* The lines of a campaign's summary: what was measured, and which hints fired. */
#ifndef SP_TRACK_CAMPAIGN_ROWS_H
#define SP_TRACK_CAMPAIGN_ROWS_H

#include "io/record.h"
#include "track/campaign_jobs.h"

enum sp_campaign_column {                        /* metrics of the record */
                          SP_COLUMN_TIME,        /* [s] */
                          SP_COLUMN_PERFORMANCE, /* [flop/s] */
                          SP_COLUMN_FRACTION, /* of the roof, which is the load-only bandwidth measured beside
                                                 the kernel */
                          SP_COLUMN_ALPHA,
                          SP_N_COLUMNS
};

struct sp_campaign_column_name {
    const char *metric, *unit;
};
extern const struct sp_campaign_column_name sp_campaign_columns[SP_N_COLUMNS];

struct sp_campaign_row {
    const struct sp_campaign_job *job;
    char matrix[128];
    int64_t n_nz; /* -1: unknown */
    struct sp_value value[SP_N_COLUMNS];
    char why[SP_N_COLUMNS][128]; /* where the value is unknown */
    char hints[256];             /* ids of those that fired: "A01 B01"; "" */
    char record[4096];
};

/* One row for each job that is done, in the order of the campaign; *row is to be freed. SP_INPUT: a record
 * of the store cannot be read. */
enum sp_status sp_campaign_rows(const struct sp_campaign_store *store, const struct sp_campaign *campaign,
                                struct sp_campaign_row **row, int *n, struct sp_error *err);

#endif
