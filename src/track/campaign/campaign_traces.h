/* Which jobs have left something in a store - a record, a claim, a failure -, from one look at each folder:
 * what has left nothing waits, and need not be looked at one by one. */
#ifndef SP_TRACK_CAMPAIGN_TRACES_H
#define SP_TRACK_CAMPAIGN_TRACES_H

#include "track/campaign/campaign_jobs.h"

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

#endif
