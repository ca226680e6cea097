/* A job of a campaign as a process: `spmodel analyze OPTIONS MATRIX`, started without a shell. */
#ifndef SP_CLI_CAMPAIGN_CHILD_H
#define SP_CLI_CAMPAIGN_CHILD_H

#include <sys/types.h>

#include "track/campaign/campaign_file.h"

/* Lets analyze understand the options of every run, without running anything. SP_INPUT names file
 * and line of the one that it refuses, in its own words. */
enum sp_status sp_campaign_check_options(const char *file, const struct sp_campaign *campaign,
                                         struct sp_error *err);

/* Starts a job in a process group of its own; records and standard error go into the folder `work`.
 * It is killed when this process ends. SP_ABSENT: no process. */
enum sp_status sp_campaign_start(const struct sp_campaign_job *job, const char *work, pid_t *pid,
                                 struct sp_error *err);

/* Of its standard error: the last line, and the last one that names an error; "" without one. */
void sp_campaign_last_words(const char *work, char *last, char *error, size_t size);

#endif
