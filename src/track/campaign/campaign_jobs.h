/* What has become of a campaign's jobs, as a store says:
 *
 *     STORE/records/2026-11/campaign-ID.json   done: the record of the job, made once
 *     STORE/campaign/claims/ID.1               somebody is at it (track/store/claim.h)
 *     STORE/campaign/failed/ID.json            it failed, and how
 *     STORE/campaign/work/                     records on their way into the store
 *
 * A record outweighs a claim, and a claim that is held a failure. A record that cannot be read is a
 * failure. */
#ifndef SP_TRACK_CAMPAIGN_JOBS_H
#define SP_TRACK_CAMPAIGN_JOBS_H

#include <stdbool.h>

#include "base/status.h"
#include "io/record/record.h"
#include "track/campaign/campaign_file.h"
#include "track/store/claim.h"
#include "track/store/store.h"

struct sp_campaign_store {
    struct sp_store store;
    struct sp_claims claims;
};

enum sp_job_state { SP_JOB_WAITING, SP_JOB_CLAIMED, SP_JOB_FAILED, SP_JOB_DONE, SP_N_JOB_STATES };
const char *sp_job_state_name(enum sp_job_state state);

struct sp_job_failure {
    int attempt;     /* 1 for the first */
    int exit_code;   /* of the program; -1: ended by a signal */
    int signal;      /* 0: none */
    char error[512]; /* line in which it said what is wrong; "": none */
    char last[512];  /* line of its standard error */
    char host[65];   /* where */
    char when[24];   /* ISO 8601, UTC */
    /* The job was done, and its record cannot be read: `error` says why, nothing else is known. */
    bool is_of_record;
};

struct sp_job_view {
    enum sp_job_state state;
    char record[4096];             /* done: its path */
    struct sp_claim claim;         /* claimed; or waiting or failed, and stale */
    struct sp_job_failure failure; /* failed */
};

/* The campaigns of an open store. `write`: makes their folders; else it is only looked at, which a
 * store that one may not write allows. SP_OUTPUT: they cannot be made. */
enum sp_status sp_campaign_store_open(const struct sp_store *store, double stale_s, bool write,
                                      struct sp_campaign_store *campaign, struct sp_error *err);

void sp_job_look(const struct sp_campaign_store *campaign, const struct sp_campaign_job *job,
                 struct sp_job_view *view);

/* Claims a job that waits, or that failed with at most `retry` attempts so far (0: failed jobs
 * stay). *taken is false where another was quicker, or it is done. */
enum sp_status sp_job_take(const struct sp_campaign_store *campaign, const struct sp_campaign_job *job,
                           int retry, bool *taken, struct sp_claim *claim, struct sp_error *err);
void sp_job_drop(const struct sp_campaign_store *campaign, const struct sp_campaign_job *job,
                 const struct sp_claim *claim);

/* One of `slots` places in which jobs of this machine run; *slot is -1 where all are taken. */
enum sp_status sp_slot_take(const struct sp_campaign_store *campaign, int slots, int *slot,
                            struct sp_claim *claim, struct sp_error *err);
void sp_slot_touch(const struct sp_campaign_store *campaign, int slot, const struct sp_claim *claim);
void sp_slot_drop(const struct sp_campaign_store *campaign, int slot, const struct sp_claim *claim);

/* An empty folder for a job's records, to be removed by sp_folder_remove(). path[4096]. */
enum sp_status sp_job_work_make(const struct sp_campaign_store *campaign, const struct sp_campaign_job *job,
                                char *path, struct sp_error *err);

/* Removes what killed processes left, of jobs that are done or whose owner has ended. */
void sp_campaign_sweep(const struct sp_campaign_store *store, const struct sp_campaign *campaign);

/* Puts the records that lie in `work` into the store, the one that says "done" last. Records get
 * `campaign`: the job, its task, matrix, run and options. Where another process has made the job
 * meanwhile, its record stays; one that cannot be read gets ".damaged" behind its name. SP_INPUT:
 * there is no record, or one that is not complete; SP_OUTPUT. */
enum sp_status sp_job_deliver(const struct sp_campaign_store *campaign, const struct sp_campaign_job *job,
                              const char *work, struct sp_error *err);

/* Records a failure; attempt, host and when are filled in here. */
enum sp_status sp_job_fail(const struct sp_campaign_store *campaign, const struct sp_campaign_job *job,
                           const struct sp_job_failure *failure, struct sp_error *err);

/* Which jobs have left something in a store - a record, a claim, a failure -, from one look at each
 * folder: what has left nothing waits, and need not be looked at one by one. */

/* Zero-initialise; sp_campaign_traces_free(). */
struct sp_campaign_traces {
    int64_t n, most;
    uint64_t *job; /* [n] ids as numbers, ascending */
};

/* Reads them anew. SP_MEMORY: *traces is empty then. */
enum sp_status sp_campaign_traces_read(const struct sp_campaign_store *campaign,
                                       struct sp_campaign_traces *traces, struct sp_error *err);
bool sp_campaign_traces_have(const struct sp_campaign_traces *traces, const struct sp_campaign_job *job);
void sp_campaign_traces_free(struct sp_campaign_traces *traces);

/* sp_job_look(), which reads files only for a job that has left a trace. */
void sp_job_look_by(const struct sp_campaign_traces *traces, const struct sp_campaign_store *campaign,
                    const struct sp_campaign_job *job, struct sp_job_view *view);

/* The lines of a campaign's summary: what was measured, and which hints fired. */

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

/* Which jobs of a campaign one of several processes begins with: its share K of N, jobs K, K + N,
 * K + 2 N ... of the list. Claims see to it that no job is done twice, whatever the shares; a share
 * sees to it that the processes of a batch system ask for different ones, and end. */

struct sp_campaign_share {
    int k, n;  /* 0 <= k < n; n 0 or 1: all of them */
    bool only; /* nothing else is run: tasks of an array have a time of their own each */
};

/* "2/8": the second of 8. SP_USAGE. */
enum sp_status sp_campaign_share_parse(const char *text, struct sp_campaign_share *share,
                                       struct sp_error *err);

/* By Slurm's variables, of which `get` has the values (NULL: not set):
 *
 *   SLURM_ARRAY_TASK_ID, _COUNT, _MIN, _MAX, _STEP   a task of a job array: its share alone
 *   SLURM_PROCID, SLURM_STEP_NUM_TASKS               one of srun's: its share first, then others
 *
 * both: of each task's share the one of the process. Without them all jobs. SP_USAGE: the numbers
 * of the array do not follow each other evenly, or make no sense. */
enum sp_status sp_campaign_share_of_slurm(const char *(*get)(const char *name),
                                          struct sp_campaign_share *share, struct sp_error *err);

/* Is job i of the list in it? */
static inline bool sp_campaign_share_has(const struct sp_campaign_share *share, int i)
{
    return share->n <= 1 || i % share->n == share->k;
}

#endif
