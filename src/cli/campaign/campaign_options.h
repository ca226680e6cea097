/* The command line of `spmodel campaign` and what it works on. */
#ifndef SP_CLI_CAMPAIGN_OPTIONS_H
#define SP_CLI_CAMPAIGN_OPTIONS_H

#include <sys/types.h>

#include "cli/core/options.h"
#include "cli/core/output.h"
#include "track/campaign/campaign_file.h"
#include "track/campaign/campaign_jobs.h"

enum sp_campaign_mode { SP_CAMPAIGN_RUN, SP_CAMPAIGN_STATUS, SP_CAMPAIGN_SUMMARY, SP_CAMPAIGN_SCREEN };

struct sp_campaign_options {
    struct sp_common_options common;
    enum sp_campaign_mode mode;
    const char *file, *store, *round, *folder, *html;
    double stop_after_s; /* 0: never */
    double stale_s;
    int jobs; /* at once, on this machine */
    bool retry, no_wait, per_node, no_plots;
    struct sp_campaign_share share; /* n 0: not asked for */
};

struct sp_campaign_work {
    const struct sp_campaign_options *options;
    struct sp_campaign campaign;
    struct sp_campaign_store store;
    struct sp_sink html; /* open where --html was given */
};

/* Runs what waits, until nothing does; returns the exit code of what failed, 0: nothing. */
int sp_campaign_run_jobs(struct sp_campaign_work *work);

/* Jobs that nobody has done, of the shares of others. */
int sp_campaign_open_elsewhere(const struct sp_campaign_work *work);

/* Prints what is done, claimed, failed, waiting; 0: all done; 5: not yet; that of the failures. */
int sp_campaign_print_status(const struct sp_campaign_work *work);

/* The table of all that is done, --csv, --json, the picture and the page, and how many jobs have no
 * row; returns the exit code: 0 where all are done, else as above. */
int sp_campaign_print_summary(struct sp_campaign_work *work);

/* Nodes that stand out: exit code 1: some are slower, 5: of some series it cannot tell. */
int sp_campaign_screen_nodes(const struct sp_campaign_work *work);

/* The page about the rows' records and all jobs that have none, to work->html; `unread`: ["why"] of
 * records that cannot be read. */
struct sp_campaign_row;

/* "exit code 3: no such file". */
char *sp_campaign_failure_text(const struct sp_job_failure *failure, char *text, size_t size);

/* A job of a campaign as a process: `spmodel analyze OPTIONS MATRIX`, started without a shell. */

/* Lets analyze understand the options of every run, without running anything. SP_INPUT names file
 * and line of the one that it refuses, in its own words. */
enum sp_status sp_campaign_check_options(const char *file, const struct sp_campaign *campaign,
                                         struct sp_error *err);

#endif
