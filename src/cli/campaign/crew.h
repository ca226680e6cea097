/* A process that runs jobs of a campaign: which ones it runs, and what it knows of all of them. */
#ifndef SP_CLI_CAMPAIGN_CREW_H
#define SP_CLI_CAMPAIGN_CREW_H

#include <sys/types.h>

#include "cli/campaign/campaign_options.h"
#include "cli/core/terminal.h"
#include "track/campaign/campaign_traces.h"

enum { SP_CREW_LOOKS_EVERY_S = 30 };

struct sp_running_job {
    pid_t pid;
    int job, slot;
    struct sp_claim claim, slot_claim;
    char work[4096];
    double started;
};

struct sp_known_job {
    enum sp_job_state state;
    int attempts; /* that failed, as last seen */
    int retry;    /* run it again while no more than so many attempts have failed */
};

struct sp_crew {
    struct sp_campaign_work *work;
    struct sp_known_job *known;     /* [n_jobs] */
    struct sp_running_job *running; /* [n_running] of options->jobs */
    int n_running, n_open_at_start;
    double started, looked, touched;
    double patience_s; /* until a process that waits looks again: longer while nothing changes */
    struct sp_campaign_traces traces;
    bool stopping, is_killed, is_told;
    const struct sp_progress *progress;
    struct sp_terminal *terminal;
    struct sp_error err;
};

const struct sp_campaign_job *sp_crew_job(const struct sp_crew *crew, int i);

/* What the store says of job i, or of all that are not done; SP_MEMORY fills crew->err. */
void sp_crew_look(struct sp_crew *crew, int i);
enum sp_status sp_crew_look_at_all(struct sp_crew *crew);

/* Signs of life for what it runs, when it is time for them. */
void sp_crew_touch(struct sp_crew *crew);

bool sp_crew_may_start(const struct sp_known_job *known);
int sp_crew_count(const struct sp_crew *crew, enum sp_job_state state);
int sp_crew_count_startable(const struct sp_crew *crew);

#endif
